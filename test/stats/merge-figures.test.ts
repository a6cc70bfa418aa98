import fc from "fast-check";
import { expect, test } from "vitest";
import { sum } from "../../src/model/quantities.ts";
import { type RunFigures, seriesNames } from "../../src/model/run-figures.ts";
import { createLatencies } from "../../src/stats/latencies.ts";
import { mergeFigures } from "../../src/stats/merge-figures.ts";
import { createTimeSeries } from "../../src/stats/time-series.ts";

const noon = Date.parse("2026-11-22T12:00:00.000Z");
const iso = (ms: number) => new Date(noon + ms).toISOString();

/** A run that began so long after noon, with an attempt at each of these times. */
function run(
  beganMs: number,
  attemptsMs: readonly number[],
  parts: RunFigures["parts"] = [{ started_at: iso(beganMs), at_ms: 0 }],
): RunFigures {
  const series = createTimeSeries();
  const latencies = createLatencies();
  for (const at of attemptsMs) {
    const amounts = series.at(at);
    amounts.attempts++;
    amounts.longest_latency_ms = Math.max(amounts.longest_latency_ms, at / 10 + 1);
    latencies.add(at / 10 + 1);
  }
  const endMs = Math.max(0, ...attemptsMs);
  series.spread(0, endMs, (amounts, ms) => {
    amounts.in_flight_ms += ms;
  });
  return {
    parts,
    series: series.copy(endMs),
    latency: latencies.figures(),
    pauses: { count: 0, longest: [] },
    answers: [],
    kinds: [],
  };
}

test("counts add up exactly and stay whole, times add up, and the longest stays the longest", () => {
  const runs = fc.array(
    fc.record({
      began: fc.integer({ min: 0, max: 400_000 }),
      attempts: fc.array(fc.integer({ min: 0, max: 200_000 }), { maxLength: 30 }),
    }),
    { minLength: 1, maxLength: 6 },
  );
  fc.assert(
    fc.property(runs, (given) => {
      const all = given.map(({ began, attempts }) => run(began, attempts));
      const merged = mergeFigures(all) as RunFigures;
      const total = (of: (figures: RunFigures) => number) => sum(all.map(of));
      expect(sum(merged.series.attempts)).toBe(total(({ series }) => sum(series.attempts)));
      expect(merged.series.attempts.every(Number.isInteger)).toBe(true);
      const inFlight = total(({ series }) => sum(series.in_flight_ms));
      // Each bucket is rounded to a tenth.
      expect(Math.abs(sum(merged.series.in_flight_ms) - inFlight)).toBeLessThan(
        0.1 * merged.series.attempts.length,
      );
      expect(Math.max(...merged.series.longest_latency_ms)).toBe(
        Math.max(...all.flatMap(({ series }) => series.longest_latency_ms)),
      );
      expect(new Set(seriesNames.map((name) => merged.series[name].length)).size).toBe(1);
      expect(merged.series.attempts.length).toBeLessThanOrEqual(600);
      const began = Math.min(...given.map((one) => one.began));
      const ends = given.map((one) => one.began + Math.max(0, ...one.attempts));
      expect(merged.series.duration_ms).toBe(Math.max(...ends) - began);
      expect(merged.parts).toEqual([{ started_at: iso(began), at_ms: 0 }]);
    }),
  );
});

test("latencies are those of all answers together", () => {
  const all = [run(0, [10, 20, 5000]), run(70, []), run(300, [900, 40_000])];
  const whole = run(0, [10, 20, 5000, 900, 40_000]).latency;
  expect(mergeFigures(all)?.latency).toEqual(whole);
});

test("of a run that was resumed, the time between its parts is a time without anything", () => {
  const parts = [
    { started_at: iso(0), at_ms: 0 },
    { started_at: iso(60_000), at_ms: 500 },
  ];
  const merged = mergeFigures([run(0, [100, 700], parts), run(0, [30_000])]);
  expect(merged.series.attempts.flatMap((count, at) => (count > 0 ? [at] : []))).toEqual(
    [1, 300, 602].map((at) => Math.floor((at * 100) / (merged.series.bucket_ms ?? 1))),
  );
  expect(merged.series.duration_ms).toBe(60_200);
});

test("a pause of one of four is a quarter of the time, and the longest pauses are listed by the clock", () => {
  const pausing = (beganMs: number, at_ms: number, duration_ms: number): RunFigures => {
    const figures = run(beganMs, [1000]);
    const paused = figures.series.attempts.map((_, at) => (at === 3 ? 100 : 0));
    const pause = { at_ms, duration_ms, reason: "outage", message: "503" } as const;
    return {
      ...figures,
      series: { ...figures.series, paused_outage_ms: paused },
      pauses: { count: 1, longest: [pause] },
    };
  };
  const merged = mergeFigures([
    pausing(0, 300, 100),
    ...[0, 0, 200].map((beganMs) => run(beganMs, [1000])),
  ]);
  expect(merged.series.paused_outage_ms[3]).toBe(25);
  const two = mergeFigures([pausing(0, 300, 100), pausing(500, 300, 900)]);
  expect(two.pauses.count).toBe(2);
  expect(two.pauses.longest.map(({ at_ms }) => at_ms)).toEqual([800, 300]);
});
