import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AdaptiveRate, createAdaptiveRate } from "../../src/delivery/adaptive-rate.ts";

/** Laws, and no figures: how it is tuned is told by the bench. */

const least = 1e-3;

/** Attempts that leave evenly and are all taken, from a time on. @returns when it ends */
function use(rate: AdaptiveRate, perSecond: number, fromMs: number, seconds: number): number {
  const gapMs = 1000 / perSecond;
  let now = fromMs;
  for (; now < fromMs + seconds * 1000; now += gapMs) {
    rate.sent(now);
    rate.taken(now);
  }
  return now;
}

/** Uses all that it allows, on a service that takes everything. */
function useAll(rate: AdaptiveRate, fromMs: number, seconds: number): number {
  let now = fromMs;
  while (now < fromMs + seconds * 1000) {
    rate.sent(now);
    rate.taken(now);
    now += 1000 / rate.perSecond;
  }
  return now;
}

/** A rate that has been throttled once, after ten seconds at so many a second. */
function throttledAt(perSecond: number) {
  const rate = createAdaptiveRate();
  const now = use(rate, perSecond, 0, 10);
  rate.sent(now);
  rate.throttled(now, now);
  return { rate, now };
}

const rates = fc.integer({ min: 5, max: 3000 });

test("there is no bound until the service has throttled for the first time", () => {
  const steps = fc.array(fc.tuple(fc.nat(5000), fc.boolean()), { maxLength: 60 });
  fc.assert(
    fc.property(steps, (some) => {
      const rate = createAdaptiveRate();
      let now = 0;
      for (const [gapMs, isTaken] of some) {
        now += gapMs;
        if (isTaken) rate.taken(now);
        else rate.sent(now);
        expect(rate.perSecond).toBe(Number.POSITIVE_INFINITY);
      }
      rate.sent(now);
      rate.throttled(now, now);
      expect(rate.perSecond).toBeLessThan(Number.POSITIVE_INFINITY);
    }),
  );
});

describe("throttling", () => {
  test("lets it fall below what was taken, and not to nothing", () => {
    fc.assert(
      fc.property(rates, (perSecond) => {
        const { rate } = throttledAt(perSecond);
        expect(rate.perSecond).toBeLessThan(perSecond);
        expect(rate.perSecond).toBeGreaterThan(perSecond / 5);
      }),
      { numRuns: 20 },
    );
  });

  test("again lets it fall again", () => {
    const { rate, now } = throttledAt(500);
    const before = rate.perSecond;
    const later = use(rate, before, now, 1);
    const highest = rate.perSecond;
    rate.throttled(later, later);
    expect(rate.perSecond).toBeLessThan(highest);
  });

  test("of an attempt that left before the last cut does not cut again", () => {
    const { rate, now } = throttledAt(100);
    const after = rate.perSecond;
    for (let n = 1; n <= 50; n++) rate.throttled(now - n, now + n);
    expect(rate.perSecond).toBe(after);
    rate.throttled(now + 51, now + 52);
    expect(rate.perSecond).toBeLessThan(after);
  });

  test("without end leaves a rate by which the service can be seen to be back", () => {
    const { rate, now } = throttledAt(100);
    let last = now;
    for (let n = 1; n <= 200; n++) {
      last = now + n * 1000;
      rate.sent(last);
      rate.throttled(last, last);
      expect(rate.perSecond).toBeGreaterThan(least);
    }
    // Throttled each time, it is far below what was granted once.
    expect(rate.perSecond).toBeLessThan(5);
    useAll(rate, last, 40);
    expect(rate.perSecond).toBeGreaterThan(5);
  });
});

describe("what is taken", () => {
  test("never lets it fall", () => {
    fc.assert(
      fc.property(rates, fc.array(fc.nat(3000), { maxLength: 60 }), (perSecond, gaps) => {
        const { rate, now } = throttledAt(perSecond);
        let at = now;
        for (const gapMs of gaps) {
          at += gapMs;
          const before = rate.perSecond;
          rate.sent(at);
          rate.taken(at);
          expect(rate.perSecond).toBeGreaterThanOrEqual(before);
        }
      }),
      { numRuns: 50 },
    );
  });

  test("lets it come back within half a minute, and go beyond, where all of it is used", () => {
    for (const perSecond of [20, 200, 1000]) {
      const { rate, now } = throttledAt(perSecond);
      useAll(rate, now, 30);
      expect(rate.perSecond).toBeGreaterThan(perSecond);
    }
  });

  test("does not let it grow far beyond what is used", () => {
    fc.assert(
      fc.property(rates, fc.double({ min: 0.05, max: 0.9, noNaN: true }), (perSecond, share) => {
        const { rate, now } = throttledAt(perSecond);
        const used = Math.max(0.5, Math.min(200, perSecond * share));
        use(rate, used, now, 240);
        expect(rate.perSecond).toBeLessThanOrEqual(Math.max(perSecond, 4 * used));
      }),
      { numRuns: 20 },
    );
  });
});

test("whatever happens, it is a rate above 0", () => {
  const steps = fc.array(
    fc.record({
      gapMs: fc.oneof(fc.nat(20), fc.nat(60_000)),
      what: fc.constantFrom("sent", "taken", "throttled"),
      departedAgoMs: fc.nat(2000),
    }),
    { maxLength: 80 },
  );
  fc.assert(
    fc.property(steps, (some) => {
      const rate = createAdaptiveRate();
      let now = 0;
      for (const { gapMs, what, departedAgoMs } of some) {
        now += gapMs;
        if (what === "throttled") rate.throttled(Math.max(0, now - departedAgoMs), now);
        else rate[what as "sent" | "taken"](now);
        expect(rate.perSecond).toBeGreaterThan(least);
      }
    }),
    { numRuns: 300 },
  );
});
