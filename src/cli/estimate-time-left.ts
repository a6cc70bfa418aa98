import { retriesPerFirst, retriesPerSecond } from "../delivery/retry-budget.ts";

/** What is known of the work that is left. */
export interface WorkLeft {
  /** Events (or rows, where events are not counted) that have not ended. */
  readonly left: number;
  /** How many end in a second while nothing is held back; nothing before there is a rate. */
  readonly perSecond: number | undefined;
  /** Attempts a second at most, as it was asked for. */
  readonly cap: number | undefined;
  /** Of those that are left, the ones that wait for another attempt. */
  readonly toRepeat: number;
  /** Which part of the attempts had to be repeated so far, from 0 to 1. */
  readonly repeatedShare: number;
  /** For how long nothing leaves from now; nothing where nobody knows. */
  readonly heldForMs: number | undefined;
}

/** A service that fails nearly every time says nothing of when it will not. */
const mostRepeated = 0.95;

/**
 * Seconds until all has ended, as far as anybody can tell.
 *
 * What had to be repeated goes beside the first attempts as far as the budget of retries allows, and
 * the rest of it after them, at the pace of that budget.
 */
export function estimateTimeLeft(work: WorkLeft): number | undefined {
  const { left, cap, toRepeat, repeatedShare, heldForMs } = work;
  // Before there is a rate, the one that was asked for is the best that is known.
  const perSecond = work.perSecond || cap;
  if (heldForMs === undefined || perSecond === undefined || perSecond <= 0) return undefined;
  const attemptsEach = 1 / (1 - Math.min(mostRepeated, repeatedShare));
  const untried = Math.max(0, left - toRepeat);
  const untriedSeconds = untried / perSecond;
  const repeats = (toRepeat + untried * repeatedShare) * attemptsEach;
  const repeatsBeside = untriedSeconds * retriesPerSecond + untried * retriesPerFirst;
  // Where nothing waits, the budget has room for all that is repeated.
  const repeatsAfter = toRepeat === 0 ? 0 : Math.max(0, repeats - repeatsBeside);
  const seconds = Math.max(
    left / perSecond,
    untriedSeconds + repeatsAfter / retriesPerSecond,
    cap === undefined ? 0 : (left * attemptsEach) / cap,
  );
  return heldForMs / 1000 + seconds;
}
