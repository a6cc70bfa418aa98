import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRetryBudget } from "../../src/delivery/retry-budget.ts";

const windowMs = 30_000;

interface Asked {
  readonly gapMs: number;
  readonly kind: "first" | "retry";
  readonly count: number;
}

/** Bursts and pauses, so that the window is crossed again and again. */
const schedules = fc.array(
  fc.record<Asked>({
    gapMs: fc.oneof(fc.nat(2000), fc.nat(40_000), fc.constantFrom(1, 999, 29_100, 29_999, 30_001)),
    kind: fc.constantFrom("first", "retry"),
    count: fc.oneof(fc.nat(5), fc.nat(120)),
  }),
  { minLength: 1, maxLength: 60 },
);

interface Counted {
  readonly firsts: readonly number[];
  readonly retries: readonly number[];
}

/** When each attempt was let through. */
function follow(schedule: readonly Asked[], startsAt: number): Counted {
  const budget = createRetryBudget();
  const firsts: number[] = [];
  const retries: number[] = [];
  let now = startsAt;
  for (const { gapMs, kind, count } of schedule) {
    now += gapMs;
    for (let n = 0; n < count; n++) {
      if (kind === "retry") {
        if (budget.retry(now)) retries.push(now);
      } else {
        budget.first(now);
        firsts.push(now);
      }
    }
  }
  return { firsts, retries };
}

function countWithin(times: readonly number[], afterMs: number, untilMs: number): number {
  return times.filter((at) => at > afterMs && at <= untilMs).length;
}

test("in the 30 s up to each retry, retries are at most 10 % of the first attempts + 30", () => {
  fc.assert(
    fc.property(schedules, fc.nat(100_000), (schedule, startsAt) => {
      const { firsts, retries } = follow(schedule, startsAt);
      // Of several at one time, the last has all of them in its window.
      for (const at of new Set(retries)) {
        const most = countWithin(firsts, at - windowMs, at) * 0.1 + 30;
        expect(countWithin(retries, at - windowMs, at)).toBeLessThanOrEqual(most);
      }
    }),
    { numRuns: 300 },
  );
});

describe("there is room", () => {
  const roomAt = (now: number, firsts: number) => {
    const budget = createRetryBudget();
    for (let n = 0; n < firsts; n++) budget.first(now);
    let room = 0;
    while (budget.retry(now)) room++;
    return room;
  };

  test.each([
    [0, 30],
    [9, 30],
    [10, 31],
    [1000, 130],
  ])("after %i first attempts, for %i retries", (firsts, room) => {
    expect(roomAt(5000, firsts)).toBe(room);
    expect(roomAt(86_400_000.5, firsts)).toBe(room);
  });

  test("again as time goes on, for about one a second where nothing else is sent", () => {
    const budget = createRetryBudget();
    let retries = 0;
    for (let now = 0; now < 600_000; now += 100) if (budget.retry(now)) retries++;
    expect(retries).toBeGreaterThan(600 * 0.95);
    expect(retries).toBeLessThanOrEqual(600 + 30);
  });

  test("for a tenth of a steady stream, and not for more", () => {
    const budget = createRetryBudget();
    let retries = 0;
    for (let now = 0; now < 120_000; now += 2) {
      budget.first(now);
      if (budget.retry(now)) retries++;
    }
    const firsts = 120_000 / 2;
    expect(retries / firsts).toBeGreaterThan(0.095);
    expect(retries / firsts).toBeLessThan(0.105);
  });

  test("for none while probes have taken it", () => {
    const budget = createRetryBudget();
    for (let n = 0; n < 40; n++) budget.probe(1000);
    expect(budget.retry(1000)).toBe(false);
    expect(budget.retry(30_000)).toBe(false);
    expect(budget.retry(32_000)).toBe(true);
  });

  test("for no more after a long silence than at the beginning", () => {
    const budget = createRetryBudget();
    for (let n = 0; n < 5000; n++) budget.first(0);
    let room = 0;
    while (budget.retry(3_600_000)) room++;
    expect(room).toBe(30);
  });
});
