import fc from "fast-check";
import { expect, test } from "vitest";
import { createSendingRate } from "../../src/delivery/sending-rate.ts";

/** Counts so many a second, evenly, for a while. */
function steadily(perSecond: number, seconds: number, from = 0, rate = createSendingRate()) {
  const count = Math.round(perSecond * seconds);
  for (let n = 1; n <= count; n++) rate.count(from + (n * 1000) / perSecond);
  return rate;
}

test("a steady rate is measured, but for one more or less in half a second", () => {
  const rates = fc.double({ min: 2, max: 3000, noNaN: true });
  fc.assert(
    fc.property(rates, fc.double({ min: 0, max: 1e8, noNaN: true }), (perSecond, from) => {
      const rate = steadily(perSecond, 10, from);
      const measured = rate.perSecond(from + 10_000);
      expect(Math.abs(measured - perSecond)).toBeLessThan(0.05 * perSecond + 2.5);
    }),
    { numRuns: 60 },
  );
});

test.each([0.1, 0.2, 0.5, 1])("%d a second is measured too", (perSecond) => {
  const rate = steadily(perSecond, 100);
  expect(rate.perSecond(100_000) / perSecond).toBeCloseTo(1, 1);
});

test("a rate that changes is the new one within three seconds", () => {
  for (const [before, after] of [
    [500, 50],
    [50, 500],
  ] as const) {
    const rate = steadily(before, 10);
    steadily(after, 3, 10_000, rate);
    expect(rate.perSecond(13_000) / after).toBeCloseTo(1, 1);
  }
});

test("silence lets it fall, further and further", () => {
  const rate = steadily(100, 10);
  const later = [2, 5, 30, 300].map((seconds) => rate.perSecond(10_000 + seconds * 1000));
  expect(later[0]).toBeLessThan(50);
  for (let n = 1; n < later.length; n++) expect(later[n]).toBeLessThan(later[n - 1] ?? 0);
  expect(later.at(-1)).toBeLessThan(1);
});

test("a handful that leaves at once is no high rate", () => {
  const rate = createSendingRate();
  for (let n = 0; n < 4; n++) rate.count(1000);
  expect(rate.perSecond(1000)).toBeLessThan(40);
});

test("at first it is measured over the time since the first one, whenever that was", () => {
  const rate = createSendingRate();
  for (let n = 0; n < 20; n++) rate.count(1_000_000 + n * 20);
  expect(rate.perSecond(1_000_400) / 50).toBeCloseTo(1, 1);
});

test("before anything is counted it is 0, and never less or without end", () => {
  expect(createSendingRate().perSecond(0)).toBe(0);
  expect(createSendingRate().perSecond(1e9)).toBe(0);
  const gaps = fc.array(fc.tuple(fc.oneof(fc.nat(3), fc.nat(20_000)), fc.boolean()));
  fc.assert(
    fc.property(gaps, (steps) => {
      const rate = createSendingRate();
      let now = 0;
      let counted = 0;
      for (const [gapMs, counts] of steps) {
        now += gapMs;
        if (counts) {
          rate.count(now);
          counted++;
        }
        const perSecond = rate.perSecond(now);
        expect(perSecond).toBeGreaterThanOrEqual(0);
        // Not even if all of them had left in the shortest time that anything is measured over.
        expect(perSecond).toBeLessThanOrEqual((counted * 1000) / 100);
      }
    }),
  );
});
