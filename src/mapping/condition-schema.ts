import { z } from "zod";
import { exactlyOneOf, needed, nothingBeside, withRules } from "./schema-rules.ts";
import { asWritten, text } from "./written-text.ts";

/** When something is to happen. */
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
    column: text("the column whose cells decide").optional(),
    in: texts.describe("its cell is one of these").optional(),
    not_in: texts.describe("its cell is none of these").optional(),
    equals: asWritten(z.string().describe("its cell is this")).optional(),
    matches: text(
      "a regular expression matches somewhere in its cell (`^` and `$` for the whole)",
    ).optional(),
    blank: z.boolean().describe("`true`: its cell is blank; `false`: it is not").optional(),
    get all() {
      return z
        .array(condition)
        .min(1, "is an empty list")
        .describe("all of these conditions hold")
        .optional();
    },
    get any() {
      return z
        .array(condition)
        .min(1, "is an empty list")
        .describe("at least one of these conditions holds")
        .optional();
    },
    get not() {
      return condition.optional().describe("this condition does not hold");
    },
  }),
  [
    exactlyOneOf([...cellTests, ...combinations]),
    ...cellTests.map((test) => needed(test, "column", "say whose cells are meant")),
    ...combinations.map((key) => nothingBeside(key, ["column"])),
  ],
  { id: "condition" },
) as z.ZodType<ConditionSpec>;
