/** Asks for one place at `nowMs`: 0 grants it, any other number is the wait in whole seconds. */
export type Throttle = (nowMs: number) => number;

// A client that waits exactly as long as it was told must find a token, whatever the rounding of
// the sums in between; so a token counts as whole a little before the wait counts as over.
const ROUNDING = 1e-6;

/**
 * A token bucket that starts full, holds at most `max(1, ratePerSecond)` tokens and refills
 * continuously. It reads no clock: the time of each request is passed in, and a time before the
 * latest one counts as the latest one.
 */
export function createThrottle(ratePerSecond: number): Throttle {
  const capacity = Math.max(1, ratePerSecond);
  let tokens = capacity;
  let latestMs = Number.NEGATIVE_INFINITY;

  return (nowMs) => {
    if (nowMs > latestMs) {
      tokens = Math.min(capacity, tokens + ((nowMs - latestMs) * ratePerSecond) / 1000);
      latestMs = nowMs;
    }
    if (tokens >= 1 - ROUNDING) {
      tokens -= 1;
      return 0;
    }
    return Math.max(1, Math.ceil((1 - ROUNDING / 2 - tokens) / ratePerSecond));
  };
}
