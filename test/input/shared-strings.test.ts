import fc from "fast-check";
import { expect, it } from "vitest";
import { createSharedStrings } from "../../src/input/workbook/shared-strings.ts";

it("give back every text, and nothing for a number that none has", () => {
  const text = fc.oneof(
    { weight: 8, arbitrary: fc.string({ unit: "grapheme" }) },
    { weight: 1, arbitrary: fc.constantFrom("é".repeat(50_000), "") },
  );
  fc.assert(
    fc.property(fc.array(text, { maxLength: 40 }), (texts) => {
      const strings = createSharedStrings();
      for (const one of texts) strings.add(one);
      expect(texts.map((_, at) => strings.get(at))).toEqual(texts);
      expect([-1, texts.length, Number.NaN].map(strings.get)).toEqual(Array(3).fill(undefined));
    }),
    { numRuns: 30 },
  );
});

it("take the bytes of their texts and little more", () => {
  const before = process.memoryUsage();
  const strings = createSharedStrings();
  for (let at = 0; at < 300_000; at++) strings.add(String(at).padEnd(20, "."));
  const after = process.memoryUsage();
  const added = after.arrayBuffers - before.arrayBuffers + (after.heapUsed - before.heapUsed);
  expect(added).toBeLessThan(60 * 1024 * 1024);
  for (let at = 0; at < 300_000; at += 997) {
    expect(strings.get(at)?.startsWith(`${at}.`)).toBe(true);
  }
});
