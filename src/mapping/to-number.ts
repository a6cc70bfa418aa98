import { withoutExponent } from "../model/decimal.ts";
import { type Coerce, refused, valued } from "./coerce.ts";
import { trimmed } from "./columns.ts";
import { canonicalDecimal, compileScale, isExactNumber, isNumber, plainNumber } from "./numbers.ts";
import type { ConversionSpec } from "./value-schema.ts";

/**
 * Converts numbers as the file writes them, multiplied by `scale` if there is one: `integer` and `number` to
 * numbers that JavaScript does not change, `decimal` to text with every digit.
 */
export function toNumber(spec: ConversionSpec): Coerce {
  const { type, scale, thousands_separator: thousandsSeparator } = spec;
  // An integer needs no sign before a fraction, so a point can separate thousands.
  const isPointTaken = type === "integer" && thousandsSeparator === ".";
  const decimalSeparator = spec.decimal_separator ?? (isPointTaken ? "," : ".");
  const plain = plainNumber({ decimalSeparator, thousandsSeparator });
  const multiply = scale === undefined ? undefined : compileScale(scale);
  const mayBeComma = decimalSeparator === "." && thousandsSeparator !== ",";
  const form = formOfNumbers(decimalSeparator);
  const whyNot = (cell: string, noun: string) =>
    `is not a ${noun} (${form})${mayBeComma ? orComma(cell) : ""}`;

  /** What is no decimal is refused as it is. */
  const scaled = (digits: string): string => {
    if (multiply === undefined) return digits;
    const isWithExponent = type === "number" && /^[+-]?[\d.]+e[+-]?\d+$/i.test(digits);
    const decimal = canonicalDecimal(
      isWithExponent && isExactNumber(digits) ? withoutExponent(Number(digits)) : digits,
    );
    return decimal === undefined ? digits : multiply(decimal);
  };
  return (cell) => {
    const digits = scaled(plain(trimmed(cell)) ?? "");
    if (type === "decimal") {
      const decimal = canonicalDecimal(digits);
      return decimal === undefined
        ? refused("not_a_decimal", whyNot(cell, "decimal number"))
        : valued(decimal);
    }
    if (type === "number") {
      if (!isNumber(digits)) return refused("not_a_number", whyNot(cell, "number"));
      return isExactNumber(digits)
        ? valued(Number(digits))
        : refused("not_a_number", `${inexact}: use type: decimal, or ${asText}`);
    }
    const whole = scale === undefined ? digits : digits.replace(/^([+-]?\d+)\.0+$/, "$1");
    if (/^[+-]?\d+$/.test(whole)) {
      return isExactNumber(whole)
        ? valued(Number(whole))
        : refused("not_an_integer", `${inexact}: ${asText}`);
    }
    if (scale === undefined) return refused("not_an_integer", "is not a whole number");
    const isNone = canonicalDecimal(digits) === undefined;
    const why = `is not a whole number when multiplied by ${scale}`;
    return refused("not_an_integer", isNone ? whyNot(cell, "number") : why);
  };
}

const inexact = "is too large, too small or too long for an exact number";
const asText = "map the column as text (type: string)";

/** The form of numbers, for messages. */
export function formOfNumbers(decimalSeparator: "." | ","): string {
  return decimalSeparator === ","
    ? "digits with a comma, such as 12,5"
    : "digits with a point, such as 12.5";
}

/** Half of the world writes a decimal comma. */
function orComma(cell: string): string {
  const isLikely = /^[+-]?[\d. ]*\d,\d+$/.test(cell.trim());
  return isLikely ? '; if the comma is the decimal one, add decimal_separator: ","' : "";
}
