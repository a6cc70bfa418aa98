import { z } from "zod";
import { isRecord } from "../model/yaml-document.ts";

/** What text of a mapping file is, beside its form. */
interface TextMeaning {
  /** Whether YAML's `null` counts as the word. */
  readonly isNullText: boolean;
  /** What the text names in the input: a column, one in short form, columns of a template, or none (a kind of event). */
  readonly names?: "column" | "member" | "template" | "event";
}

/** Schemas of text that YAML may take for a number, a boolean or null. */
const textMeanings = z.registry<TextMeaning>();

export function meaningOfSchema(schema: z.core.$ZodType): TextMeaning | undefined {
  return textMeanings.get(schema);
}

/** Text that a mapping file may write without quotes: `01` and `true` are fine names of columns. */
export function asWritten<Schema extends z.ZodString | z.ZodEnum>(
  schema: Schema,
  meaning: TextMeaning = { isNullText: true },
): Schema {
  textMeanings.add(schema, meaning);
  return schema;
}

/** Text that is neither empty nor `null`, which an editor cannot tell from a key without a value. */
export function textKey(description: string, names?: TextMeaning["names"]): z.ZodString {
  const meaning = names === undefined ? { isNullText: false } : { isNullText: false, names };
  return asWritten(z.string().min(1, "is blank").describe(description), meaning);
}

export function visibleText(description: string, names?: TextMeaning["names"]): z.ZodString {
  const meaning = names === undefined ? { isNullText: true } : { isNullText: true, names };
  return asWritten(z.string().regex(/\S/, "is blank").describe(description), meaning);
}

/** A text in which a function finds nothing wrong. */
export function checked(
  schema: z.ZodString,
  whyNot: (given: string) => string | undefined,
): z.ZodString {
  return schema.superRefine((given, context) => {
    const message = given === "" ? undefined : whyNot(given);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });
}

/** A rule about several keys of an object: what is wrong with it. An editor does not know these. */
export type Rule = (given: RawKeys) => readonly RuleFinding[];

interface RuleFinding {
  readonly path?: readonly (string | number)[];
  /** `key` if the key itself is wrong, not its value. */
  readonly part?: "key";
  readonly message: string;
}

export type RawKeys = Readonly<Record<string, unknown>>;

export function withRules<Schema extends z.ZodType>(
  object: Schema,
  rules: readonly Rule[],
): Schema {
  return object.superRefine((given, context) => {
    for (const { path = [], part, message } of rules.flatMap((rule) => rule(given as RawKeys))) {
      context.addIssue({ code: "custom", message, params: { part }, path: [...path] });
    }
  }, evenIfIncomplete);
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

export function wrongKey(key: string, message: string): RuleFinding {
  return { path: [key], part: "key", message };
}

export function refuseWhere(isWrong: (given: RawKeys) => boolean, finding: RuleFinding): Rule {
  return (given) => (isWrong(given) ? [finding] : []);
}

export function exactlyOneOf(keys: readonly string[]): Rule {
  return (given) => {
    const has = keys.filter((key) => Object.hasOwn(given, key));
    if (has.length === 1) return [];
    const found = has.join(" and ") || "none";
    return [{ message: `needs exactly one of ${keys.join(", ")}; it has ${found}` }];
  };
}

/** Keys that have no effect beside another one. */
export function nothingBeside(other: string, keys: readonly string[], why = ""): Rule {
  const message = `has no effect beside ${other}${why}: remove it`;
  return (given) =>
    given[other] === undefined
      ? []
      : keys.filter((key) => given[key] !== undefined).map((key) => wrongKey(key, message));
}

/** A key that has no effect without one of the others. */
export function onlyWith(key: string, others: readonly string[]): Rule {
  const message = `has no effect without ${others.join(" or ")}: add that, or remove this`;
  return refuseWhere(
    (given) => given[key] !== undefined && others.every((other) => given[other] === undefined),
    wrongKey(key, message),
  );
}
