import { z } from "zod";
import { withRules } from "./schema-rules.ts";
import { transform } from "./transform-schema.ts";
import { itemRules, memberTypes } from "./value-rules.ts";
import { asWritten, text } from "./written-text.ts";

/** What becomes of a text: types and checks, for members and the items of lists. */

const itemTypes = [
  "string",
  "integer",
  "number",
  "decimal",
  "boolean",
  "date",
  "datetime",
] as const;

const length = z
  .int({
    abort: true,
    error: ({ code }) =>
      code === "too_big"
        ? "is more than any text has: write a smaller number, or leave this out"
        : undefined,
  })
  .min(0, "has to be 0 or more");
const texts = z.array(asWritten(z.string())).min(1, "is an empty list");

/** Options that say something for some types only. */
const checks = {
  format: z
    .union([z.string(), z.array(z.string()).min(1, "is an empty list")])
    .describe(
      "for `date` and `datetime`: how it is written, such as `dd/MM/yyyy HH:mm` ([luxon's letters](https://moment.github.io/luxon/#/parsing?id=table-of-tokens); names of months in English), `excel_serial`, `iso` (the default), `X` (seconds since 1970), `x` (milliseconds), or a list to try in turn. A year of two digits (`yy`) is one from 1961 to 2060, or, of a member or column called like a birthday, the latest that makes no date after the run. For text: `email`, `url`, `uuid` or `iso-country`",
    ),
  timezone: text(
    "for `datetime`: where a time without an offset is meant, such as `Europe/Amsterdam` (an `excel_serial` never has one); default `UTC`",
  ),
  decimal_separator: z
    .enum([".", ","])
    .describe("for `number` and `decimal`: `.` (default) or `,`"),
  thousands_separator: z
    .enum([".", ",", " ", "'"])
    .describe(
      "for numbers: what may stand between groups of three digits: `.`, `,`, `'` or a space",
    ),
  as: z.enum(["text", "number"]).describe("for `decimal`: `text` (default, exact) or `number`"),
  true_values: texts.describe(
    "for `boolean`: cells that mean true, upper or lower case; with `false_values`",
  ),
  false_values: texts.describe("for `boolean`: cells that mean false"),
  pattern: text(
    "for text: a regular expression that has to match somewhere in it (`^` and `$` for the whole); without look-around and back-references, so that none can hang",
  ),
  min: z.number().describe("for numbers: the least; a `decimal` is compared with every digit"),
  max: z.number().describe("for numbers: the most"),
  min_length: length.describe("for text: characters at least"),
  max_length: length.describe("for text: characters at most"),
  one_of: texts.describe(
    "for text and numbers: the values that are allowed; of numbers, `1.0` is `1`, whatever the cell looks like",
  ),
};

const optional = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  Object.fromEntries(
    Object.entries(shape).map(([key, schema]) => [key, (schema as z.ZodType).optional()]),
  ) as { [Key in keyof Shape]: z.ZodOptional<Shape[Key]> };

const items = withRules(
  z.strictObject({
    type: z.enum(itemTypes).describe("what each item becomes; default `string`").optional(),
    transform: transform.optional(),
    ...optional(checks),
  }),
  itemRules,
);

/** Keys that say how a text becomes a value. */
export const conversion = {
  type: z
    .enum(memberTypes)
    .describe(
      "`string` (default), `integer`, `number`, `decimal` (exact, as text), `boolean` (true, false, yes, no, y, n, 1, 0), `date` (becomes `2024-05-01`), `datetime` (becomes `2024-05-01T12:30:00.000Z`), `list`, `json`",
    )
    .optional(),
  ...optional(checks),
  separator: text("for `list`: what stands between the items").optional(),
  items: items
    .optional()
    .describe(
      "for `list`: `type`, `transform` and checks of the items; space around them is left out, and so are blank ones and those of `null_values`. A list without items is a blank cell",
    ),
};

/** How a text becomes a value, as a mapping says it. */
export type ConversionSpec = {
  [Key in keyof typeof conversion]?: z.infer<(typeof conversion)[Key]>;
};
