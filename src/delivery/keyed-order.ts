/** Runs tasks of one key one after another, in the order given; other keys go on meanwhile. */
export interface KeyedOrder {
  run<Result>(key: string, task: (turn: Turn) => Promise<Result>): Promise<Result>;
  /** Takes a step when the tasks of the key that were given before have ended, if there are any. */
  after(key: string, step: () => void): void;
}

/** The turn of one task. */
export interface Turn {
  /** Whether other tasks of its key wait for it. */
  isWaitedFor(): boolean;
}

interface Line {
  last: Promise<unknown>;
  /** Tasks that have not begun. */
  waiting: number;
}

export function createKeyedOrder(): KeyedOrder {
  const lines = new Map<string, Line>();

  const append = (key: string, line: Line, mine: Promise<unknown>) => {
    line.last = mine;
    const forget = () => {
      if (line.last === mine) lines.delete(key);
    };
    mine.then(forget, forget);
  };

  return {
    run(key, task) {
      const before = lines.get(key);
      const line = before ?? { last: Promise.resolve(), waiting: 0 };
      const turn: Turn = { isWaitedFor: () => line.waiting > 0 };
      if (before === undefined) {
        lines.set(key, line);
        const mine = task(turn);
        append(key, line, mine);
        return mine;
      }
      line.waiting++;
      const begin = () => {
        line.waiting--;
        return task(turn);
      };
      const mine = line.last.then(begin, begin);
      append(key, line, mine);
      return mine;
    },
    after(key, step) {
      const line = lines.get(key);
      if (line === undefined) step();
      else append(key, line, line.last.then(step, step));
    },
  };
}
