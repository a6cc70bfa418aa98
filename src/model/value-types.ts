import { type MaxErrors, parseMaxErrors } from "./max-errors.ts";
import { asTypedRate, parseRate } from "./quantities.ts";
import { delimiterOf, whyNoDelimiter, whyNoEncoding } from "./reading.ts";
import { isShard, parseShard, type Shard } from "./shard.ts";
import { faultOfStatuses, type StatusList } from "./status-rules.ts";
import { suggest } from "./suggest.ts";

/* The types of values that settings and options have: how each is typed, checked and shown. */

export type JsonSchema = Readonly<Record<string, unknown>>;

export type TypedValue = string | number | boolean | Shard;

/** How a value was read, or why it cannot be used: a sentence without its end. */
export type ValueRead =
  | { readonly value: TypedValue; readonly why?: undefined }
  | { readonly why: string };

export interface ValueType<Value = unknown> {
  readonly kind: "flag" | "value";
  /** What the help shows for its value: `file` for `--results <file>`. */
  readonly placeholder?: string;
  /** Whether a configuration file may hold a list. */
  readonly takesList?: true;
  /** Whether the value is the path of a file: one in a configuration file goes by the folder of that. */
  readonly isPath?: true;
  /** Whether the value is a program with its arguments. */
  readonly takesProgram?: true;
  /** What the value may be in a configuration file. */
  readonly schema: JsonSchema;
  read(typed: string): ValueRead;
  /** Why a value that a program gives, or a manifest has, cannot be used. */
  why(value: unknown): string | undefined;
  /** A value as it is typed; default as a text. */
  show?(value: Value): string;
}

interface Makings<Value> extends Partial<ValueType<Value>> {
  readonly schema: JsonSchema;
  /** What a value is, in words: `"x" is not a rate such as 50/s`. */
  readonly what: string;
  /** What a program gives, where that is something else. */
  readonly given?: string;
  /** The value that a text stands for, perhaps one that does not fit; default the text. */
  parse?(typed: string): TypedValue | undefined;
  fits(value: unknown): boolean;
  /** What may have been meant; the end of the sentence. */
  hint?(typed: string): string;
}

function made<Value>(makings: Makings<Value>): ValueType<Value> {
  const { what, given = what, parse = (typed) => typed, fits, hint, ...own } = makings;
  return {
    kind: "value",
    read(typed) {
      const value = parse(typed);
      if (value !== undefined && fits(value)) return { value };
      return { why: `"${typed}" is not ${what}${hint?.(typed) ?? ""}` };
    },
    why(value) {
      if (fits(value)) return undefined;
      return `${typeof value === "number" ? value : JSON.stringify(value)} is not ${given}`;
    },
    ...own,
  };
}

const anyText = { type: "string", minLength: 1 };

export function text(placeholder: string): ValueType<string> {
  const fits = (value: unknown) => typeof value === "string" && value !== "";
  return made<string>({ placeholder, schema: anyText, what: "a text", fits });
}

/** The path of a file, or `-` for standard output. */
export const pathOrStdout: ValueType<string> = { ...text("file"), isPath: true };

export const path: ValueType<string> = {
  ...pathOrStdout,
  read: (typed) =>
    typed === "-" ? { why: '"-" is not the name of a file: give one' } : pathOrStdout.read(typed),
};

/** A path of whose name a function says why it cannot be used. */
export function pathUnless(why: (name: string) => string | undefined, type = path) {
  return { ...type, read: textUnless("", (name) => why(name) ?? type.read(name).why).read };
}

/** The path of a file of a kind: programs go by how its name ends. @param whose the end of a sentence */
export function pathEnding(whose: string, endings: readonly string[], type = path) {
  return pathUnless((name) => {
    const fits = name === "-" || endings.some((ending) => name.toLowerCase().endsWith(ending));
    return fits ? undefined : `${name} is not a ${endings[0]} file, which ${whose}`;
  }, type);
}

export const paths: ValueType<string | readonly string[]> = {
  ...path,
  why: (value) => [value].flat().map(path.why).find(Boolean),
};

/** A command: a text for the shell, or in a file its parts, for no shell. */
export const command: ValueType<string> = {
  ...text("command"),
  takesList: true,
  takesProgram: true,
  schema: { anyOf: [anyText, { type: "array", items: anyText, minItems: 1 }] },
};

/** A text of which a function says why it cannot be used. */
export function textUnless(
  placeholder: string,
  why: (text: string) => string | undefined,
  meant = (typed: string) => typed,
): ValueType<string> {
  const read = (typed: string) => {
    const wrong = why(meant(typed));
    return wrong === undefined ? { value: meant(typed) } : { why: wrong };
  };
  return { ...text(placeholder), why: (value) => why(value as string), read };
}

const statusJson = { anyOf: [{ type: "integer", minimum: 200, maximum: 599 }, anyText] };

export const statuses: ValueType<StatusList> = {
  ...textUnless("statuses", (value) => faultOfStatuses({ successStatuses: value })?.why),
  takesList: true,
  schema: { anyOf: [...statusJson.anyOf, { type: "array", items: statusJson, minItems: 1 }] },
};

export const delimiter = textUnless("character", whyNoDelimiter, delimiterOf);

export const encoding = textUnless("name", whyNoEncoding, (typed) => typed.trim());

export function oneOf<const Word extends string>(
  placeholder: string,
  ...words: readonly Word[]
): ValueType<Word> {
  return made<Word>({
    placeholder,
    schema: { enum: words },
    what: `one of ${words.join(", ")}`,
    fits: (value) => words.includes(value as Word),
    hint: (typed) => didYouMean(typed, words),
  });
}

export const flag: ValueType<boolean> = made({
  kind: "flag",
  schema: { type: "boolean" },
  what: "true or false",
  parse: (typed) => ({ true: true, false: false })[typed],
  fits: (value) => typeof value === "boolean",
});

export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): ValueType<number> {
  const range =
    most === Number.MAX_SAFE_INTEGER ? `, ${least} or more` : ` from ${least} to ${most}`;
  return made<number>({
    placeholder: "n",
    schema: { type: "integer", minimum: least, maximum: most },
    what: `a whole number${range}`,
    parse: (typed) => (/^\s*\d+\s*$/.test(typed) ? Number(typed) : undefined),
    fits: (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
  });
}

export const share: ValueType<number> = made({
  placeholder: "share",
  schema: { type: "number", minimum: 0, maximum: 1 },
  what: "a number from 0 to 1",
  parse: (typed) => (/^\s*(?:\d+|\d*\.\d+)\s*$/.test(typed) ? Number(typed) : undefined),
  fits: (value) => typeof value === "number" && value >= 0 && value <= 1,
});

export const errorLimit: ValueType<MaxErrors> = made({
  placeholder: "n|share",
  schema: {
    anyOf: [
      { type: "integer", minimum: 0 },
      { type: "string", pattern: "^[0-9]+([.][0-9]+)?%$" },
    ],
  },
  what: "a whole number such as 100 or a share such as 5%, 100% at most",
  parse: (typed) => (/^\s*\d+\s*$/.test(typed) ? Number(typed) : typed),
  fits: (value) => parseMaxErrors(value as string) !== undefined,
});

export const quoteCharacter: ValueType<string> = made({
  placeholder: "character",
  schema: anyText,
  what: "one character, or the word none",
  parse: (typed) => (typed.toLowerCase() === "none" ? "" : typed),
  fits: (value) => typeof value === "string" && /^[^\r\n]?$/u.test(value),
  show: (value) => (value === "" ? "none" : value),
});

const unitMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const maxTimeSpanMs = 24 * 3_600_000;
const duringText = "[0-9]+([.][0-9]+)?(ms|s|m|h)";

/** A duration, `500ms`, `30s`, `15m` or `1h`, and where nothing is allowed 0; it is read as milliseconds. */
export function timeSpan(least: "any" | "above 0" = "any"): ValueType<number> {
  const written = { type: "string", pattern: `^${duringText}$` };
  const isZeroFine = least === "any";
  return made<number>({
    placeholder: "duration",
    schema: isZeroFine ? { anyOf: [{ const: 0 }, written] } : written,
    what: `a duration ${isZeroFine ? "" : "above 0 "}such as 500ms, 30s, 15m or 1h, a day at most`,
    given: `a number ${isZeroFine ? "from 0" : "above 0"}`,
    parse: parseDuration,
    fits: (value) => (isZeroFine && value === 0) || isAboveZero(value),
    hint: (typed) => (Number(typed) > 0 ? `; for seconds write ${typed.trim()}s` : ""),
    show(ms) {
      if (ms > 0 && ms % 60_000 === 0) return `${ms / 60_000}m`;
      return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
    },
  });
}

function parseDuration(typed: string): number | undefined {
  const [, digits, unit = ""] = /^\s*(\d+(?:\.\d+)?)(ms|[smh])\s*$/.exec(typed) ?? [];
  if (digits === undefined) return /^\s*0+\s*$/.test(typed) ? 0 : undefined;
  const ms = Math.round(Number(digits) * (unitMs[unit] ?? 0));
  return ms <= maxTimeSpanMs ? ms : undefined;
}

/** An outage, `20s@60s`; it is read as milliseconds, `20000@60000`. */
export const outage: ValueType<string> = made({
  placeholder: "duration@duration",
  schema: { type: "string", pattern: `^${duringText}@${duringText}$` },
  what: "how long and when, such as 20s@60s",
  parse: (typed) => typed.split("@").map(parseDuration).join("@"),
  // Neither NaN nor an outage of no time.
  fits: (value) => /^[1-9]\d*@\d+$/.test(String(value)),
});

export const rate: ValueType<number> = made({
  placeholder: "rate",
  schema: { type: "string", pattern: "^[0-9]+([.][0-9]+)?/[smh]$" },
  what: "a rate such as 50/s, 3000/m or 100000/h",
  given: "a number above 0",
  parse: parseRate,
  fits: isAboveZero,
  hint(typed) {
    const number = typed.trim();
    return Number(number) > 0 ? `; for ${number} a second write ${number}/s` : "";
  },
  show: asTypedRate,
});

const takenHeaders =
  /^(authorization|content-.*|connection|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|user-agent)$/i;

/**
 * The name of the header for event ids: a token of RFC 9110, section 5.6.2, and none of the headers that carry
 * something else.
 */
export const headerName: ValueType<string> = made({
  placeholder: "name",
  schema: anyText,
  what: "a header for event ids, such as Idempotency-Key",
  parse: (typed) => typed.toLowerCase(),
  fits: (value) =>
    /^[!#$%&'*+.^_`|~\w-]+$/.test(String(value)) && !takenHeaders.test(String(value)),
});

export const shard: ValueType<Shard> = made<Shard>({
  placeholder: "i/n",
  schema: anyText,
  what: "a number and a count, such as 3/8 for the third of eight",
  parse: parseShard,
  fits: (value) => isShard(value as Shard),
  show: ({ index, count }) => `${index}/${count}`,
});

function isAboveZero(value: unknown): boolean {
  return Number.isFinite(value) && Number(value) > 0;
}

/** The end of a sentence about a name that is not known; blank if none is near. */
export function didYouMean(given: string, known: readonly string[]): string {
  const name = suggest(given, known);
  return name === undefined ? "" : `; did you mean ${name}?`;
}
