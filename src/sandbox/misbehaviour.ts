/** What happens to a request that deserves a 202. */
export type Misbehaviour =
  | { kind: "none" }
  | { kind: "fail"; status: FailureStatus }
  | { kind: "reset"; accepting: boolean };

export type FailureStatus = 500 | 502 | 503 | 504;

const FAILURE_STATUSES = [500, 502, 503, 504] as const;
const NONE: Misbehaviour = { kind: "none" };

/**
 * Draws the fate of one request after another. The fates depend on `random` alone: each request
 * takes two numbers from it, so the n-th fate is the same however the earlier ones turned out.
 */
export function createMisbehaviour(
  failRate: number,
  resetRate: number,
  random: () => number,
): () => Misbehaviour {
  if (failRate === 0 && resetRate === 0) return () => NONE;

  return () => {
    const share = random();
    const choice = random();
    if (share < failRate) {
      return { kind: "fail", status: FAILURE_STATUSES[Math.floor(choice * 4)]! };
    }
    if (share < failRate + resetRate) return { kind: "reset", accepting: choice < 0.5 };
    return NONE;
  };
}

/** Asks for one place at `nowMs`: 0 grants it, any other number is the wait in whole seconds. */
export type Throttle = (nowMs: number) => number;

// A client that waits exactly as long as asked must find a token, whatever the rounding of
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

/**
 * Tommy Ettinger's Mulberry32: a generator of numbers in [0, 1) with 32 bits of state. Only the
 * low 32 bits of the seed count.
 */
export function mulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
