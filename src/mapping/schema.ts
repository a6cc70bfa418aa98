import { z } from "zod";
import { resources } from "../model/event.ts";
import { keyFailureWords, type OnKeyFailure } from "../model/key-failure.ts";
import { type ConditionSpec, condition } from "./condition-schema.ts";
import { memberNamePattern } from "./member-path.ts";
import {
  type EmptyPolicy,
  type EventNameSpec,
  emptyPolicy,
  eventName,
  type MemberSpec,
  member,
} from "./member-schema.ts";
import { onlyWith, type Rule, withRules } from "./schema-rules.ts";
import { asWritten, text, visibleText } from "./written-text.ts";

/** The form of a mapping file: types, validation, messages and the JSON Schema come from here. */

const resource = z.enum(resources).describe("`users` or `contacts`");
const onlyWhen = condition
  .optional()
  .describe(
    "leaves out rows for which it does not hold: `{ column: Status, in: [a, b] }`, `not_in`, `equals`, `matches`, `blank: true`, or several by `all`, `any` and `not`",
  );

const block = {
  event: z
    .union([visibleText("the kind of event"), eventName])
    .describe(
      "the kind of event: a text, or where it comes from: `{ column: Action, values: { A: contact.created }, default: contact.updated }`; also `columns`, `template`, `value`, `transform`",
    ),
  only_when: onlyWhen,
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
  order_by: z
    .array(text("a column"))
    .min(1, "is an empty list")
    .describe(
      "columns; rows that agree in them are sent one after another, in file order. Rows in which all of them are blank go as they come",
    )
    .optional(),
  on_key_failure: z
    .enum(keyFailureWords)
    .describe(
      "what follows an event that did not succeed, for the later ones of its `order_by` key. Not given: after `failed` and `unknown` they are `blocked`, since a retry would bring them out of order; after `rejected` and `invalid` the key goes on. `block`: they are blocked after these too. `continue`: none is ever blocked",
    )
    .optional(),
  empty: emptyPolicy(
    "what a blank cell becomes: `omit` (default) leaves the member out, `null`, or `keep`",
  ).optional(),
  null_values: z
    .array(asWritten(z.string()))
    .min(1, "is an empty list")
    .describe(
      'cells that count as blank, such as `[NULL, N/A, "-"]`; items of lists too, and nothing that a `lookup` gives, where NA may be Namibia',
    )
    .optional(),
};

const orderRule = onlyWith("on_key_failure", "order_by");

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
    only_when: block.only_when,
    events: z
      .array(z.strictObject({ ...block, resource: resource.optional() }))
      .min(1, "is an empty list")
      .describe(
        "instead of `event` and `members`: a list of blocks with `event`, `members`, `resource` and `only_when` of their own, each of which gives one event a row. If one of them is invalid, nothing of the row is sent",
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
  readonly onlyWhen?: ConditionSpec;
  readonly members: Readonly<Record<string, string | MemberSpec>>;
  /** Where the block stands in the file, for messages. */
  readonly path: readonly (string | number)[];
}

/** A mapping, checked for form but not yet against the columns of an input. */
export interface MappingSpec {
  readonly orderBy: readonly string[];
  readonly onKeyFailure: OnKeyFailure;
  readonly empty: EmptyPolicy;
  /** Cells that count as blank. */
  readonly nullValues: readonly string[];
  /** A condition on the whole row, beside those of the events. */
  readonly onlyWhen?: ConditionSpec;
  readonly events: readonly EventSpec[];
}
