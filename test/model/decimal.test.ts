import fc from "fast-check";
import { expect, test } from "vitest";
import { plainDecimal, withoutExponent } from "../../src/model/decimal.ts";

test.each([
  ["+01.50", "1.5"],
  ["-0012", "-12"],
  ["-0.0", "0"],
  [".5", "0.5"],
  ["5.", "5"],
  ["", undefined],
  [".", undefined],
  ["1e5", undefined],
  ["1,5", undefined],
])("%j is %j, whoever wrote it", (text, plain) => {
  expect(plainDecimal(text)).toBe(plain);
});

test("a number without an exponent is the same number", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
      const text = withoutExponent(number);
      expect(text).toMatch(/^-?\d+(\.\d+)?$/);
      expect(Number(text)).toBe(number === 0 ? 0 : number);
    }),
  );
});
