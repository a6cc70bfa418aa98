import { z } from "zod";
import { exactlyOneOf, nothingBeside, type Rule, withRules } from "./schema-rules.ts";
import { transform } from "./transform-schema.ts";
import { conversionKeys, conversionRules } from "./value-rules.ts";
import { conversion } from "./value-schema.ts";
import { asWritten, text, visibleText } from "./written-text.ts";

const metaNames = ["event_id", "row", "line", "input_name", "imported_at"] as const;

export const emptyPolicy = (description: string) =>
  asWritten(z.enum(["omit", "null", "keep"]).describe(description));

const json = z.json().meta({ id: "json" });
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const lookup = z.strictObject({
  file: text("a CSV file, seen from the mapping file's folder"),
  key: text("its column in which the cell is looked for"),
  value: text("its column that has what to take instead"),
});

/** Where a member's value comes from: exactly one of these. */
const cellSources = {
  column: text("the column").optional(),
  columns: z
    .array(text("a column"))
    .min(1, "is an empty list")
    .describe("a list of columns: the first that is not blank")
    .optional(),
  template: text(
    '`"{First Name} {Last Name}"`; `{{` is a brace; blank where all its columns are',
  ).optional(),
};
const sources = [...Object.keys(cellSources), "value", "meta"];
const cellKeys = {
  transform: transform.optional(),
  lookup: lookup
    .describe(
      "takes the text from a second CSV file instead, which is read once: `{ file: countries.csv, key: Name, value: Code }`; a cell that is not in it is invalid unless there is a `default`",
    )
    .optional(),
  values: z
    .record(z.string(), scalar)
    .describe(
      "what each cell becomes: `{ P: pro, F: free }`; space around a cell says nothing, and other cells are invalid unless there is a `default`",
    )
    .optional(),
  default: json
    .optional()
    .describe(
      "what a blank cell becomes, or one that is not among `values` or in the `lookup`: of the member's `type`, if that is given",
    ),
  required: z
    .boolean()
    .describe("`true`: a blank cell makes the row invalid; not beside `default` or `empty`")
    .optional(),
  empty: emptyPolicy("as for the file, for this member; not beside `default`").optional(),
};

/** A blank cell can become one thing only: its default, a problem, or what `empty` says. */
const blankBecomesOneThing: Rule = {
  schema: {
    allOf: [
      {
        not: { properties: { required: { const: true } }, required: ["default", "required"] },
      },
      { not: { required: ["default", "empty"] } },
      { not: { properties: { required: { const: true } }, required: ["empty", "required"] } },
    ],
  },
  find(given) {
    // Of these, every one of the keys has been reported.
    if (Object.hasOwn(given, "value") || Object.hasOwn(given, "meta")) return [];
    const isRequired = given.required === true;
    const hasDefault = Object.hasOwn(given, "default");
    const finding = (key: string, other: string) => ({
      path: [key],
      part: "key" as const,
      message: `has no effect beside ${other}, which says what becomes of a blank cell: remove one`,
    });
    return [
      ...(isRequired && hasDefault ? [finding("required", "default")] : []),
      ...(Object.hasOwn(given, "empty") && (isRequired || hasDefault)
        ? [finding("empty", hasDefault ? "default" : "required: true")]
        : []),
    ];
  },
};

export const member = withRules(
  z.strictObject({
    ...cellSources,
    value: json.optional().describe("the same for every row, any JSON"),
    meta: z
      .enum(metaNames)
      .describe(
        "`event_id`, `row`, `line`, `input_name` or `imported_at` (the time of the first attempt in this run)",
      )
      .optional(),
    ...cellKeys,
    ...conversion,
  }),
  [
    exactlyOneOf(sources),
    nothingBeside("values", conversionKeys, ", which say what the member becomes"),
    nothingBeside("values", ["lookup"]),
    ...["value", "meta"].map((source) =>
      nothingBeside(source, [...Object.keys(cellKeys), ...conversionKeys]),
    ),
    blankBecomesOneThing,
    ...conversionRules,
  ],
  { id: "member" },
);

export const eventName = withRules(
  z.strictObject({
    ...cellSources,
    value: visibleText("the same for every row").optional(),
    transform: transform.optional(),
    values: z
      .record(z.string(), visibleText("a kind of event"))
      .describe("the kind of event for each cell; others are invalid unless there is a `default`")
      .optional(),
    default: visibleText("for a cell that is blank or not among `values`").optional(),
  }),
  [
    exactlyOneOf([...Object.keys(cellSources), "value"]),
    nothingBeside("value", ["transform", "values", "default"]),
  ],
  { id: "eventName" },
);

export type MemberSpec = z.infer<typeof member>;
export type EventNameSpec = z.infer<typeof eventName>;
export type EmptyPolicy = z.infer<ReturnType<typeof emptyPolicy>>;
export type MetaName = (typeof metaNames)[number];
export type LookupSpec = z.infer<typeof lookup>;
