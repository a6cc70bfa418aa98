/** One task of a key at a time, in the order in which they came; other keys go on meanwhile. */
export interface KeyedOrder {
  /**
   * Comes for the turn of a task, which has to {@link leave} after it.
   *
   * @returns nothing where it is its turn already
   */
  enter(key: string): Promise<void> | undefined;
  /** The task whose turn it is has ended: the next one of its key has its turn. */
  leave(key: string): void;
  /** Whether other tasks wait for the one whose turn it is. */
  isWaitedFor(key: string): boolean;
  /** Takes a step when the tasks of the key that came before have ended, if there are any. */
  after(key: string, step: () => void): void;
}

/** Those that wait behind the task whose turn it is, each with a reference to the next. */
interface Line {
  first: Waiting | undefined;
  last: Waiting | undefined;
  tasks: number;
}

interface Waiting {
  readonly isTask: boolean;
  readonly go: () => void;
  next: Waiting | undefined;
}

export function createKeyedOrder(): KeyedOrder {
  const lines = new Map<string, Line>();

  const append = (line: Line, isTask: boolean, go: () => void) => {
    const waiting: Waiting = { isTask, go, next: undefined };
    if (line.last === undefined) line.first = waiting;
    else line.last.next = waiting;
    line.last = waiting;
    if (isTask) line.tasks++;
  };

  return {
    enter(key) {
      const line = lines.get(key);
      if (line !== undefined) return new Promise((go) => append(line, true, go));
      lines.set(key, { first: undefined, last: undefined, tasks: 0 });
      return undefined;
    },
    leave(key) {
      const line = lines.get(key);
      for (let next = line?.first; line !== undefined && next !== undefined; next = line.first) {
        line.first = next.next;
        if (line.first === undefined) line.last = undefined;
        if (next.isTask) line.tasks--;
        next.go();
        if (next.isTask) return;
      }
      lines.delete(key);
    },
    isWaitedFor: (key) => (lines.get(key)?.tasks ?? 0) > 0,
    after(key, step) {
      const line = lines.get(key);
      if (line === undefined) step();
      else append(line, false, step);
    },
  };
}
