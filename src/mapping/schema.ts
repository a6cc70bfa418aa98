import { z } from "zod";
import { resources } from "../model/event.ts";
import { keyFailureWords, type OnKeyFailure } from "../model/key-failure.ts";
import { memberNamePattern } from "./member-path.ts";
import {
  asWritten,
  exactlyOneOf,
  isAsWritten,
  isNullWritten,
  needed,
  nothingBeside,
  onlyWith,
  onlyWithOneOf,
  type Rule,
  text,
  visibleText,
  withRules,
} from "./schema-parts.ts";
import { conversion, conversionKeys, conversionRules, transform } from "./value-schema.ts";

/** The form of a mapping file: types, validation, messages and the JSON Schema come from here. */

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

const condition: z.ZodType<ConditionSpec> = withRules(
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
      "takes the text from a second CSV file instead, which is read once: `{ file: countries.csv, key: Name, value: Code }`; a cell that is not in it is invalid, unless `otherwise` says what it becomes",
    )
    .optional(),
  map: z
    .record(z.string(), scalar)
    .describe(
      "what each cell becomes: `{ P: pro, F: free }`; space around a cell is ignored, and other cells are invalid, unless `otherwise` says what they become",
    )
    .optional(),
  otherwise: json
    .optional()
    .describe(
      "what a cell becomes that is not in `map` or in the `lookup`: of the member's `type`, if that is given. For blank cells see `default`",
    ),
  default: json
    .optional()
    .describe("what a blank cell becomes: of the member's `type`, if that is given"),
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
    nothingBeside("map", conversionKeys, ", which say what the member becomes"),
    nothingBeside("map", ["lookup"]),
    onlyWithOneOf("otherwise", ["map", "lookup"]),
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
    map: z
      .record(z.string(), visibleText("a kind of event"))
      .describe("the kind of event for each cell; others are invalid, unless there is `otherwise`")
      .optional(),
    otherwise: visibleText("the kind of event for a cell that is not in `map`").optional(),
    default: visibleText("the kind of event for a blank cell").optional(),
  }),
  [
    exactlyOneOf([...Object.keys(cellSources), "value"]),
    nothingBeside("value", ["transform", "map", "otherwise", "default"]),
    onlyWithOneOf("otherwise", ["map"]),
  ],
  { id: "eventName" },
);

export type MemberSpec = z.infer<typeof member>;
export type EventNameSpec = z.infer<typeof eventName>;
export type EmptyPolicy = z.infer<ReturnType<typeof emptyPolicy>>;
export type MetaName = (typeof metaNames)[number];
export type LookupSpec = z.infer<typeof lookup>;

const resource = z.enum(resources).describe("`users` or `contacts`");
const when = condition
  .optional()
  .describe(
    "leaves out rows for which it does not hold: `{ column: Status, in: [a, b] }`, `not_in`, `equals`, `matches`, `blank: true`, or several by `all`, `any` and `not`",
  );

const block = {
  event: z
    .union([visibleText("the kind of event"), eventName])
    .describe(
      "the kind of event: a text, or where it comes from: `{ column: Action, map: { A: contact.created }, otherwise: contact.updated }`; also `columns`, `template`, `value`, `transform`",
    ),
  when: when,
  members: z
    .record(z.string(), z.union([text("a column"), member]))
    .meta({ propertyNames: { pattern: memberNamePattern } })
    .describe(
      "what the body holds; `a.b` is the member `b` of the object `a`, `a[0].b` is that of the first item of the list `a`, and `a\\.b` is a name with a dot. Items of a list that have nothing in them are left out",
    ),
};

const file = {
  $schema: z.string().describe("where the JSON Schema is, for editors").optional(),
  version: z.literal(1).describe("`1`"),
  ordering_key: z
    .array(text("a column"))
    .min(1, "is an empty list")
    .describe(
      "columns; rows with the same cells in them are sent one after another, in file order. Rows in which all of them are blank are sent in any order",
    )
    .optional(),
  on_key_failure: z
    .enum(keyFailureWords)
    .describe(
      "what follows an event that did not succeed, for the later ones of its key. Not given: after `failed` and `unknown` they are `blocked`, since a retry would bring them out of order; after `rejected` and `invalid` the key continues. `block`: they are blocked after these too. `continue`: none is ever blocked",
    )
    .optional(),
  empty: emptyPolicy(
    "what a blank cell becomes: `omit` (default) leaves the member out, `null`, or `keep`",
  ).optional(),
  null_values: z
    .array(asWritten(z.string()))
    .min(1, "is an empty list")
    .describe(
      'cells that count as blank, such as `[NULL, N/A, "-"]`; items of lists too, but not what a `lookup` gives: there NA may be Namibia',
    )
    .optional(),
};

const orderRule = onlyWith("on_key_failure", "ordering_key");

/** A mapping file in which a row gives one event. */
export const singleEventFile = withRules(
  z.strictObject({ ...file, resource, ...block }),
  [orderRule],
  { description: "A row gives one event." },
);

const hasResource = (value: unknown) =>
  typeof value !== "object" || value === null || Object.hasOwn(value, "resource");

const resourceSomewhere: Rule = {
  schema: {
    anyOf: [
      { required: ["resource"] },
      { properties: { events: { items: { required: ["resource"] } } } },
    ],
  },
  find(given) {
    if (hasResource(given) || !Array.isArray(given.events)) return [];
    return given.events.flatMap((event: unknown, index) =>
      hasResource(event)
        ? []
        : [
            {
              path: ["events", index],
              message: "has no resource: write resource: users or resource: contacts",
            },
          ],
    );
  },
};

/** A mapping file in which a row gives one event for each block of `events`. */
export const severalEventsFile = withRules(
  z.strictObject({
    ...file,
    resource: resource.optional(),
    when: block.when,
    events: z
      .array(z.strictObject({ ...block, resource: resource.optional() }))
      .min(1, "is an empty list")
      .describe(
        "instead of `event` and `members`: a list of blocks with `event`, `members`, `resource` and `when` of their own, each of which gives one event a row. If one of them is invalid, nothing of the row is sent",
      ),
  }),
  [orderRule, resourceSomewhere],
  { description: "A row gives one event for each block of events." },
);

/** A mapping file, either way. */
export const mappingFile = z.union([singleEventFile, severalEventsFile]);

/** One event of a mapping, whichever way the file was written. */
export interface EventSpec {
  readonly resource: (typeof resources)[number];
  readonly event: string | EventNameSpec;
  readonly when?: ConditionSpec;
  readonly members: Readonly<Record<string, string | MemberSpec>>;
  /** Where the block stands in the file, for messages. */
  readonly path: readonly (string | number)[];
}

/** A mapping, checked for form but not yet against the columns of an input. */
export interface MappingSpec {
  readonly orderingColumns: readonly string[];
  readonly onKeyFailure: OnKeyFailure;
  readonly empty: EmptyPolicy;
  /** Cells that count as blank. */
  readonly nullValues: readonly string[];
  /** A condition on the whole row, beside those of the events. */
  readonly when?: ConditionSpec;
  readonly events: readonly EventSpec[];
}

/** The JSON Schema of a mapping file, for editors; what it accepts has the right form. */
export function mappingJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(mappingFile, {
    target: "draft-7",
    io: "input",
    override({ zodSchema, jsonSchema }) {
      if (!isAsWritten(zodSchema)) return;
      // An editor sees YAML's numbers and booleans where a text without quotes is fine.
      if (jsonSchema.enum === undefined)
        jsonSchema.type = [
          ...["string", "number", "boolean"],
          ...(isNullWritten(zodSchema) ? ["null"] : []),
        ] as never;
      else {
        delete jsonSchema.type;
        jsonSchema.enum = jsonSchema.enum.flatMap((word) =>
          word === "null" ? [word, null] : [word],
        );
      }
    },
  });
  return { $schema, title: "A mapping file of eventload", ...schema };
}
