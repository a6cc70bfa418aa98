import type { Clock } from "./clock.ts";
import type { RetryBudget } from "./retry-budget.ts";

/** Retries that wait for a place in the budget, in the order of asking. */
export interface RepeatLine<Retry> {
  readonly length: number;
  add(retries: readonly Retry[]): void;
  /** Lets those go that the budget has room for, and looks again in a while. */
  look(): void;
  /** Takes all of them out. */
  takeAll(): Retry[];
}

/** How often the budget has room for one retry at least. */
const lookAgainMs = 1000;

/** @param letGo is called with each for which there is a place */
export function createRepeatLine<Retry>(
  clock: Clock,
  budget: RetryBudget,
  letGo: (retry: Retry) => void,
): RepeatLine<Retry> {
  let line: Retry[] = [];
  let cancel = () => {};

  const look = () => {
    while (line.length > 0 && budget.retry(clock.now())) {
      const next = line.shift();
      if (next !== undefined) letGo(next);
    }
    cancel();
    if (line.length > 0) cancel = clock.schedule(lookAgainMs, look);
  };

  return {
    get length() {
      return line.length;
    },
    add(retries) {
      const wasEmpty = line.length === 0;
      for (const retry of retries) line.push(retry); // too many to be arguments
      if (wasEmpty) look();
    },
    look,
    takeAll() {
      cancel();
      const taken = line;
      line = [];
      return taken;
    },
  };
}
