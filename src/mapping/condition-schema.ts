import { z } from "zod";
import { asWritten, exactlyOneOf, needed, nothingBeside, text, withRules } from "./schema-parts.ts";

/** A condition on the cells of a row. */
export interface ConditionSpec {
  readonly column?: string | undefined;
  readonly in?: readonly string[] | undefined;
  readonly not_in?: readonly string[] | undefined;
  readonly equals?: string | undefined;
  readonly matches?: string | undefined;
  readonly blank?: boolean | undefined;
  readonly all?: readonly ConditionSpec[] | undefined;
  readonly any?: readonly ConditionSpec[] | undefined;
  readonly not?: ConditionSpec | undefined;
}

const texts = z.array(asWritten(z.string())).min(1, "is an empty list");
const cellTests = ["in", "not_in", "equals", "matches", "blank"];
const combinations = ["all", "any", "not"];

export const condition: z.ZodType<ConditionSpec> = withRules(
  z.strictObject({
    column: text("the column to look at").optional(),
    in: texts.describe("the cell is one of these").optional(),
    not_in: texts.describe("the cell is none of these").optional(),
    equals: asWritten(z.string().describe("the cell is this")).optional(),
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
  ],
  { id: "condition" },
) as z.ZodType<ConditionSpec>;
