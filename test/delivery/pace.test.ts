import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createPace, parseRate } from "../../src/delivery/pace.ts";
import { createStopSwitch } from "../../src/domain/stop.ts";
import { createFakeClock } from "../fake-clock.ts";

/** Lets attempts ask for their turn at given times; tells when each left. */
async function departures(ratePerSecond: number, arrivals: readonly number[]): Promise<number[]> {
  const clock = createFakeClock();
  const stop = createStopSwitch();
  const pace = createPace(clock, () => ratePerSecond);
  const left: number[] = [];
  const asked = arrivals.map(
    (at) =>
      new Promise<void>((resolve) => {
        clock.schedule(at, () => {
          const leave = () => {
            left.push(clock.now());
            resolve();
          };
          const turn = pace.turn(stop);
          if (turn === undefined) leave();
          else void turn.then(leave);
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
describe("the rate", () => {
  test("in any stretch of t seconds, at most rate * t + 1 leave", async () => {
    await fc.assert(
      fc.asyncProperty(rates, times, async (rate, arrivals) => {
        const left = await departures(rate, arrivals);
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

  test("that is lifted lets nobody overtake those who stand in line", async () => {
    const clock = createFakeClock();
    const stop = createStopSwitch();
    let perSecond = 1;
    const pace = createPace(clock, () => perSecond);
    await pace.turn(stop);
    const left: string[] = [];
    const inLine = pace.turn(stop)?.then(() => left.push("in line"));
    perSecond = Number.POSITIVE_INFINITY;
    await pace.turn(stop);
    left.push("late");
    await inLine;
    expect(left).toEqual(["in line", "late"]);
    expect(pace.turn(stop)).toBeUndefined();
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
    const pace = createPace(clock, () => 10);
    const left: number[] = [];
    const turns = Array.from({ length: 6 }, () =>
      pace.turn(stop)?.then(() => left.push(clock.now())),
    );
    await turns[0];
    clock.advance(1000);
    await Promise.all(turns);
    expect(left).toEqual([0, 1000, 1098, 1198, 1298, 1398]);
  });

  test("without one, everything leaves at once", async () => {
    expect(await departures(Number.POSITIVE_INFINITY, [0, 0, 0])).toEqual([0, 0, 0]);
  });
});

test("a rate that rises is made use of soon, and one that is gone at once", async () => {
  const clock = createFakeClock();
  const stop = createStopSwitch();
  let rate = 0.01;
  const pace = createPace(clock, () => rate);
  await pace.turn(stop);
  const second = pace.turn(stop);
  clock.schedule(2400, () => {
    rate = 1;
  });
  await second;
  expect(clock.now()).toBe(2500);
  rate = Number.POSITIVE_INFINITY;
  expect(pace.turn(stop)).toBeUndefined();
});

test("an attempt that may not leave any more leaves the line, and its place to the next", async () => {
  const clock = createFakeClock();
  const stop = createStopSwitch();
  const pace = createPace(clock, () => 0.5);
  await pace.turn(stop);
  let isWanted = true;
  const unwanted = Array.from({ length: 32 }, () => pace.turn(stop, () => isWanted));
  const probe = pace.turn(stop);
  clock.schedule(1000, () => {
    isWanted = false;
  });
  await Promise.all(unwanted);
  await probe;
  expect(clock.now()).toBe(2000);
});

test("a stop lets everything go at once", async () => {
  const clock = createFakeClock();
  const stop = createStopSwitch();
  const pace = createPace(clock, () => 0.001);
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
