import { retriesPerSecond, retryShare } from "../../model/sending-state.ts";

/** What is known of the work that is left. */
export interface WorkLeft {
  /** Events (or rows, where events are not counted) that have not ended. */
  readonly left: number;
  /** How many end in a second while nothing is held back; nothing before there is a rate. */
  readonly perSecond: number | undefined;
  /** Attempts a second at most, as it was asked for. */
  readonly cap: number | undefined;
  /** Of those that are left, the ones that wait for another attempt. */
  readonly toRetry: number;
  /** Which part of the attempts had to be retried so far, from 0 to 1. */
  readonly retriedShare: number;
  /** For how long nothing leaves from now; nothing where nobody knows. */
  readonly heldForMs: number | undefined;
}

/** A service that fails nearly every time says nothing of when it will not. */
const mostRetried = 0.95;

/**
 * Seconds until all has ended, as far as anybody can tell.
 *
 * Retries go beside the first attempts as far as the retry budget allows, and the rest of them after
 * those, at the least rate of that budget.
 */
export function estimateTimeLeft(work: WorkLeft): number | undefined {
  const { left, cap, toRetry, retriedShare, heldForMs } = work;
  // Before there is a rate, the one that was asked for is the best that is known.
  const perSecond = work.perSecond || cap;
  if (heldForMs === undefined || perSecond === undefined || perSecond <= 0) return undefined;
  const attemptsEach = 1 / (1 - Math.min(mostRetried, retriedShare));
  const untried = Math.max(0, left - toRetry);
  const untriedSeconds = untried / perSecond;
  const retries = (toRetry + untried * retriedShare) * attemptsEach;
  const retriesBeside = untriedSeconds * retriesPerSecond + untried * retryShare;
  // Where nothing waits, the budget has room for all retries.
  const retriesAfter = toRetry === 0 ? 0 : Math.max(0, retries - retriesBeside);
  const seconds = Math.max(
    left / perSecond,
    untriedSeconds + retriesAfter / retriesPerSecond,
    cap === undefined ? 0 : (left * attemptsEach) / cap,
  );
  return heldForMs / 1000 + seconds;
}
