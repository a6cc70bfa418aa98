import { z } from "zod";
import { isRecord } from "../model/yaml-document.ts";

/** Schemas of text that YAML may take for a number, a boolean or null. */
const written = z.registry<{ isNullText: boolean }>();

/**
 * Text that a mapping file may write without quotes: `01` and `true` are fine names of columns.
 *
 * @param isNullText whether YAML's `null` counts as the word
 */
export function asWritten<Schema extends z.ZodString | z.ZodEnum>(
  schema: Schema,
  isNullText = true,
): Schema {
  written.add(schema, { isNullText });
  return schema;
}

export function isAsWritten(schema: z.core.$ZodType): boolean {
  return written.has(schema);
}

export function isNullWritten(schema: z.core.$ZodType): boolean {
  return written.get(schema)?.isNullText === true;
}

/** Text that is neither empty nor `null`, which an editor cannot tell from a key without a value. */
export function text(description: string): z.ZodString {
  return asWritten(z.string().min(1, "is blank").describe(description), false);
}

/** Text that is not blank. */
export function visibleText(description: string): z.ZodString {
  return asWritten(z.string().regex(/\S/, "is blank").describe(description));
}

/** A rule about several keys of an object: a check for people, and a part of the JSON Schema for editors. */
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

export type Given = Readonly<Record<string, unknown>>;

/** What some keys of an object have; both forms of a rule are made from it. */
interface Match {
  readonly [key: string]: Wanted;
}

type Wanted =
  | "any"
  | "none"
  /** One of these values; `undefined` if it need not be there. */
  | readonly unknown[]
  | { readonly is: "array" | "string" }
  | { readonly has: Match };

function matches(given: Given, match: Match): boolean {
  return Object.entries(match).every(([key, wanted]) => {
    const value = Object.hasOwn(given, key) ? given[key] : undefined;
    if (wanted === "any") return value !== undefined;
    if (wanted === "none") return value === undefined;
    if (isList(wanted)) return wanted.includes(value);
    if ("has" in wanted) return isRecord(value) && matches(value, wanted.has);
    return Array.isArray(value) ? wanted.is === "array" : typeof value === wanted.is;
  });
}

function schemaOf(match: Match): object {
  const keys = Object.entries(match);
  const absent = keys.filter(([, wanted]) => wanted === "none").map(([key]) => key);
  const isNeeded = (wanted: Wanted) =>
    wanted !== "none" && !(isList(wanted) && wanted.includes(undefined));
  return {
    properties: Object.fromEntries(
      keys.flatMap(([key, wanted]): [string, object][] => {
        if (typeof wanted === "string") return [];
        if (isList(wanted)) return [[key, { enum: wanted.filter((one) => one !== undefined) }]];
        return [[key, "has" in wanted ? schemaOf(wanted.has) : { type: wanted.is }]];
      }),
    ),
    required: keys.filter(([, wanted]) => isNeeded(wanted)).map(([key]) => key),
    ...(absent.length === 0 ? {} : { not: { anyOf: absent.map((key) => ({ required: [key] })) } }),
  };
}

function isList(wanted: Wanted): wanted is readonly unknown[] {
  return Array.isArray(wanted);
}

/** Refuses objects with these keys. */
export function forbid(match: Match, finding: RuleFinding | ((given: Given) => RuleFinding)): Rule {
  return {
    schema: { not: schemaOf(match) },
    find(given) {
      if (!matches(given, match)) return [];
      return [typeof finding === "function" ? finding(given) : finding];
    },
  };
}

/** The finding that a key is wrong, whatever it has. */
export function wrongKey(key: string, message: string): RuleFinding {
  return { path: [key], part: "key", message };
}

/**
 * Runs a rule even if there are other findings, so that all are reported at once. Not beside an unknown
 * key: that is a misspelt one, and the key that is missing for it is no second problem.
 */
const evenIfIncomplete = {
  when: ({ value, issues }: z.core.ParsePayload) =>
    isRecord(value) &&
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
export function nothingBeside(other: string, keys: readonly string[], why = ""): Rule[] {
  const message = `has no effect beside ${other}${why}: remove it`;
  return keys.map((key) => forbid({ [other]: "any", [key]: "any" }, wrongKey(key, message)));
}

/** A key that has no effect without one of the others. */
export function onlyWith(key: string, others: readonly string[]): Rule {
  const message = `has no effect without ${others.join(" or ")}: add that, or remove this`;
  const without = Object.fromEntries(others.map((other) => [other, "none"] as const));
  return forbid({ [key]: "any", ...without }, wrongKey(key, message));
}

/** Separators of thousands and fractions that are one sign would change numbers silently. */
export function separatorsDiffer(
  sign: "." | ",",
  decimalSeparator: readonly unknown[],
  match: Match = {},
): Rule {
  return forbid(
    { thousands_separator: [sign], decimal_separator: decimalSeparator, ...match },
    { path: ["thousands_separator"], message: "is the decimal separator too: change one" },
  );
}
