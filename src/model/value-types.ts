import { parseMaxErrors } from "./max-errors.ts";
import { parseRate, wholeRate } from "./quantities.ts";
import { delimiterOf, recordBytesLimit, whyNoDelimiter, whyNoEncoding } from "./reading.ts";
import { parseShard, type Shard, whyNoShard } from "./shard.ts";
import { parseStatusList } from "./status-rules.ts";
import { suggest } from "./suggest.ts";

/* The types of values that settings and options have: how each is typed, checked and shown. */

/** A JSON Schema, or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export type TypedValue = string | number | boolean;

export type ValueRead =
  | { readonly kind: "value"; readonly value: TypedValue }
  /** What is wrong, as the sentence goes on after the name of the option. */
  | { readonly kind: "wrong"; readonly why: string };

export interface ValueType<Value = unknown> {
  readonly kind: "flag" | "value";
  /** What the help shows for its value: `file` for `--results <file>`. */
  readonly placeholder?: string;
  /** Whether a configuration file may hold a list. */
  readonly takesList?: true;
  /** Whether its value is the path of a file: one in a configuration file goes by the folder of that. */
  readonly isPath?: true;
  /** Whether its value is a program with its arguments. */
  readonly takesProgram?: true;
  /** What its value may be in a configuration file. */
  readonly schema: JsonSchema;
  read(typed: string): ValueRead;
  /** Why a value that a program gives, or a manifest has, cannot be used; the end of a sentence. */
  why(value: unknown): string | undefined;
  /** A value that a program gives, as a run keeps it; default as it is. */
  keep?(given: unknown): Value;
  /** What is kept, as it is typed; default as a text. */
  show?(kept: Value): string;
}

const anyText = { type: "string", minLength: 1 };

/** A text. */
export function text(placeholder: string): ValueType<string> {
  return {
    kind: "value",
    placeholder,
    schema: anyText,
    read: readAs,
    why: (value) => (typeof value === "string" && value !== "" ? undefined : "it is no text"),
  };
}

/** The path of a file. */
export const path: ValueType<string> = { ...text("file"), isPath: true };

/** Files: a path, or of a program several. */
export const paths: ValueType<readonly string[]> = {
  ...path,
  keep: (given) => [given].flat() as string[],
  show: String,
  why: (value) => [value].flat().map(path.why).find(Boolean),
};

/** A command: a text for the shell, or in a file its parts, for no shell. */
export const command: ValueType<string> = {
  ...text("command"),
  takesList: true,
  takesProgram: true,
  schema: { anyOf: [anyText, { type: "array", items: anyText, minItems: 1 }] },
};

/** Statuses, such as `200,409` or `2xx`. */
export const statuses: ValueType<string> = {
  ...text("statuses"),
  takesList: true,
  schema: {
    anyOf: [...statusSchemas(), { type: "array", items: { anyOf: statusSchemas() }, minItems: 1 }],
  },
  read: (typed) => readIf(typed, statuses.why(typed), (why) => `: ${why}`),
  why(value) {
    const read = parseStatusList(value as string);
    return read.kind === "wrong" ? read.why : undefined;
  },
  keep: (given) => [given].flat().join(","),
};

function statusSchemas(): JsonSchema[] {
  return [{ type: "integer", minimum: 200, maximum: 599 }, anyText];
}

/** One of a few words, which its description names. */
export function oneOf<const Word extends string>(
  placeholder: string,
  ...words: readonly Word[]
): ValueType<Word> {
  const among = words.join(", ");
  return {
    kind: "value",
    placeholder,
    schema: { enum: words },
    read: (typed) =>
      words.includes(typed as Word)
        ? readAs(typed)
        : wrong(`: "${typed}" is not one of ${among}${didYouMean(typed, words)}`),
    why: (value) =>
      words.includes(value as Word) ? undefined : `${JSON.stringify(value)} is not one of ${among}`,
  };
}

/** Something that is so or not; in a file it is true or false. */
export const flag: ValueType<boolean> = {
  kind: "flag",
  schema: { type: "boolean" },
  read: (typed) =>
    typed === "true" || typed === "false"
      ? readAs(typed === "true")
      : wrong(` needs true or false, not "${typed}"`),
  why: (value) => (typeof value === "boolean" ? undefined : "it is neither true nor false"),
};

/** A whole number. */
export function wholeNumber(least: number, most?: number): ValueType<number> {
  const isFitting = (value: number) =>
    Number.isInteger(value) && value >= least && value <= (most ?? Number.MAX_SAFE_INTEGER);
  const range = most === undefined ? `, ${least} or more` : ` from ${least} to ${most}`;
  return {
    kind: "value",
    placeholder: "n",
    schema: { type: "integer", minimum: least, maximum: most ?? Number.MAX_SAFE_INTEGER },
    read(typed) {
      const number = /^\s*\d+\s*$/.test(typed) ? Number(typed) : Number.NaN;
      return isFitting(number)
        ? readAs(number)
        : wrong(` needs a whole number${range}, not "${typed}"`);
    },
    why: (value) =>
      isFitting(value as number)
        ? undefined
        : `${value} is not a whole number from ${least}${most === undefined ? "" : ` to ${most}`}`,
  };
}

/** A share of the whole. */
export const share: ValueType<number> = {
  kind: "value",
  placeholder: "share",
  schema: { type: "number", minimum: 0, maximum: 1 },
  read(typed) {
    const number = /^\s*(?:\d+|\d*\.\d+)\s*$/.test(typed) ? Number(typed) : Number.NaN;
    return number <= 1 ? readAs(number) : wrong(` needs a number from 0 to 1, not "${typed}"`);
  },
  why: (value) => (Number(value) >= 0 && Number(value) <= 1 ? undefined : `${value} is no share`),
};

/** A number of errors or a share of them, `100` or `5%`. */
export const errorLimit: ValueType<string> = {
  kind: "value",
  placeholder: "n|share",
  schema: {
    anyOf: [
      { type: "integer", minimum: 0 },
      { type: "string", pattern: "^[0-9]+([.][0-9]+)?%$" },
    ],
  },
  read: (typed) =>
    readIf(
      typed,
      errorLimit.why(typed),
      () => `: "${typed}" is neither a whole number such as 100 nor a share such as 5%`,
    ),
  why: (value) =>
    parseMaxErrors(value as string) === undefined
      ? `${JSON.stringify(value)} is neither a count such as 100 nor a share such as "5%"`
      : undefined,
  keep: String,
};

/** What stands between cells, or a word for it. */
export const delimiter: ValueType<string> = {
  ...text("character"),
  read(typed) {
    const meant = delimiterOf(typed);
    return readIf(meant, whyNoDelimiter(meant), (why) => `: ${why}; give one such as ; or tab`);
  },
  why: (value) => whyNoDelimiter(value as string),
};

/** The quote character, or `none`. */
export const quoteCharacter: ValueType<string> = {
  ...text("character"),
  read(typed) {
    const meant = typed.toLowerCase() === "none" ? "" : typed;
    return readIf(meant, quoteCharacter.why(meant), (why) => `: ${why}, or the word none`);
  },
  why: (value) =>
    typeof value === "string" && [...value].length <= 1 && !/[\r\n]/.test(value)
      ? undefined
      : "it has to be one character",
  show: (kept) => (kept === "" ? "none" : kept),
};

/** The label of an encoding. */
export const encoding: ValueType<string> = {
  ...text("name"),
  read: (typed) => readIf(typed.trim(), whyNoEncoding(typed), (why) => `: ${why}`),
  why: (value) => whyNoEncoding(value as string),
};

const unitBytes: Record<string, number> = { "": 1, k: 1024, m: 1024 ** 2 };

/** The size of a record, `4MiB` or `512KiB`; it is read as bytes. */
export const recordSize: ValueType<number> = {
  ...wholeNumber(1, recordBytesLimit),
  placeholder: "size",
  schema: {
    anyOf: [
      { type: "integer", minimum: 1, maximum: recordBytesLimit },
      { type: "string", pattern: "^[0-9]+ *([kKmM]?[iI]?[bB]?)$" },
    ],
  },
  read(typed) {
    const [, digits, unit = ""] = /^(\d+)\s*(?:([km])i?b?|b)?$/i.exec(typed.trim()) ?? [];
    const bytes = Number(digits) * (unitBytes[unit.toLowerCase()] ?? 0);
    const most = `${recordBytesLimit / 1024 ** 2}MiB`;
    if (bytes >= 1 && bytes <= recordBytesLimit) return readAs(bytes);
    return wrong(` needs a size such as 4MiB or 512KiB, ${most} at most, not "${typed}"`);
  },
};

const unitMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const longestMs = 24 * 3_600_000;

/** A duration, `500ms`, `30s`, `15m` or `1h`, and where nothing is allowed 0; it is read as milliseconds. */
export function duration(least: "any" | "above 0" = "any"): ValueType<number> {
  const written = { type: "string", pattern: "^[0-9]+([.][0-9]+)?(ms|s|m|h)$" };
  const isZeroFine = least === "any";
  return {
    kind: "value",
    placeholder: "duration",
    schema: isZeroFine ? { anyOf: [{ const: 0 }, written] } : written,
    read(typed) {
      const trimmed = typed.trim();
      const [, digits, unit = "s"] = /^(\d+(?:\.\d+)?)(ms|[smh])$/.exec(trimmed) ?? [];
      const durationMs = /^0+$/.test(trimmed)
        ? 0
        : Math.round(Number(digits) * (unitMs[unit] ?? 0));
      const isFitting = durationMs <= longestMs && (isZeroFine || durationMs > 0);
      if (isFitting) return readAs(durationMs);
      const fix = Number(typed) > 0 ? `; for seconds write ${trimmed}s` : "";
      const usual = "needs a duration such as 500ms, 30s, 15m or 1h, a day at most";
      return wrong(` ${usual}, not "${typed}"${fix}`);
    },
    why: (value) => (isZeroFine && value === 0 ? undefined : whyNotAboveZero(value)),
    show(ms) {
      if (ms > 0 && ms % 60_000 === 0) return `${ms / 60_000}m`;
      return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
    },
  };
}

/** An outage, `20s@60s`; it is read as milliseconds, `20000@60000`. */
export const outage: ValueType<string> = {
  ...text("duration@duration"),
  schema: {
    type: "string",
    pattern: "^[0-9]+([.][0-9]+)?(ms|s|m|h)@[0-9]+([.][0-9]+)?(ms|s|m|h)$",
  },
  read(typed) {
    const times = typed.split("@").map((part) => duration().read(part));
    const ms = times.flatMap((time) => (time.kind === "value" ? [time.value] : []));
    if (ms.length === 2 && times.length === 2) return readAs(ms.join("@"));
    return wrong(` needs how long and when, such as 20s@60s, not "${typed}"`);
  },
};

/** A rate; it is read as a number a second. */
export const rate: ValueType<number> = {
  kind: "value",
  placeholder: "rate",
  schema: { type: "string", pattern: "^[0-9]+([.][0-9]+)?/[smh]$" },
  read(typed) {
    const perSecond = parseRate(typed);
    if (perSecond !== undefined) return readAs(perSecond);
    const fix = Number(typed) > 0 ? `; for ${typed.trim()} a second write ${typed.trim()}/s` : "";
    return wrong(`: "${typed}" is not a rate such as 50/s, 3000/m or 100000/h${fix}`);
  },
  why: whyNotAboveZero,
  show(perSecond) {
    const { amount, unit } = wholeRate(perSecond) ?? { amount: perSecond, unit: "s" };
    return `${amount}/${unit}`;
  },
};

/**
 * The name of the header for event ids: a token of RFC 9110, section 5.6.2, and none of the headers that carry
 * something else.
 */
export const headerName: ValueType<string> = {
  ...text("name"),
  read: (typed) => readIf(typed.toLowerCase(), headerName.why(typed), (why) => `: ${why}`),
  why(value) {
    const isToken = /^[!#$%&'*+.^_`|~\w-]+$/.test(String(value));
    const isTaken =
      /^(authorization|content-.*|connection|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|user-agent)$/i;
    if (isToken && !isTaken.test(String(value))) return undefined;
    return `"${value}" cannot be used; give a name such as Idempotency-Key`;
  },
};

/** The part of the rows that a run takes, or `env`: what starts it says which. */
export const shard: ValueType<Shard> = {
  kind: "value",
  placeholder: "i/n",
  schema: anyText,
  read: (typed) =>
    typed === "env" || parseShard(typed) !== undefined
      ? readAs(typed)
      : wrong(`: ${whyNoShard}, not "${typed}"`),
  why: (value) => (parseShard(shard.show?.(value as Shard) ?? "") ? undefined : whyNoShard),
  show: ({ index, count }) => `${index}/${count}`,
};

function readAs(value: TypedValue): ValueRead {
  return { kind: "value", value };
}

function readIf(
  value: TypedValue,
  why: string | undefined,
  sentence: (why: string) => string,
): ValueRead {
  return why === undefined ? readAs(value) : wrong(sentence(why));
}

function wrong(why: string): ValueRead {
  return { kind: "wrong", why };
}

function whyNotAboveZero(value: unknown): string | undefined {
  const isAbove = Number.isFinite(value) && Number(value) > 0;
  return isAbove ? undefined : `${value} is not a number above 0`;
}

/** The end of a sentence about a name that is not known; blank if none is near. */
export function didYouMean(given: string, known: readonly string[]): string {
  const name = suggest(given, known);
  return name === undefined ? "" : `; did you mean ${name}?`;
}
