import { z } from "zod";

/** Schemas of text that YAML may take for a number, a boolean or null. */
const written = z.registry<Record<never, never>>();
/** Those that do not accept `null`: an editor cannot tell it from a key without a value. */
const neverNull = z.registry<Record<never, never>>();

/**
 * Text that a mapping file may write without quotes: `01` and `true` are fine names of columns.
 */
export function asWritten<Schema extends z.ZodString | z.ZodEnum>(schema: Schema): Schema {
  written.add(schema, {});
  return schema;
}

export function isAsWritten(schema: z.core.$ZodType): boolean {
  return written.has(schema);
}

/** Whether YAML's `null` counts as the word. */
export function isNullWritten(schema: z.core.$ZodType): boolean {
  return written.has(schema) && !neverNull.has(schema);
}

/** Text that is neither empty nor `null` without quotes. */
export function text(description: string): z.ZodString {
  const schema = asWritten(z.string().min(1, "is blank").describe(description));
  neverNull.add(schema, {});
  return schema;
}

/** Text that is not blank. */
export function visibleText(description: string): z.ZodString {
  return asWritten(z.string().regex(/\S/, "is blank").describe(description));
}

/**
 * A rule about several keys of an object, in two forms: a check with a message for people, and a part of
 * the JSON Schema for editors.
 */
export interface Rule {
  readonly schema: object;
  find(given: Given): readonly RuleFinding[];
}

interface RuleFinding {
  readonly path?: readonly (string | number)[];
  /** `key` if the key itself is wrong, not its value. */
  readonly part?: "key";
  readonly message: string;
}

type Given = Readonly<Record<string, unknown>>;

/**
 * Runs a rule even if there are other findings, so that all are reported at once. Not beside an unknown
 * key: that is a misspelt one, and the key that is missing for it is no second problem.
 */
const evenIfIncomplete = {
  when: ({ value, issues }: z.core.ParsePayload) =>
    typeof value === "object" &&
    value !== null &&
    !issues.some(({ code, path }) => code === "unrecognized_keys" && !path?.length),
};

/** Adds rules to the checks and the JSON Schema of an object. */
export function withRules<Schema extends z.ZodObject>(
  object: Schema,
  rules: readonly Rule[],
  meta: { readonly id?: string; readonly description?: string } = {},
): Schema {
  return object
    .superRefine((given, context) => {
      for (const { path, part, message } of rules.flatMap((rule) => rule.find(given))) {
        context.addIssue({
          code: "custom",
          message,
          params: { part },
          ...(path === undefined ? {} : { path: [...path] }),
        });
      }
    }, evenIfIncomplete)
    .meta({ ...meta, allOf: rules.map(({ schema }) => schema) });
}

/** Requires one of the keys, and only one. */
export function exactlyOneOf(keys: readonly string[]): Rule {
  return {
    schema: { oneOf: keys.map((key) => ({ required: [key] })) },
    find(given) {
      const has = keys.filter((key) => Object.hasOwn(given, key));
      if (has.length === 1) return [];
      const found = has.join(" and ") || "none";
      return [{ message: `needs exactly one of ${keys.join(", ")}; it has ${found}` }];
    },
  };
}

/** Keys that have no effect beside another one. */
export function nothingBeside(other: string, keys: readonly string[], why = ""): Rule {
  return {
    schema: { allOf: keys.map((key) => ({ not: { required: [other, key] } })) },
    find: (given) =>
      Object.hasOwn(given, other)
        ? keys
            .filter((key) => Object.hasOwn(given, key))
            .map((key) => ({
              path: [key],
              part: "key" as const,
              message: `has no effect beside ${other}${why}: remove it`,
            }))
        : [],
  };
}

/** A key that has no effect without one of the others. */
export function onlyWith(key: string, others: readonly string[]): Rule {
  return {
    schema: {
      if: { required: [key] },
      // biome-ignore lint/suspicious/noThenProperty: that is what JSON Schema calls it
      then: { anyOf: others.map((other) => ({ required: [other] })) },
    },
    find: (given) =>
      Object.hasOwn(given, key) && !others.some((other) => Object.hasOwn(given, other))
        ? [
            {
              path: [key],
              part: "key" as const,
              message: `has no effect without ${others.join(" or ")}: add that, or remove this`,
            },
          ]
        : [],
  };
}

/** Requires a key beside another one. */
export function needed(other: string, key: string, what: string): Rule {
  return {
    schema: { dependencies: { [other]: [key] } },
    find: (given) =>
      Object.hasOwn(given, other) && !Object.hasOwn(given, key)
        ? [{ message: `needs ${key} beside ${other}: ${what}` }]
        : [],
  };
}
