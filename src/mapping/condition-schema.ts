import { z } from "zod";
import { compilePattern } from "./pattern.ts";
import {
  asWritten,
  checked,
  exactlyOneOf,
  nothingBeside,
  onlyWith,
  textKey,
  withRules,
} from "./schema-parts.ts";

export interface ConditionSpec {
  readonly column?: string | undefined;
  readonly in?: readonly string[] | undefined;
  readonly not_in?: readonly string[] | undefined;
  readonly equals?: string | { readonly column: string } | undefined;
  /** A day as `2024-05-31`, or a number. */
  readonly above?: string | number | undefined;
  readonly below?: string | number | undefined;
  readonly decimal_separator?: "." | "," | undefined;
  readonly matches?: string | undefined;
  readonly blank?: boolean | undefined;
  readonly all?: readonly ConditionSpec[] | undefined;
  readonly any?: readonly ConditionSpec[] | undefined;
  readonly not?: ConditionSpec | undefined;
}

export function patternText(description: string): z.ZodString {
  return checked(textKey(description), (given) => {
    const compiled = compilePattern(given);
    return compiled.kind === "problem" ? compiled.message : undefined;
  });
}

export const textList = z.array(asWritten(z.string())).min(1, "is an empty list");
const bound = z.union([
  z.number(),
  z
    .string()
    .regex(
      /^\d{4}-\d{2}-\d{2}$/,
      "is no day such as 2024-05-31; write a number without quotes, such as 12.5",
    ),
]);
const cellTests = ["in", "not_in", "equals", "above", "below", "matches", "blank"];
const combinations = ["all", "any", "not"];
const bounds = ["above", "below"];

export const condition: z.ZodType<ConditionSpec> = withRules(
  z.strictObject({
    column: textKey("the column to look at", "column").optional(),
    in: textList.describe("the cell is one of these").optional(),
    not_in: textList.describe("the cell is none of these").optional(),
    equals: z
      .union([
        asWritten(z.string()),
        z.strictObject({ column: textKey("another column", "column") }),
      ])
      .describe("the cell is this, or what another column has: `equals: { column: Other }`")
      .optional(),
    above: bound
      .describe(
        "the cell is more than this number, or later than this day: `above: 17`, `above: 2024-05-31`. The cell has to be a number with a point or a date as in ISO 8601, or as `decimal_separator` says, else the row is invalid. A blank cell is neither above nor below",
      )
      .optional(),
    below: bound.describe("the cell is less than this number, or earlier than this day").optional(),
    decimal_separator: z
      .enum([".", ","])
      .describe("beside a number: `.` (default) or `,`, in the cell")
      .optional(),
    matches: patternText(
      "a regular expression matches a part of the cell (for the whole cell, use `^` and `$`)",
    ).optional(),
    blank: z.boolean().describe("`true`: the cell is blank; `false`: it is not").optional(),
    get all() {
      return conditions("all of these conditions are true");
    },
    get any() {
      return conditions("at least one of these conditions is true");
    },
    get not() {
      return condition.optional().describe("this condition is false");
    },
  }),
  [
    exactlyOneOf([...cellTests, ...combinations]),
    (given) => {
      const test = cellTests.find((key) => given[key] !== undefined);
      if (test === undefined || given.column !== undefined) return [];
      return [{ message: `needs column beside ${test}: say whose cells are meant` }];
    },
    ...combinations.map((key) => nothingBeside(key, ["column"])),
    onlyWith("decimal_separator", bounds),
  ],
).meta({ id: "condition" }) as z.ZodType<ConditionSpec>;

function conditions(description: string) {
  return z.array(condition).min(1, "is an empty list").describe(description).optional();
}
