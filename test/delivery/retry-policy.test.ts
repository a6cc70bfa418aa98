import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRetryPolicy } from "../../src/delivery/retry-policy.ts";

function policyOf({ random = (): number => 0.5 } = {}) {
  return createRetryPolicy(5, { random });
}

describe("the backoff", () => {
  test("doubles, up to 20 s, and to 5 s where the load is to blame", () => {
    const policy = policyOf({ random: () => 1 });
    const made = [1, 2, 3, 4, 5, 6, 7, 8, 9, 100, 1e6];
    expect(made.map((attempts) => policy.backoffMs(attempts, false))).toEqual([
      ...[100, 200, 400, 800, 1600, 3200, 6400, 12_800, 20_000, 20_000, 20_000],
    ]);
    expect(made.map((attempts) => policy.backoffMs(attempts, true))).toEqual([
      ...[500, 1000, 2000, 4000, 5000, 5000, 5000, 5000, 5000, 5000, 5000],
    ]);
  });

  test("is any time up to that bound, with the same chance", () => {
    for (const random of [0, 0.25, 0.999]) {
      expect(policyOf({ random: () => random }).backoffMs(3, false)).toBe(400 * random);
    }
  });
});

test("an event has its attempts, and a hundred refusals besides", () => {
  const policy = policyOf();
  expect([policy.isExhausted(4, 99), policy.isExhausted(5, 0)]).toEqual([false, true]);
  expect(policy.isExhausted(0, 100)).toBe(true);
});

describe("the retry budget", () => {
  test("never exceeds what first attempts and successful retries have earned", () => {
    const steps = fc.array(
      fc.record({
        kind: fc.constantFrom("first", "retry", "success"),
        count: fc.nat(60),
      }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(steps, (some) => {
        const policy = policyOf();
        let [earned, retries] = [10, 0];
        for (const { kind, count } of some) {
          for (let n = 0; n < count; n++) {
            if (kind === "first") policy.sentFirst();
            else if (kind === "success") policy.retrySucceeded();
            else if (policy.mayRetry()) {
              policy.retried();
              retries++;
            }
            earned += kind === "first" ? 0.3 : kind === "success" ? 1.3 : 0;
          }
        }
        expect(retries).toBeLessThanOrEqual(earned);
      }),
    );
  });

  test("retries that succeed earn the next: the tail of a run goes on at its speed", () => {
    const policy = policyOf();
    for (let n = 0; n < 1000; n++) {
      expect(policy.mayRetry()).toBe(true);
      policy.retried();
      policy.retrySucceeded();
    }
  });
});
