import type { ProblemCode } from "../domain/row.ts";
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
    const number = Number(digits);
    if (!Number.isSafeInteger(number)) {
      return problem(
        "not_an_integer",
        "is too large for an exact number: map the column as text (type: string)",
      );
    }
    return value(number === 0 ? 0 : number);
  },

  number(cell: string): Coerced {
    const digits = cell.trim();
    if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(digits)) {
      return problem("not_a_number", "is not a number (digits with a point, such as 12.5)");
    }
    const number = Number(digits);
    return Number.isFinite(number)
      ? value(number)
      : problem("not_a_number", "is too large for a number");
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
    return inexactNumber(cell) === undefined
      ? value(parsed)
      : problem("not_json", `holds ${inexactNumber(cell)}, a number that would not stay exact`);
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

/** The first number of a JSON text that JavaScript could not give back as it was. */
function inexactNumber(json: string): string | undefined {
  const withoutTexts = json.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  const numbers = withoutTexts.match(/-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi) ?? [];
  return numbers.find((literal) => {
    const number = Number(literal);
    return /^-?\d+$/.test(literal) ? !Number.isSafeInteger(number) : !Number.isFinite(number);
  });
}

function value(json: Json): Coerced {
  return { kind: "value", value: json };
}

function problem(code: ProblemCode, message: string): Coerced {
  return { kind: "problem", code, message };
}
