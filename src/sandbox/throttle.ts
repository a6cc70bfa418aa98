/** Takes a token at `nowMs`. @returns 0, or how many whole seconds to wait if there is no token */
export type Throttle = (nowMs: number) => number;

// A client that waits exactly as long as it is asked to must get a token, despite rounding errors. So
// almost a whole token is enough.
const rounding = 1e-6;

/**
 * A token bucket that starts full, holds at most `max(1, ratePerSecond)` tokens, and refills
 * continuously. The caller passes the time of each request. Time never goes back: an earlier time
 * counts as the latest one.
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
