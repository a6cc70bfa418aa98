import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalDecimal, compileScale, plainNumber } from "../../src/mapping/numbers.ts";

const anyDigits = fc.stringMatching(/^\d{1,60}$/);
const anyDecimal = fc
  .tuple(fc.constantFrom("", "-"), anyDigits, fc.option(anyDigits))
  .map(([sign, whole, fraction]) => sign + whole + (fraction === null ? "" : `.${fraction}`));
/** Factors that JavaScript holds with every digit. */
const anyFactor = fc
  .tuple(fc.integer({ min: -99_999, max: 99_999 }), fc.nat(9))
  .filter(([units]) => units !== 0)
  .map(([units, places]) => Number(`${units}e${-places}`));

test.each([
  [",", "12,345.6", "12345.6"],
  [",", "1,234,567", "1234567"],
  [",", "12,34", undefined],
  [",", "1,234,56", undefined],
  [",", "1,2345", undefined],
  [",", "0,500", undefined],
  [",", "1234,567", undefined],
  ["'", "12\u2019345.6", "12345.6"],
  ["'", "12'34", undefined],
  ["'", "0\u2019500", undefined],
  [" ", "1\u00a0234", "1234"],
  [" ", "12 34", undefined],
  [" ", "+0\u00a0500", undefined],
] as const)("with %j between thousands, %j is %j", (thousandsSeparator, text, plain) => {
  expect(plainNumber({ decimalSeparator: ".", thousandsSeparator })(text)).toBe(plain);
});

test("with a point between thousands, 12.34 is never 1234", () => {
  const read = plainNumber({ decimalSeparator: ",", thousandsSeparator: "." });
  expect(["1.234,5", "12.34", "0.500", "-0.250"].map(read)).toEqual(["1234.5", ...Array(3)]);
});

/** A decimal as units of a power of ten. */
function fractionOf(decimal: string): { readonly units: bigint; readonly places: number } {
  const [mantissa = "", power = "0"] = decimal.split("e");
  const [, fraction = ""] = mantissa.split(".");
  return { units: BigInt(mantissa.replace(".", "")), places: fraction.length - Number(power) };
}

test("scale is exactly what multiplied fractions give", () => {
  fc.assert(
    fc.property(anyDecimal, anyFactor, (decimal, factor) => {
      const scaled = compileScale(factor)(decimal);
      expect(canonicalDecimal(scaled)).toBe(scaled);
      const [given, by] = [fractionOf(decimal), fractionOf(String(factor))];
      const { units, places } = fractionOf(scaled);
      const expected = given.units * by.units * 10n ** BigInt(places);
      expect([scaled, units * 10n ** BigInt(given.places + by.places)]).toEqual([scaled, expected]);
    }),
  );
});
