import fc from "fast-check";
import { expect, test } from "vitest";
import { createLatencies } from "../../src/stats/latencies.ts";

const latency = fc.double({ min: 0.1, max: 90_000, noNaN: true });

test("percentiles are within a hundredth of what they are", () => {
  fc.assert(
    fc.property(fc.array(latency, { minLength: 1, maxLength: 200 }), (all) => {
      const latencies = createLatencies();
      for (const one of all) latencies.add(one);
      const figures = latencies.figures();
      const sorted = all.toSorted((one, other) => one - other);
      for (const [name, share] of [
        ["p50_ms", 0.5],
        ["p95_ms", 0.95],
        ["p99_ms", 0.99],
      ] as const) {
        const exact = sorted[Math.ceil(all.length * share) - 1] ?? 0;
        expect(Math.abs(figures[name] - exact)).toBeLessThanOrEqual(0.1 + exact / 100);
      }
      expect(figures.answers).toBe(all.length);
      expect(figures.max_ms).toBeCloseTo(sorted.at(-1) ?? 0, 0);
      expect(figures.min_ms).toBeCloseTo(sorted[0] ?? 0, 0);
      expect(figures.p99_ms).toBeLessThanOrEqual(figures.max_ms);
    }),
  );
});

test("two parts of a run give one set of latencies", () => {
  const some = fc.array(latency, { maxLength: 50 });
  fc.assert(
    fc.property(some, some, (before, after) => {
      const whole = createLatencies();
      const first = createLatencies();
      for (const one of before) for (const all of [whole, first]) all.add(one);
      const second = createLatencies(first.figures());
      for (const one of after) for (const all of [whole, second]) all.add(one);
      const { mean_ms: joinedMean, ...joined } = second.figures();
      const { mean_ms: wholeMean, ...rest } = whole.figures();
      expect(joined).toEqual(rest);
      expect(joinedMean).toBeCloseTo(wholeMean, 1);
    }),
  );
});

test("what cannot be read of an earlier part is left out", () => {
  const latencies = createLatencies({
    ...createLatencies().figures(),
    histogram: "bent",
    max_ms: 9,
  });
  latencies.add(2);
  expect(latencies.figures()).toMatchObject({ answers: 1, max_ms: 2 });
});
