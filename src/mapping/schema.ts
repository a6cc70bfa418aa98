import { z } from "zod";
import { type Method, methods, resources } from "../model/event.ts";
import { keyFailureWords, type OnKeyFailure } from "../model/outcome.ts";
import type { Reading } from "../model/reading.ts";
import { isRecord } from "../model/yaml-document.ts";
import { bodyTree } from "./compile-body.ts";
import { type ConditionSpec, condition } from "./condition-schema.ts";
import { inputKeys } from "./input-keys.ts";
import {
  asWritten,
  exactlyOneOf,
  meaningOfSchema,
  nothingBeside,
  onlyWith,
  type Rule,
  refuseWhere,
  textKey,
  visibleText,
  withRules,
  wrongKey,
} from "./schema-parts.ts";
import {
  conversion,
  conversionKeys,
  conversionRules,
  fitsType,
  transform,
} from "./value-schema.ts";

/** The form of a mapping file: types, validation, messages and the JSON Schema come from here. */

const metaNames = ["event_id", "row", "line", "input_name", "imported_at"] as const;

export const emptyPolicy = (description: string) =>
  asWritten(z.enum(["omit", "null", "keep"]).describe(description));

const anyJson = z.json().meta({ id: "json" });
const scalarValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const lookup = z.strictObject({
  file: textKey("a CSV file, relative to the folder of the mapping file"),
  key: z
    .union([
      textKey("its column to search for the cell"),
      z.array(textKey("a column")).min(1, "is an empty list"),
    ])
    .describe("its column to search for the cell, or a list: one for each of `columns`"),
  value: textKey("its column with the new text"),
});

/** Where a member's value comes from: exactly one of these. */
const cellSources = {
  column: textKey("the column", "column").optional(),
  columns: z
    .array(textKey("a column", "column"))
    .min(1, "is an empty list")
    .describe("a list of columns: the first that is not blank counts")
    .optional(),
  template: textKey(
    '`"{First Name} {Last Name}"`; write `{{` for a brace. `"{E-Mail|trim|lowercase}"` applies transforms without arguments to the cell first. Blank if every cell that it inserts is blank',
    "template",
  ).optional(),
};
const sources = [...Object.keys(cellSources), "value", "meta"];
/** Of two texts that are the same without space around them, the second would count. */
const textsDiffer: Rule = (map) =>
  Object.keys(map)
    .filter((text) => text !== text.trim() && Object.hasOwn(map, text.trim()))
    .map((text) => wrongKey(text, "is there without space around it too: remove one"));
const cellKeys = {
  transform: transform.optional(),
  lookup: lookup
    .describe(
      "finds the cell in another CSV file and takes the text from there: `{ file: countries.csv, key: Name, value: Code }`. A cell that is not in that file is invalid, unless there is `otherwise`. With a list as `key`, the cells of all `columns` together are looked up: `columns: [Country, Plan]` with `key: [Land, Tariff]`",
    )
    .optional(),
  map: withRules(z.record(z.string(), scalarValue), [textsDiffer])
    .describe(
      "what each cell becomes: `{ P: pro, F: free }`. Space around a cell is ignored. Other cells are invalid, unless there is `otherwise`",
    )
    .optional(),
  otherwise: anyJson
    .optional()
    .describe(
      "what a cell becomes if it is not in `map` or in the `lookup` file. It has to fit the member's `type`, if there is one. For blank cells see `default`",
    ),
  default: anyJson
    .optional()
    .describe("what a blank cell becomes. It has to fit the member's `type`, if there is one"),
  required: z
    .boolean()
    .describe("`true`: a blank cell makes the row invalid. Not together with `default` or `empty`")
    .optional(),
  empty: emptyPolicy(
    "what a blank cell becomes, for this member only: `omit`, `null` or `keep`. Not together with `default`",
  ).optional(),
};

export const member = withRules(
  z.strictObject({
    ...cellSources,
    value: anyJson.optional().describe("any JSON; the same for every row"),
    meta: z
      .enum(metaNames)
      .describe(
        "`event_id`, `row`, `line`, `input_name` or `imported_at` (the time of the first attempt in this run)",
      )
      .optional(),
    when: condition
      .optional()
      .describe(
        "a condition, such as `{ column: Country, in: [NL, DE] }`: where it is false, the member is left out, also one with `default`, `required` or `empty`",
      ),
    ...cellKeys,
    ...conversion,
  }),
  [
    exactlyOneOf(sources),
    nothingBeside("map", conversionKeys, ", which says what the member becomes"),
    nothingBeside("map", ["lookup"]),
    nothingBeside("meta", ["when"]),
    onlyWith("otherwise", ["map", "lookup"]),
    ...["value", "meta"].map((source) =>
      nothingBeside(source, [...Object.keys(cellKeys), ...conversionKeys]),
    ),
    nothingBeside("default", ["required", "empty"], ", which says what becomes of a blank cell"),
    refuseWhere(
      ({ required, empty }) => required === true && empty !== undefined,
      wrongKey("empty", "has no effect beside required: true: remove one"),
    ),
    refuseWhere(
      ({ columns, lookup }) =>
        columns === undefined && isRecord(lookup) && Array.isArray(lookup.key),
      {
        path: ["lookup", "key"],
        message: "is a list, which needs columns: the columns of the row that it is compared with",
      },
    ),
    fitsType,
    ...conversionRules,
  ],
).meta({ id: "member" });

export const eventName = withRules(
  z.strictObject({
    ...cellSources,
    value: visibleText("the same for every row").optional(),
    transform: transform.optional(),
    map: withRules(z.record(z.string(), visibleText("a kind of event")), [textsDiffer])
      .describe(
        "the kind of event for each cell; other cells are invalid, unless there is `otherwise`",
      )
      .optional(),
    otherwise: visibleText("the kind of event for a cell that is not in `map`").optional(),
    default: visibleText("the kind of event for a blank cell").optional(),
  }),
  [
    exactlyOneOf([...Object.keys(cellSources), "value"]),
    nothingBeside("value", ["transform", "map", "otherwise", "default"]),
    onlyWith("otherwise", ["map"]),
  ],
).meta({ id: "eventName" });

export type MemberSpec = z.infer<typeof member>;
export type EventNameSpec = z.infer<typeof eventName>;
export type EmptyPolicy = z.infer<ReturnType<typeof emptyPolicy>>;
export type MetaName = (typeof metaNames)[number];
export type KeyPartSpec = z.infer<typeof keyPart>;
export type LookupSpec = z.infer<typeof lookup>;

const resource = z.enum(resources).describe(resources.map((one) => `\`${one}\``).join(" or "));
const method = z
  .enum(methods)
  .describe(
    "`POST` (default), `PUT` or `DELETE`: the method of the request. Path, headers and body stay the same",
  )
  .optional();
const whenSchema = condition
  .optional()
  .describe(
    "a condition, such as `{ column: Status, in: [a, b] }`; a row for which it is false is left out. It can also use `not_in`, `equals`, `above`, `below`, `matches` or `blank`, and combine conditions with `all`, `any` and `not`",
  );

const block = {
  event: z
    .union([visibleText("the kind of event", "event"), eventName])
    .describe(
      "the kind of event: a text, or an object such as `{ column: Action, map: { A: contact.created }, otherwise: contact.updated }`, also with `columns`, `template`, `value`, `transform` or `default`",
    ),
  method,
  when: whenSchema,
  members: withRules(z.record(z.string(), z.union([textKey("a column", "member"), member])), [
    (members) =>
      bodyTree(Object.keys(members)).problems.map(({ name, message }) => wrongKey(name, message)),
  ]).describe(
    "the members of the body. `a.b` is the member `b` of the object `a`. `a[0].b` is the member `b` of the first item of the list `a`. `a\\.b` is a name with a dot. Empty items of a list are left out",
  ),
};

const goneSchema = z
  .strictObject({
    event: block.event,
    members: block.members,
    resource: resource.optional(),
    method,
  })
  .describe(
    "the event of a key that is gone from the input: a block with `event`, `members`, and `resource` or `method` if it is another. It needs `ordering_key`, and its members can use the columns of that only. It is sent with `--state`, after all other events, for each key that the input no longer has",
  );

const keyPart = z.union([
  textKey("a column", "column"),
  z.strictObject({ column: textKey("a column", "column"), transform: transform.optional() }),
]);

const file = {
  $schema: z.string().describe("the address of the JSON Schema, for editors").optional(),
  version: z.literal(1).describe("`1`"),
  input: inputKeys.optional(),
  ordering_key: z
    .array(keyPart)
    .min(1, "is an empty list")
    .describe(
      "a list of columns. Rows with the same cells in these columns are sent one after another, in file order. Rows that are blank in all of them are sent in any order. `{ column: Email, transform: [trim, lowercase] }` in place of a column compares what the transforms give",
    )
    .optional(),
  on_key_failure: z
    .enum(keyFailureWords)
    .describe(
      "what happens to the later events of a key, or of a row, after one that did not succeed. By default they are `blocked` after `failed` and `unknown`, because a retry would break the order. After `rejected`, those of the same row are `blocked`, and after `rejected` and `invalid` those of the key are sent. `block`: they are blocked after these too. `continue`: they are never blocked",
    )
    .optional(),
  empty: emptyPolicy(
    "what a blank cell becomes: `omit` (default) leaves the member out, `null` sends null, `keep` sends an empty text, and a cell of white space as it is, unless a transform trims it",
  ).optional(),
  null_values: z
    .array(asWritten(z.string()))
    .min(1, "is an empty list")
    .describe(
      'cells that count as blank, such as `[NULL, N/A, "-"]`. This applies to items of lists too, but not to what a `lookup` gives: there NA may be Namibia',
    )
    .optional(),
  clear_values: z
    .array(visibleText("a cell, without space around it"))
    .min(1, "is an empty list")
    .describe(
      'cells that remove what the service has, such as `["#N/A"]`: the member becomes null, whatever `empty`, `default` or `map` say, so that a blank cell can leave it alone. With several columns, or a template, all cells have to be blank or in this list. `required` refuses it. In conditions, `ordering_key`, `event` and items of lists they count as blank',
    )
    .optional(),
};

const nullOrClear: Rule = ({ null_values: nulls, clear_values: clears }) => {
  if (!Array.isArray(nulls) || !Array.isArray(clears)) return [];
  const known = new Set(nulls.map((value) => String(value).trim()));
  return clears.flatMap((value: unknown, at) => {
    const message = "is in null_values too: remove it from one of the two";
    return known.has(String(value).trim()) ? [{ path: ["clear_values", at], message }] : [];
  });
};

const keyRules = [
  nullOrClear,
  onlyWith("on_key_failure", ["ordering_key", "events"]),
  onlyWith("gone", ["ordering_key"]),
];

export const singleEventFile = withRules(
  z.strictObject({ ...file, resource, ...block, gone: goneSchema.optional() }),
  keyRules,
).describe("A row gives one event.");

const resourceSomewhere: Rule = ({ resource, events, gone }) => {
  if (resource !== undefined || !Array.isArray(events)) return [];
  const blocks = [
    ...events.map((event: unknown, index) => ({ event, path: ["events", index] })),
    { event: gone, path: ["gone"] },
  ];
  const message = `has no resource: write ${resources.map((one) => `resource: ${one}`).join(" or ")}`;
  return blocks.flatMap(({ event, path }) =>
    isRecord(event) && event.resource === undefined ? [{ path, message }] : [],
  );
};

export const severalEventsFile = withRules(
  z.strictObject({
    ...file,
    resource: resource.optional(),
    when: whenSchema,
    events: z
      .array(z.strictObject({ ...block, resource: resource.optional() }))
      .min(1, "is an empty list")
      .describe(
        "a list, instead of `event` and `members`. Each block has its own `event` and `members`, and if needed `resource`, `method` and `when`. It gives one event per row. The events of a row are sent one after another, in this order. If one event of a row is invalid, no event of that row is sent",
      ),
    gone: goneSchema.optional(),
  }),
  [...keyRules, resourceSomewhere],
).describe("A row gives one event for each block of events.");

export const mappingFile = z.union([singleEventFile, severalEventsFile]);

/** The JSON Schema of a mapping file, for editors. It accepts what has the right form. */
export function mappingJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(mappingFile, {
    target: "draft-7",
    io: "input",
    override({ zodSchema, jsonSchema }) {
      const meaning = meaningOfSchema(zodSchema);
      if (meaning === undefined) return;
      // An editor sees YAML's numbers and booleans where a text without quotes is fine.
      if (jsonSchema.enum === undefined)
        jsonSchema.type = [
          ...["string", "number", "boolean"],
          ...(meaning.isNullText ? ["null"] : []),
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

export interface EventSpec {
  readonly resource: (typeof resources)[number];
  readonly method: Method;
  readonly event: string | EventNameSpec;
  readonly when?: ConditionSpec;
  readonly members: Readonly<Record<string, string | MemberSpec>>;
  readonly path: readonly (string | number)[];
}

/** A mapping of the right form, not yet checked against the columns of an input. */
export interface MappingSpec {
  readonly orderingKey: readonly KeyPartSpec[];
  readonly onKeyFailure: OnKeyFailure;
  readonly empty: EmptyPolicy;
  readonly nullValues: readonly string[];
  /** Cells that become null, whatever a blank one becomes. */
  readonly clearValues: readonly string[];
  readonly when?: ConditionSpec;
  readonly events: readonly EventSpec[];
  readonly gone?: EventSpec;
  readonly reading: Reading;
}

export function blocksOfSpec({ events, gone }: MappingSpec): readonly EventSpec[] {
  return gone === undefined ? events : [...events, gone];
}
