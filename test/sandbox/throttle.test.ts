import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createThrottle } from "../../src/sandbox/throttle.ts";

const rates = fc.oneof(
  fc.integer({ min: 1, max: 500 }),
  fc.double({ min: 0.05, max: 500, noNaN: true }),
);
const gapsMs = fc.array(
  fc.oneof(fc.constant(0), fc.double({ min: 0, max: 20, noNaN: true }), fc.nat(5_000)),
  { minLength: 1, maxLength: 300 },
);

function timesOf(gaps: number[], startMs = 0): number[] {
  let nowMs = startMs;
  return gaps.map((gap) => {
    nowMs += gap;
    return nowMs;
  });
}

describe("laws of the throttle", () => {
  test("no window of length w grants more than rate * w + burst", () => {
    fc.assert(
      fc.property(rates, gapsMs, fc.nat(1e9), (rate, gaps, startMs) => {
        const throttle = createThrottle(rate);
        const granted = timesOf(gaps, startMs).filter((nowMs) => throttle(nowMs) === 0);
        const burst = Math.max(1, rate);

        for (let from = 0; from < granted.length; from++) {
          for (let to = from; to < granted.length; to++) {
            const windowS = (granted[to]! - granted[from]!) / 1000;
            const allowed = rate * windowS + burst;
            if (to - from + 1 > allowed + 1e-3) return false;
          }
        }
        return true;
      }),
    );
  });

  test("a wait is a whole number of seconds, at least 1, and long enough when obeyed", () => {
    fc.assert(
      fc.property(rates, gapsMs, (rate, gaps) => {
        const throttle = createThrottle(rate);
        let nowMs = 0;
        for (const gap of gaps) {
          nowMs += gap;
          const waitS = throttle(nowMs);
          if (waitS === 0) continue;
          expect(Number.isInteger(waitS)).toBe(true);
          expect(waitS).toBeGreaterThanOrEqual(1);
          nowMs += waitS * 1000;
          expect(throttle(nowMs)).toBe(0);
        }
      }),
    );
  });

  test("a wait is not longer than needed by a second or more", () => {
    fc.assert(
      fc.property(rates, gapsMs, (rate, gaps) => {
        const throttle = createThrottle(rate);
        for (const nowMs of timesOf(gaps)) {
          const waitS = throttle(nowMs);
          expect(waitS).toBeLessThan(1 / rate + 1);
        }
      }),
    );
  });
});

test("a clock that steps back earns nothing", () => {
  const throttle = createThrottle(1);
  expect(throttle(10_000)).toBe(0);
  expect(throttle(0)).toBe(1);
  expect(throttle(10_999)).toBe(1);
  expect(throttle(11_000)).toBe(0);
});
