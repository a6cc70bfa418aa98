/** Runs tasks of one key one after another, in the order given; other keys go on meanwhile. */
export interface KeyedOrder {
  run<Result>(key: string, task: () => Promise<Result>): Promise<Result>;
}

export function createKeyedOrder(): KeyedOrder {
  const last = new Map<string, Promise<unknown>>();
  return {
    run(key, task) {
      const before = last.get(key);
      const mine = before === undefined ? task() : before.then(task, task);
      last.set(key, mine);
      const forget = () => {
        if (last.get(key) === mine) last.delete(key);
      };
      mine.then(forget, forget);
      return mine;
    },
  };
}
