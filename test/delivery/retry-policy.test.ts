import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRetryPolicy, retryShare } from "../../src/delivery/retry-policy.ts";

const windowMs = 30_000;
/** Counts are over whole seconds: what left at the beginning of the first one may be forgotten sooner. */
const wholeMs = windowMs - 1000;
const always = 30;

function policyOf({ random = (): number => 0.5 } = {}) {
  return createRetryPolicy(5, { random });
}

describe("the backoff", () => {
  test("doubles, up to 20 s, and is longer where the service is overloaded", () => {
    const policy = policyOf({ random: () => 1 });
    const made = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 100, 1e6];
    expect(made.map((attempts) => policy.backoffMs(attempts, false))).toEqual([
      ...[100, 200, 400, 800, 1600, 3200, 6400, 12_800, 20_000, 20_000, 20_000, 20_000],
    ]);
    expect(made.map((attempts) => policy.backoffMs(attempts, true))).toEqual([
      ...[500, 1000, 2000, 4000, 8000, 16_000],
      ...[20_000, 20_000, 20_000, 20_000, 20_000, 20_000],
    ]);
  });

  test("is any time up to that bound, with the same chance", () => {
    for (const random of [0, 0.25, 0.999]) {
      expect(policyOf({ random: () => random }).backoffMs(3, false)).toBe(400 * random);
    }
  });
});

interface Sent {
  readonly gapMs: number;
  readonly kind: "first" | "retry";
  readonly count: number;
}

/** Bursts and pauses, so that the window is crossed again and again. */
const schedules = fc.array(
  fc.record<Sent>({
    gapMs: fc.oneof(fc.nat(2000), fc.nat(40_000), fc.constantFrom(1, 999, 29_100, 29_999, 30_001)),
    kind: fc.constantFrom("first", "retry"),
    count: fc.oneof(fc.nat(5), fc.nat(120)),
  }),
  { minLength: 1, maxLength: 60 },
);

/** When attempts left: retries only as far as the budget allows. */
function follow(schedule: readonly Sent[], startsAt: number) {
  const policy = policyOf();
  const attempts: number[] = [];
  const retries: number[] = [];
  let now = startsAt;
  for (const { gapMs, kind, count } of schedule) {
    now += gapMs;
    for (let n = 0; n < count; n++) {
      if (kind === "retry") {
        if (policy.budget(now) < 1) break;
        policy.retried(now);
        retries.push(now);
      }
      policy.sent(now);
      attempts.push(now);
    }
  }
  return { attempts, retries, policy, now };
}

function countWithin(times: readonly number[], afterMs: number, untilMs: number): number {
  return times.filter((at) => at > afterMs && at <= untilMs).length;
}

describe("the retry budget", () => {
  test("retries are at most 30 % of the attempts of the last 30 s, or 30, and one a second besides; no fewer than 30", () => {
    fc.assert(
      fc.property(schedules, fc.nat(100_000), (schedule, startsAt) => {
        const { attempts, retries, policy, now } = follow(schedule, startsAt);
        // Of several at one time, the last has all of them in its window.
        const moments = [...new Set(retries)];
        const shareAt = (at: number) => countWithin(attempts, at - windowMs, at) * retryShare;
        for (const at of moments) {
          // Attempts that allowed a retry may have left the window before the retry does.
          const shares = moments.filter((one) => one > at - wholeMs && one <= at).map(shareAt);
          const most = Math.max(always, ...shares) + windowMs / 1000 + 1;
          expect(countWithin(retries, at - wholeMs, at)).toBeLessThanOrEqual(most);
        }
        const left = always - countWithin(retries, now - windowMs, now);
        expect(policy.budget(now)).toBeGreaterThanOrEqual(Math.max(0, left));
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    [0, 30],
    [99, 30],
    [100, 30],
    [1000, 300],
  ])("after %i attempts, there is room for %i retries", (attempts, room) => {
    for (const now of [5000, 86_400_000.5]) {
      const policy = policyOf();
      for (let n = 0; n < attempts; n++) policy.sent(now);
      expect(policy.budget(now)).toBe(room);
      policy.retried(now);
      expect(policy.budget(now)).toBe(room - 1);
    }
  });

  test("that a burst has used up leaves one a second, so that a run never just waits", () => {
    const policy = policyOf();
    for (let n = 0; n < 30; n++) policy.retried(500);
    expect(policy.budget(999)).toBe(0);
    for (const now of [1000, 2000, 3000]) {
      expect(policy.budget(now)).toBe(1);
      policy.retried(now);
      expect(policy.budget(now)).toBe(0);
    }
  });
});
