import type { Json } from "../model/event.ts";
import { type ProblemCode, quote } from "../model/row.ts";
import { trimmed } from "./columns.ts";
import { canonicalDecimal, isExactNumber, isNumber } from "./numbers.ts";

/** The result of a conversion. */
export type Coerced =
  | { readonly kind: "value"; readonly value: Json }
  /** It holds nothing but separators. */
  | { readonly kind: "blank" }
  | { readonly kind: "problem"; readonly code: ProblemCode; readonly message: string };

/** Converts a text that is not blank to a value. */
export type Coerce = (text: string) => Coerced;

export function valued(value: Json): Coerced {
  return { kind: "value", value };
}

export function refused(code: ProblemCode, message: string): Coerced {
  return { kind: "problem", code, message };
}

const asText = "map the column as text (type: string)";

/** Rewrites a number from the file's notation to JSON's; undefined if it cannot. */
export type Plain = (text: string) => string | undefined;

/** How a file writes numbers. */
export interface Written {
  readonly plain: Plain;
  /** What is wrong with a cell that is none. */
  whyNot(cell: string, noun: string): string;
}

/** @param describe what is wrong with a cell, whose digits are no whole number */
export function toInteger(
  plain: Plain,
  describe = (_cell: string, _digits: string) => "is not a whole number",
): Coerce {
  return (cell) => {
    const digits = plain(trimmed(cell)) ?? "";
    if (!/^[+-]?\d+$/.test(digits)) return refused("not_an_integer", describe(cell, digits));
    return isExactNumber(digits)
      ? valued(Number(digits))
      : refused("not_an_integer", `is too large for an exact number: ${asText}`);
  };
}

export function toNumber({ plain, whyNot }: Written): Coerce {
  return (cell) => {
    const digits = plain(trimmed(cell)) ?? "";
    if (!isNumber(digits)) return refused("not_a_number", whyNot(cell, "number"));
    return isExactNumber(digits)
      ? valued(Number(digits))
      : refused("not_a_number", `${whyInexact(digits)}: use type: decimal, or ${asText}`);
  };
}

/** The form of numbers, for messages. */
export function formOfNumbers(decimalSeparator: "." | ","): string {
  return decimalSeparator === ","
    ? "digits with a comma, such as 12,5"
    : "digits with a point, such as 12.5";
}

/** Half of the world writes a decimal comma. */
export function orComma(cell: string): string {
  const isLikely = /^[+-]?[\d. ]*\d,\d+$/.test(cell.trim());
  return isLikely ? '; if the comma is the decimal one, add decimal_separator: ","' : "";
}

/** Why JavaScript would change a number. */
function whyInexact(digits: string): string {
  const number = Math.abs(Number(digits));
  const [mantissa = ""] = digits.toLowerCase().split("e");
  const isTooSmall = number < minExact && /[1-9]/.test(mantissa);
  if (number > Number.MAX_SAFE_INTEGER || isTooSmall) {
    return `is too ${isTooSmall ? "small" : "large"} for an exact number`;
  }
  return "has more digits than an exact number can have";
}

/** Smaller numbers lose digits. */
const minExact = 2.3e-308;

/** Converts to a number as text, with every digit. */
export function toDecimal({ plain, whyNot }: Written): Coerce {
  return (cell) => {
    const decimal = canonicalDecimal(plain(trimmed(cell)) ?? "");
    return decimal === undefined
      ? refused("not_a_decimal", whyNot(cell, "decimal number"))
      : valued(decimal);
  };
}

const usualTrue = ["true", "yes", "y", "1"];
const usualFalse = ["false", "no", "n", "0"];
const usualOrder = ["true", "false", "yes", "no", "y", "n", "1", "0"];

export function toBoolean(
  trueValues: readonly string[] = usualTrue,
  falseValues: readonly string[] = usualFalse,
): Coerce {
  const given = [...trueValues, ...falseValues];
  const shown = trueValues === usualTrue ? usualOrder.join(", ") : firstOf(given);
  const truths = new Map([
    ...trueValues.map((text): [string, boolean] => [plainWord(text), true]),
    ...falseValues.map((text): [string, boolean] => [plainWord(text), false]),
  ]);
  return (cell) => {
    const truth = truths.get(plainWord(cell));
    return truth === undefined ? refused("not_a_boolean", `is not one of ${shown}`) : valued(truth);
  };
}

/** The first of the values that are allowed, for messages. */
export function firstOf(values: readonly string[]): string {
  const first = values.slice(0, maxShownValues).map(quote).join(", ");
  return values.length > maxShownValues ? `${first}, …` : first;
}

const maxShownValues = 10;

/** A word for true or false as it is compared: case and surrounding space do not matter. */
export function plainWord(text: string): string {
  return trimmed(text).toLowerCase();
}

export function toJson(cell: string): Coerced {
  let parsed: Json;
  try {
    parsed = JSON.parse(cell) as Json;
  } catch (error) {
    return refused("not_json", `is not JSON: ${error instanceof Error ? error.message : error}`);
  }
  const withoutTexts = cell.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  const inexact = withoutTexts.match(jsonNumbers)?.find((literal) => !isExactNumber(literal));
  if (inexact !== undefined) {
    return refused("not_json", `holds ${inexact}, a number that would not stay exact`);
  }
  return isDeeperThan(maxDepth, withoutTexts)
    ? refused("not_json", `is nested deeper than ${maxDepth} levels`)
    : valued(parsed);
}

const jsonNumbers = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;

/** JSON.stringify overflows the stack at some thousand levels; JSON.parse does not. */
const maxDepth = 500;

function isDeeperThan(limit: number, jsonWithoutTexts: string): boolean {
  let depth = 0;
  for (const [bracket] of jsonWithoutTexts.matchAll(/[[\]{}]/g)) {
    depth += bracket === "[" || bracket === "{" ? 1 : -1;
    if (depth > limit) return true;
  }
  return false;
}
