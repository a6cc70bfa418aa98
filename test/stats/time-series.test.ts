import fc from "fast-check";
import { expect, test } from "vitest";
import { sum } from "../../src/model/quantities.ts";
import type { TimeSeries } from "../../src/model/run-figures.ts";
import { createTimeSeries } from "../../src/stats/time-series.ts";

const createSeries = (from?: TimeSeries) => createTimeSeries(from, 100, 8);

test("however long it goes on, nothing is lost and it has no more buckets than it may have", () => {
  const moments = fc.array(fc.integer({ min: 0, max: 50_000 }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(moments, (unordered) => {
      const series = createSeries();
      for (const at of unordered) {
        const amounts = series.at(at);
        amounts.attempts++;
        amounts.longest_latency_ms = Math.max(amounts.longest_latency_ms, at);
      }
      const end = Math.max(...unordered);
      const copy = series.copy(end);
      expect(sum(copy.attempts)).toBe(unordered.length);
      expect(Math.max(...copy.longest_latency_ms)).toBe(end);
      expect(copy.attempts.length).toBe(Math.floor(end / copy.bucket_ms) + 1);
      expect(copy.attempts.length).toBeLessThanOrEqual(8);
      const inTheirBuckets = copy.attempts.map(
        (_, bucket) => unordered.filter((at) => Math.floor(at / copy.bucket_ms) === bucket).length,
      );
      expect(copy.attempts).toEqual(inTheirBuckets);
    }),
  );
});

test("a stretch of time is counted in full, in the buckets that it is in", () => {
  const stretches = fc.array(
    fc.record({ durationMs: fc.integer({ min: 0, max: 900 }), weight: fc.nat(5) }),
    { minLength: 1, maxLength: 30 },
  );
  fc.assert(
    fc.property(stretches, (all) => {
      const series = createSeries();
      let at = 0;
      for (const { durationMs, weight } of all) {
        series.spread(at, at + durationMs, (amounts, ms) => {
          amounts.in_flight_ms += ms * weight;
          amounts.allowed_ms += ms;
        });
        at += durationMs;
      }
      const copy = series.copy(at);
      const wanted = sum(all.map(({ durationMs, weight }) => durationMs * weight));
      expect(sum(copy.in_flight_ms)).toBe(wanted);
      copy.allowed_ms.forEach((ms, bucket) => {
        expect(ms).toBe(Math.min(copy.bucket_ms, Math.max(0, at - bucket * copy.bucket_ms)));
      });
    }),
  );
});

test("goes on behind what it was, as if it had never been interrupted", () => {
  const moments = fc.array(fc.integer({ min: 0, max: 5000 }), { minLength: 2, maxLength: 30 });
  fc.assert(
    fc.property(moments, fc.nat(30), (unordered, cut) => {
      const all = unordered.toSorted((one, other) => one - other);
      const whole = createSeries();
      for (const at of all) whole.at(at).succeeded++;
      const [before, after] = [all.slice(0, cut), all.slice(cut)];
      const first = createSeries();
      for (const at of before) first.at(at).succeeded++;
      const from: TimeSeries = first.copy(before.at(-1) ?? 0);
      const second = createSeries(from);
      for (const at of after) second.at(at).succeeded++;
      const end = all.at(-1) ?? 0;
      expect(second.copy(end)).toEqual(whole.copy(end));
    }),
  );
});
