import type { Clock } from "../model/clock.ts";

/** Retries are at most this share of the attempts of the last 30 seconds. */
export const retryShare = 0.3;
/**
 * Retries a second that are always allowed; without them nothing would be retried at the
 * beginning.
 */
const retriesPerSecond = 1;

export type RetryPolicy = ReturnType<typeof createRetryPolicy>;

const baseMs = 100;
const overloadBaseMs = 500;
const maxBackoffMs = 20_000;
/** 429 and `Retry-After` cost no attempt, but an event that is always throttled has to end, too. */
const maxThrottled = 100;

const windowSeconds = 30;

/**
 * Whether an event is retried, after how long, and how many retries the run may send in all.
 *
 * @param maxAttempts for an event, from 1
 */
export function createRetryPolicy(maxAttempts: number, { random }: Pick<Clock, "random">) {
  const attempts = createCount();
  const retries = createCount();
  return {
    isExhausted: (tries: number, throttled: number) =>
      tries >= maxAttempts || throttled >= maxThrottled,
    /**
     * Exponential backoff with full jitter, the form that the AWS SDKs' standard retry mode uses: any wait up to the
     * bound is as likely as any other, so that events that failed together do not come back together.
     *
     * @param made attempts so far, from 1
     * @param isOverload whether the answer was 429 or 503
     */
    backoffMs(made: number, isOverload: boolean) {
      const base = isOverload ? overloadBaseMs : baseMs;
      return random() * Math.min(maxBackoffMs, base * 2 ** Math.min(made - 1, 30));
    },
    /** Counts an attempt that is sent. */
    sent: attempts.add,
    /** Counts a retry, from the moment at which it is staged. */
    retried: retries.add,
    /** How many retries may be sent now without exceeding the retry budget. */
    budget(now: number) {
      const max = Math.max(windowSeconds * retriesPerSecond, attempts.sum(now) * retryShare);
      // If a burst has used the budget up, one retry a second is sent all the same: a run never just waits.
      const trickle = retriesPerSecond - retries.ofThisSecond(now);
      return Math.max(0, trickle, Math.floor(max - retries.sum(now)));
    },
  };
}

/** Counts over the last seconds, with the current one. */
function createCount() {
  const counts = new Array<number>(windowSeconds).fill(0);
  let second = 0;
  let sum = 0;

  const advance = (now: number) => {
    const current = Math.floor(now / 1000);
    if (current - second >= windowSeconds) {
      counts.fill(0);
      sum = 0;
      second = current;
    }
    while (second < current) {
      second++;
      const oldest = second % windowSeconds;
      sum -= counts[oldest] ?? 0;
      counts[oldest] = 0;
    }
    return current % windowSeconds;
  };

  return {
    add(now: number) {
      const at = advance(now);
      counts[at] = (counts[at] ?? 0) + 1;
      sum++;
    },
    sum(now: number) {
      advance(now);
      return sum;
    },
    ofThisSecond: (now: number) => counts[advance(now)] ?? 0,
  };
}
