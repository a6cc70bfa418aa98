import fc from "fast-check";
import { expect, test } from "vitest";
import { backoffMs } from "../../src/delivery/backoff.ts";

const inputs = fc.record({
  attempts: fc.integer({ min: 1, max: 5000 }),
  throttled: fc.boolean(),
  random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
});

test("is any wait up to a bound that doubles from 100 ms, or 500 ms, to 20 s", () => {
  fc.assert(
    fc.property(inputs, ({ attempts, throttled, random }) => {
      const bound = Math.min(20_000, (throttled ? 500 : 100) * 2 ** (attempts - 1));
      expect(backoffMs({ attempts, throttled, random })).toBeCloseTo(random * bound, 6);
      expect(backoffMs({ attempts, throttled, random: 0 })).toBe(0);
    }),
  );
});

test("grows with the attempts for the same chance, and never goes back", () => {
  fc.assert(
    fc.property(inputs, (input) => {
      const later = backoffMs({ ...input, attempts: input.attempts + 1 });
      expect(later).toBeGreaterThanOrEqual(backoffMs(input));
    }),
  );
});
