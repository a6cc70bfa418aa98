import type { ProblemCode } from "../domain/row.ts";
import { isExactNumber } from "./exact-number.ts";
import type { MemberType } from "./schema.ts";

/** A value as JSON has it. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

export type Coerced =
  | { readonly kind: "value"; readonly value: Json }
  | { readonly kind: "problem"; readonly code: ProblemCode; readonly message: string };

/** Makes a value of a cell that is not blank. Space around anything but text is left out. */
export const coerce = {
  string: (cell: string): Coerced => value(cell),

  integer(cell: string): Coerced {
    const digits = cell.trim();
    if (!/^[+-]?\d+$/.test(digits)) return problem("not_an_integer", "is not a whole number");
    return isExactNumber(digits)
      ? value(Number(digits))
      : problem("not_an_integer", `is too large for an exact number: ${asText}`);
  },

  number(cell: string): Coerced {
    const digits = cell.trim();
    if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(digits)) {
      return problem("not_a_number", "is not a number (digits with a point, such as 12.5)");
    }
    return isExactNumber(digits)
      ? value(Number(digits))
      : problem("not_a_number", `is too large or too small for an exact number: ${asText}`);
  },

  boolean(cell: string): Coerced {
    const truth = truths.get(cell.trim().toLowerCase());
    return truth === undefined
      ? problem("not_a_boolean", `is not one of ${[...truths.keys()].join(", ")}`)
      : value(truth);
  },

  json(cell: string): Coerced {
    let parsed: Json;
    try {
      parsed = JSON.parse(cell) as Json;
    } catch (error) {
      return problem("not_json", `is not JSON: ${error instanceof Error ? error.message : error}`);
    }
    const withoutTexts = cell.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
    const inexact = withoutTexts.match(jsonNumbers)?.find((literal) => !isExactNumber(literal));
    if (inexact !== undefined) {
      return problem("not_json", `holds ${inexact}, a number that would not stay exact`);
    }
    return isDeeperThan(maxDepth, withoutTexts)
      ? problem("not_json", `is nested deeper than ${maxDepth} levels`)
      : value(parsed);
  },
} satisfies Record<MemberType, (cell: string) => Coerced>;

const truths = new Map([
  ["true", true],
  ["false", false],
  ["yes", true],
  ["no", false],
  ["y", true],
  ["n", false],
  ["1", true],
  ["0", false],
]);

const asText = "map the column as text (type: string)";
const jsonNumbers = /-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;

/** JSON.stringify runs out of stack some thousand levels down, where JSON.parse does not. */
const maxDepth = 500;

function isDeeperThan(limit: number, jsonWithoutTexts: string): boolean {
  let depth = 0;
  for (const [bracket] of jsonWithoutTexts.matchAll(/[[\]{}]/g)) {
    depth += bracket === "[" || bracket === "{" ? 1 : -1;
    if (depth > limit) return true;
  }
  return false;
}

function value(json: Json): Coerced {
  return { kind: "value", value: json };
}

function problem(code: ProblemCode, message: string): Coerced {
  return { kind: "problem", code, message };
}
