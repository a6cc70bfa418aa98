import type { Clock } from "../model/clock.ts";

export type RetryPolicy = ReturnType<typeof createRetryPolicy>;

const baseMs = 100;
const maxBackoffMs = 20_000;
/** Refusals for load come back soon: the rate limiter sees to it that they are not too many. */
const refusalBaseMs = 500;
const maxRefusalBackoffMs = 5000;
/** Refusals cost no attempt, but an event that is always refused has to end, too. */
const maxRefusals = 100;

/** What a first attempt and a successful retry put into the retry budget; a retry takes one out. */
const earnedByFirst = 0.3;
const earnedBySuccess = 1.3;
const maxBudget = 100;
const firstBudget = 10;

/**
 * Whether an event is retried, after how long, and whether a retry may go before first attempts.
 *
 * The retry budget is a token bucket (as of gRPC and Finagle): first attempts and retries that succeed fill it. So
 * retries never crowd out first attempts, and go as fast as the service takes them if it works.
 *
 * @param maxAttempts for an event, from 1
 */
export function createRetryPolicy(maxAttempts: number, { random }: Pick<Clock, "random">) {
  let budget = firstBudget;
  const earn = (tokens: number) => {
    budget = Math.min(maxBudget, budget + tokens);
  };
  return {
    isExhausted: (tries: number, refusals: number) =>
      tries >= maxAttempts || refusals >= maxRefusals,
    /**
     * Exponential backoff with full jitter, the form that the AWS SDKs' standard retry mode uses: any wait up to the
     * bound is as likely as any other, so that events that failed together do not come back together.
     *
     * @param made attempts so far, from 1
     * @param isRefusal whether the load is to blame
     */
    backoffMs(made: number, isRefusal: boolean) {
      const [base, most] = isRefusal
        ? [refusalBaseMs, maxRefusalBackoffMs]
        : [baseMs, maxBackoffMs];
      return random() * Math.min(most, base * 2 ** Math.min(made - 1, 30));
    },
    /** Whether a retry may go before a first attempt. */
    mayRetry: () => budget >= 1,
    /** A retry is staged. */
    retried() {
      budget = Math.max(0, budget - 1);
    },
    sentFirst: () => earn(earnedByFirst),
    retrySucceeded: () => earn(earnedBySuccess),
  };
}
