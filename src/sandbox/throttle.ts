/** Asks for a token at `nowMs`: 0 grants it, any other number is the wait in whole seconds. */
export type Throttle = (nowMs: number) => number;

// A client that waits exactly as long as asked must get a token, despite rounding errors. So a token
// counts as whole a little before the wait is over.
const rounding = 1e-6;

/**
 * A token bucket that starts full, holds at most `max(1, ratePerSecond)` tokens and refills
 * continuously. The caller passes the time of each request; if it is before the latest one, it counts as
 * the latest one.
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
    if (tokens >= 1 - rounding) {
      tokens -= 1;
      return 0;
    }
    return Math.max(1, Math.ceil((1 - rounding / 2 - tokens) / ratePerSecond));
  };
}
