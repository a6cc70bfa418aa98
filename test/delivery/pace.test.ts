import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createPace, parseRate } from "../../src/delivery/pace.ts";
import { createStopSwitch } from "../../src/domain/stop.ts";
import { createFakeClock } from "../fake-clock.ts";

/** Lets attempts ask for their turn at given times, and pauses begin; tells when each left. */
async function departures(
  ratePerSecond: number | undefined,
  arrivals: readonly number[],
  pauses: readonly { at: number; durationMs: number }[] = [],
): Promise<number[]> {
  const clock = createFakeClock();
  const stop = createStopSwitch();
  const pace = createPace(clock, ratePerSecond);
  const left: number[] = [];
  for (const { at, durationMs } of pauses) clock.schedule(at, () => pace.pause(durationMs));
  const asked = arrivals.map(
    (at) =>
      new Promise<void>((resolve) => {
        clock.schedule(at, () => {
          void pace.turn(stop).then(() => {
            left.push(clock.now());
            resolve();
          });
        });
      }),
  );
  await Promise.all(asked);
  return left;
}

const rates = fc.oneof(
  fc.integer({ min: 1, max: 2000 }),
  fc.double({ min: 0.1, max: 50, noNaN: true }),
);
const times = fc.array(fc.oneof(fc.constant(0), fc.nat(3000)), { minLength: 1, maxLength: 40 });
const pauseLists = fc.array(fc.record({ at: fc.nat(3000), durationMs: fc.nat(5000) }), {
  maxLength: 4,
});

describe("the rate", () => {
  test("in any stretch of t seconds, at most rate * t + 1 leave", async () => {
    await fc.assert(
      fc.asyncProperty(rates, times, pauseLists, async (rate, arrivals, pauses) => {
        const left = await departures(rate, arrivals, pauses);
        expect(left).toHaveLength(arrivals.length);
        for (let from = 0; from < left.length; from++) {
          for (let to = from + 1; to < left.length; to++) {
            const seconds = (left[to]! - left[from]!) / 1000;
            expect(to - from + 1).toBeLessThanOrEqual(rate * seconds + 1 + 1e-6);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  test("is reached: nobody waits longer than those before make necessary", async () => {
    await fc.assert(
      fc.asyncProperty(rates, times, async (rate, arrivals) => {
        const left = await departures(rate, arrivals);
        let earliest = 0;
        const wanted = [...arrivals].sort((a, b) => a - b);
        for (const [at, asked] of wanted.entries()) {
          const due = Math.max(earliest, asked);
          expect(left[at]).toBeCloseTo(due, 6);
          earliest = due + 1000 / rate;
        }
      }),
      { numRuns: 40 },
    );
  });

  test("is not made up for in a burst when the whole process was held up", async () => {
    const clock = createFakeClock();
    const stop = createStopSwitch();
    const pace = createPace(clock, 10);
    const left: number[] = [];
    const turns = Array.from({ length: 6 }, () =>
      pace.turn(stop).then(() => left.push(clock.now())),
    );
    await turns[0];
    clock.advance(1000);
    await Promise.all(turns);
    expect(left).toEqual([0, 1000, 1098, 1198, 1298, 1398]);
  });

  test("without one, everything leaves at once", async () => {
    expect(await departures(undefined, [0, 0, 0])).toEqual([0, 0, 0]);
  });
});

describe("a pause", () => {
  test("holds back everything until it ends, and the longest counts", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.option(rates, { nil: undefined }),
        times,
        pauseLists,
        async (rate, arrivals, pauses) => {
          const left = await departures(rate, arrivals, pauses);
          for (const { at, durationMs } of pauses) {
            const during = left.filter((time) => time > at && time < at + durationMs - 1e-6);
            expect(during).toEqual([]);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test("is told, and a shorter one does not end it", () => {
    const clock = createFakeClock();
    const pace = createPace(clock, undefined);
    expect(pace.pausedForMs()).toBe(0);
    pace.pause(5000);
    pace.pause(1000);
    clock.advance(2000);
    expect(pace.pausedForMs()).toBe(3000);
    clock.advance(4000);
    expect(pace.pausedForMs()).toBe(0);
  });

  test("loses no turns: the rate goes on right after it", async () => {
    const left = await departures(1, Array(5).fill(0), [{ at: 500, durationMs: 10_000 }]);
    expect(left).toEqual([0, 10_500, 11_500, 12_500, 13_500]);
  });
});

test.each([undefined, 0.001])("a stop lets everything go at once (rate %s)", async (rate) => {
  const clock = createFakeClock();
  const stop = createStopSwitch();
  const pace = createPace(clock, rate);
  pace.pause(1e9);
  const turns = [pace.turn(stop), pace.turn(stop), pace.turn(stop)];
  stop.request({ code: "interrupted", message: "" });
  await Promise.all(turns);
  expect(clock.now()).toBe(0);
  expect(clock.waiting).toBe(0);
});

describe("a rate as it is written", () => {
  test.each([
    ["50/s", 50],
    ["3000/m", 50],
    ["1800/h", 0.5],
    [" 0.5/s ", 0.5],
  ])("%j", (text, perSecond) => {
    expect(parseRate(text)).toEqual({ kind: "rate", perSecond });
  });

  test.each(["", "50", "0/s", "-1/s", "50/d", "50/", "/s", "1e3/s", "fifty/s", "50 / s"])(
    "%j is none",
    (text) => {
      expect(parseRate(text)).toMatchObject({ kind: "problem" });
    },
  );
});
