import { z } from "zod";
import { resources } from "../domain/event.ts";
import { keyFailureWords, type OnKeyFailure } from "../domain/key-failure.ts";

/** The form of a mapping file: types, validation and messages come from here. */

const text = z.string().min(1, "is blank");

const transformNames = ["trim", "lowercase", "uppercase"] as const;
const transform = z.union([z.enum(transformNames), z.array(z.enum(transformNames))]);

const memberTypes = ["string", "integer", "number", "boolean", "json"] as const;

const metaNames = ["event_id", "row", "line", "input_name", "imported_at"] as const;

/**
 * Lets a rule speak beside other findings, so that all are reported at once. Not beside an unknown
 * key, though: that is a known one misspelt, and what is missing without it is no second problem.
 */
const evenIfIncomplete = {
  when: ({ value, issues }: z.core.ParsePayload) =>
    typeof value === "object" &&
    value !== null &&
    !issues.some(({ code, path }) => code === "unrecognized_keys" && !path?.length),
};

const emptyPolicy = z.enum(["omit", "null", "keep"]);
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** Where a member's value comes from: exactly one of these. */
const sources = ["column", "template", "value", "meta"] as const;
const cellOptions = ["type", "transform", "values", "default", "required", "empty"] as const;

const member = z
  .strictObject({
    column: text.optional(),
    template: text.optional(),
    value: z.json().optional(),
    meta: z.enum(metaNames).optional(),
    type: z.enum(memberTypes).optional(),
    transform: transform.optional(),
    values: z.record(z.string(), scalar).optional(),
    default: z.json().optional(),
    required: z.boolean().optional(),
    empty: emptyPolicy.optional(),
  })
  .superRefine((given, context) => {
    const from = sources.filter((source) => Object.hasOwn(given, source));
    if (from.length !== 1) {
      context.addIssue({
        code: "custom",
        message: `needs exactly one of ${sources.join(", ")}; it has ${from.join(" and ") || "none"}`,
      });
      return;
    }
    if (given.values !== undefined && given.type !== undefined) {
      context.addIssue({
        code: "custom",
        path: ["type"],
        message: "has no effect beside values, which say what the member becomes: remove it",
      });
    }
    if (from[0] === "value" || from[0] === "meta") {
      for (const option of cellOptions) {
        if (!Object.hasOwn(given, option)) continue;
        context.addIssue({
          code: "custom",
          path: [option],
          message: `has no effect beside ${from[0]}: remove it`,
        });
      }
    }
  }, evenIfIncomplete);

const condition = z
  .strictObject({
    column: text,
    in: z.array(z.string()).min(1, "is an empty list").optional(),
    not_in: z.array(z.string()).min(1, "is an empty list").optional(),
    blank: z.boolean().optional(),
  })
  .superRefine((given, context) => {
    const tests = [given.in, given.not_in, given.blank].filter((test) => test !== undefined);
    if (tests.length === 1) return;
    context.addIssue({ code: "custom", message: "needs exactly one of in, not_in, blank" });
  }, evenIfIncomplete);

const eventName = z
  .strictObject({
    column: text.optional(),
    template: text.optional(),
    value: text.optional(),
    transform: transform.optional(),
    values: z.record(z.string(), text).optional(),
    default: text.optional(),
  })
  .superRefine((given, context) => {
    const from = ["column", "template", "value"].filter((source) => Object.hasOwn(given, source));
    if (from.length !== 1) {
      context.addIssue({
        code: "custom",
        message: `needs exactly one of column, template, value; it has ${from.join(" and ") || "none"}`,
      });
    } else if (from[0] === "value") {
      for (const option of ["transform", "values", "default"]) {
        if (!Object.hasOwn(given, option)) continue;
        context.addIssue({
          code: "custom",
          path: [option],
          message: "has no effect beside value: remove it",
        });
      }
    }
  }, evenIfIncomplete);

const block = {
  resource: z.enum(resources),
  event: z.union([text, eventName]),
  only_when: condition.optional(),
  members: z.record(z.string(), z.union([text, member])),
};

const file = {
  version: z.literal(1),
  order_by: z.array(text).min(1, "is an empty list").optional(),
  on_key_failure: z.enum(keyFailureWords).optional(),
  empty: emptyPolicy.default("omit"),
};

function needsOrder(given: object, context: z.core.$RefinementCtx) {
  if (!Object.hasOwn(given, "on_key_failure") || Object.hasOwn(given, "order_by")) return;
  context.addIssue({
    code: "custom",
    path: ["on_key_failure"],
    message: "has no effect without order_by: add that, or remove this",
  });
}

/** A mapping file in which a row gives one event. */
export const singleEventFile = z
  .strictObject({ ...file, ...block })
  .superRefine(needsOrder, evenIfIncomplete);

/** A mapping file in which a row gives one event for each block of `events`. */
export const severalEventsFile = z
  .strictObject({
    ...file,
    resource: block.resource.optional(),
    only_when: condition.optional(),
    events: z
      .array(z.strictObject({ ...block, resource: block.resource.optional() }))
      .min(1, "is an empty list"),
  })
  .superRefine(needsOrder, evenIfIncomplete)
  .superRefine((given, context) => {
    if (Object.hasOwn(given, "resource") || !Array.isArray(given.events)) return;
    given.events.forEach((block: unknown, index) => {
      if (typeof block !== "object" || block === null || Object.hasOwn(block, "resource")) return;
      context.addIssue({
        code: "custom",
        path: ["events", index],
        message: "has no resource: write resource: users or resource: contacts",
      });
    });
  }, evenIfIncomplete);

export type MemberSpec = z.infer<typeof member>;
export type ConditionSpec = z.infer<typeof condition>;
export type EventNameSpec = z.infer<typeof eventName>;
export type EmptyPolicy = z.infer<typeof emptyPolicy>;
export type MemberType = (typeof memberTypes)[number];
export type TransformName = (typeof transformNames)[number];
export type MetaName = (typeof metaNames)[number];

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
  /** A condition on the whole row, beside those of the events. */
  readonly onlyWhen?: ConditionSpec;
  readonly events: readonly EventSpec[];
}
