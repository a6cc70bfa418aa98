import { z } from "zod";
import {
  dateFormatPattern,
  describeDateFormatProblem,
  maxFormatCharacters,
} from "./date-format.ts";
import {
  asWritten,
  exactlyOneOf,
  needed,
  nothingBeside,
  onlyWith,
  type Rule,
  text,
  withRules,
} from "./schema-parts.ts";
import { shownFormat } from "./value-schema.ts";

/** A condition on the cells of a row. */
export interface ConditionSpec {
  readonly column?: string | undefined;
  readonly in?: readonly string[] | undefined;
  readonly not_in?: readonly string[] | undefined;
  readonly equals?: string | { readonly column: string } | undefined;
  /** A day as `2024-05-31`, or a number. */
  readonly above?: string | number | undefined;
  readonly below?: string | number | undefined;
  readonly format?: string | readonly string[] | undefined;
  readonly decimal_separator?: "." | "," | undefined;
  readonly thousands_separator?: "." | "," | " " | "'" | undefined;
  readonly matches?: string | undefined;
  readonly blank?: boolean | undefined;
  readonly all?: readonly ConditionSpec[] | undefined;
  readonly any?: readonly ConditionSpec[] | undefined;
  readonly not?: ConditionSpec | undefined;
}

const texts = z.array(asWritten(z.string())).min(1, "is an empty list");
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

/** Keys that say how the cell is written, beside a bound of one type. */
function onlyBeside(type: "string" | "number", keys: readonly string[], instead: string): Rule {
  const ofType = { properties: { above: { type }, below: { type } } };
  return {
    // biome-ignore lint/suspicious/noThenProperty: that is what JSON Schema calls it
    schema: { allOf: keys.map((key) => ({ if: { required: [key] }, then: ofType })) },
    find({ above, below, ...given }) {
      const typeGiven = typeof (above ?? below);
      if (typeGiven === type || (typeGiven !== "string" && typeGiven !== "number")) return [];
      const what = typeGiven === "number" ? "a number" : "a day";
      return keys
        .filter((key) => Object.hasOwn(given, key))
        .map((key) => ({
          path: [key],
          part: "key" as const,
          message: `has no effect beside ${what}: remove it, or compare with ${instead}`,
        }));
    },
  };
}

const dateFormat = { type: "string", pattern: dateFormatPattern, maxLength: maxFormatCharacters };

const formatIsOfDate: Rule = {
  schema: {
    properties: { format: { anyOf: [dateFormat, { type: "array", items: dateFormat }] } },
  },
  find: ({ format }) =>
    [format].flat().flatMap((one) => {
      const why = typeof one === "string" ? describeDateFormatProblem(one) : undefined;
      return why === undefined ? [] : [{ path: ["format"], message: `${shownFormat(one)} ${why}` }];
    }),
};

const separatorsDiffer: Rule = {
  schema: {
    allOf: [".", ","].map((sign) => ({
      if: {
        properties: { thousands_separator: { const: sign } },
        required: ["thousands_separator"],
      },
      // biome-ignore lint/suspicious/noThenProperty: that is what JSON Schema calls it
      then: {
        properties: { decimal_separator: { const: sign === "." ? "," : "." } },
        ...(sign === "." ? { required: ["decimal_separator"] } : {}),
      },
    })),
  },
  find: ({ decimal_separator: point = ".", thousands_separator: between }) =>
    between === point
      ? [{ path: ["thousands_separator"], message: "is the decimal separator too: change one" }]
      : [],
};

export const condition: z.ZodType<ConditionSpec> = withRules(
  z.strictObject({
    column: text("the column to look at").optional(),
    in: texts.describe("the cell is one of these").optional(),
    not_in: texts.describe("the cell is none of these").optional(),
    equals: z
      .union([asWritten(z.string()), z.strictObject({ column: text("another column") })])
      .describe("the cell is this, or what another column has: `equals: { column: Other }`")
      .optional(),
    above: bound
      .describe(
        "the cell is more than this number, or later than this day: `above: 17`, `above: 2024-05-31`. The cell has to be a number with a point or a date as in ISO 8601, or as `decimal_separator` or `format` says, else the row is invalid. A blank cell is neither above nor below",
      )
      .optional(),
    below: bound.describe("the cell is less than this number, or earlier than this day").optional(),
    format: z
      .union([z.string(), z.array(z.string()).min(1, "is an empty list")])
      .describe(
        "beside a day: how the cell is written, as for `type: date`, with a year of four digits: `{ column: Since, format: dd.MM.yyyy, above: 2024-05-31 }`",
      )
      .optional(),
    decimal_separator: z
      .enum([".", ","])
      .describe("beside a number: `.` (default) or `,`, in the cell")
      .optional(),
    thousands_separator: z
      .enum([".", ",", " ", "'"])
      .describe("beside a number: what may separate groups of three digits in the cell")
      .optional(),
    matches: text(
      "a regular expression matches a part of the cell (for the whole cell, use `^` and `$`)",
    ).optional(),
    blank: z.boolean().describe("`true`: the cell is blank; `false`: it is not").optional(),
    get all() {
      return z
        .array(condition)
        .min(1, "is an empty list")
        .describe("all of these conditions are true")
        .optional();
    },
    get any() {
      return z
        .array(condition)
        .min(1, "is an empty list")
        .describe("at least one of these conditions is true")
        .optional();
    },
    get not() {
      return condition.optional().describe("this condition is false");
    },
  }),
  [
    exactlyOneOf([...cellTests, ...combinations]),
    ...cellTests.map((test) => needed(test, "column", "say whose cells are meant")),
    ...combinations.map((key) => nothingBeside(key, ["column"])),
    ...["format", "decimal_separator", "thousands_separator"].map((key) => onlyWith(key, bounds)),
    onlyBeside("string", ["format"], "a day such as 2024-05-31"),
    onlyBeside("number", ["decimal_separator", "thousands_separator"], "a number such as 12.5"),
    formatIsOfDate,
    separatorsDiffer,
  ],
  { id: "condition" },
) as z.ZodType<ConditionSpec>;
