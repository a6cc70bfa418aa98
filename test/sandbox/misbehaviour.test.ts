import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createMisbehaviour,
  createThrottle,
  type Misbehaviour,
  mulberry32,
} from "../../src/sandbox/misbehaviour.ts";

function draw(count: number, failRate: number, resetRate: number, seed = 1): Misbehaviour[] {
  const misbehave = createMisbehaviour(failRate, resetRate, mulberry32(seed));
  return Array.from({ length: count }, misbehave);
}

const share = (fates: Misbehaviour[], test: (fate: Misbehaviour) => boolean) =>
  fates.filter(test).length / fates.length;

test("rates of 0 never misbehave and draw no numbers", () => {
  const misbehave = createMisbehaviour(0, 0, () => {
    throw new Error("drew a number");
  });
  expect(misbehave()).toEqual({ kind: "none" });
});

test("both rates are shares of all requests", () => {
  const fates = draw(100_000, 0.2, 0.1);
  expect(share(fates, ({ kind }) => kind === "fail")).toBeCloseTo(0.2, 2);
  expect(share(fates, ({ kind }) => kind === "reset")).toBeCloseTo(0.1, 2);
});

test("failures are of all four statuses alike, resets half and half", () => {
  const failures = draw(40_000, 1, 0);
  for (const status of [500, 502, 503, 504]) {
    const ofStatus = share(failures, (fate) => fate.kind === "fail" && fate.status === status);
    expect(ofStatus).toBeCloseTo(0.25, 1);
  }
  const accepting = share(draw(40_000, 0, 1), (fate) => fate.kind === "reset" && fate.accepting);
  expect(accepting).toBeCloseTo(0.5, 1);
});

test("the same seed gives the same sequence, another seed another one", () => {
  expect(draw(200, 0.3, 0.3, 5)).toEqual(draw(200, 0.3, 0.3, 5));
  expect(draw(200, 0.3, 0.3, 5)).not.toEqual(draw(200, 0.3, 0.3, 6));
});

test("a higher fail rate only adds failures", () => {
  const some = draw(1_000, 0.2, 0);
  const more = draw(1_000, 0.4, 0);
  some.forEach((fate, i) => {
    if (fate.kind === "fail") expect(more[i]).toEqual(fate);
  });
});

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

  test("requests spaced at the rate are never refused", () => {
    fc.assert(
      fc.property(rates, fc.integer({ min: 1, max: 500 }), (rate, count) => {
        const throttle = createThrottle(rate);
        for (let i = 0; i < count; i++) expect(throttle((i * 1000) / rate)).toBe(0);
      }),
    );
  });
});

test("a burst of the rate is granted, the next one waits a second", () => {
  const throttle = createThrottle(3);
  expect([0, 0, 0, 0].map(throttle)).toEqual([0, 0, 0, 1]);
});

test("a rate below one a second tells the wait for the next token", () => {
  const throttle = createThrottle(0.25);
  expect(throttle(0)).toBe(0);
  expect(throttle(0)).toBe(4);
  expect(throttle(2_500)).toBe(2);
  expect(throttle(3_999)).toBe(1);
  expect(throttle(4_000)).toBe(0);
});

test("a clock that steps back earns nothing", () => {
  const throttle = createThrottle(1);
  expect(throttle(10_000)).toBe(0);
  expect(throttle(0)).toBe(1);
  expect(throttle(10_999)).toBe(1);
  expect(throttle(11_000)).toBe(0);
});

test.each([
  [0, [0.26642920868471265, 0.0003297457005828619, 0.2232720274478197]],
  [1, [0.6270739405881613, 0.002735721180215478, 0.5274470399599522]],
  [42, [0.6011037519201636, 0.44829055899754167, 0.8524657934904099]],
])("seed %i gives the published numbers", (seed, expected) => {
  const random = mulberry32(seed);
  expect([random(), random(), random()]).toEqual(expected);
});

test("the numbers fill [0, 1) evenly", () => {
  const random = mulberry32(7);
  const perTenth = new Array<number>(10).fill(0);
  for (let i = 0; i < 100_000; i++) perTenth[Math.floor(random() * 10)]! += 1;

  for (const count of perTenth) expect(Math.abs(count - 10_000)).toBeLessThan(500);
});
