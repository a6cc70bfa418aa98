import { delimiterOf } from "../../model/dialect.ts";
import { parseRate } from "../../model/quantities.ts";
import {
  findReadingProblem,
  recordBytesLimit,
  whyNoDelimiter,
  whyNoEncoding,
} from "../../model/reading.ts";
import { settingOf } from "../../model/run-settings.ts";
import { parseStatusList } from "../../model/status-rules.ts";
import { suggest } from "../../model/suggest.ts";
import { parseMaxErrors } from "../../run/options/max-errors.ts";

/** The titles under which the help shows options, in this order. */
export const groups = [
  ...(["Input", "Mapping", "Service", "Sending", "Rows", "Output", "Misbehaviour"] as const),
];

/** An option, whether its value is typed or stands in a configuration file. */
export interface Option {
  readonly describe: string;
  readonly kind: "flag" | "value";
  /** What the help shows for its value: `file` for `--results <file>`. */
  readonly placeholder?: string;
  /** The letter that stands for it. */
  readonly short?: string;
  /** Under which title the help shows it. */
  readonly group?: (typeof groups)[number];
  readonly isRequired?: true;
  /** Whether it is a key of the configuration file alone. */
  readonly isFileOnly?: boolean;
  /** Whether a configuration file may hold a list. */
  readonly takesList?: true;
  /** Whether its value is the path of a file: one in a configuration file goes by the folder of that. */
  readonly isPath?: true;
  /** Whether its value is a program with its arguments. */
  readonly takesProgram?: true;
  /** Whether it says something of one command, and so is no key of the configuration file. */
  readonly isTypedOnly?: true;
  /** What counts where nothing is given, in words for people. */
  readonly default?: string | undefined;
  /** What its value may be in a configuration file. */
  readonly schema: JsonSchema;
  read(given: string): OptionRead;
}

/** A JSON Schema, or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export type OptionValue = string | number | boolean;

export type OptionRead =
  | { readonly kind: "value"; readonly value: OptionValue }
  /** What is wrong, as the sentence goes on after the name of the option. */
  | { readonly kind: "wrong"; readonly why: string };

/** What the option is for, and what counts without it. */
export function describeOption({ describe, default: otherwise }: Option): string {
  return otherwise === undefined ? describe : `${describe} (default: ${otherwise})`;
}

/** The key of a configuration file that says the same as an option. */
export function toKey(option: string): string {
  return option.replace(/^statuses-/, "statuses.").replaceAll("-", "_");
}

/**
 * Options under a title of the help. Those that a run keeps have their default from the list of settings, which also
 * says whether they can be typed.
 *
 * @param more what holds for all of them
 */
export function grouped<Name extends string>(
  group: Option["group"] & string,
  options: Readonly<Record<Name, Option>>,
  more: More = {},
): Record<Name, Option> {
  const entries = Object.entries<Option>(options).map(([name, option]) => {
    const { fileOnly, usual } = settingOf(name) ?? {};
    const known = { ...(fileOnly && { isFileOnly: true }), ...(usual && { default: usual }) };
    return [name, { ...known, ...option, group, ...more }];
  });
  return Object.fromEntries(entries) as Record<Name, Option>;
}

/** What an option has besides its kind of value. */
type More = Partial<Option>;

/** An option that takes a text. */
export function text(placeholder: string, describe: string, more: More = {}): Option {
  return { describe, placeholder, kind: "value", schema: anyText, read: readAs, ...more };
}

/** An option that takes the path of a file. */
export function path(describe: string, more: More = {}): Option {
  return text("file", describe, { isPath: true, ...more });
}

/** An option that takes a command: a text for the shell, or in a file its parts, for no shell. */
export function command(describe: string): Option {
  const schema = { anyOf: [anyText, { type: "array", items: anyText, minItems: 1 }] };
  return text("command", describe, { schema, takesList: true, takesProgram: true });
}

/** An option that takes statuses, such as `200,409` or `2xx`. */
export function statuses(describe: string, more: More = {}): Option {
  const one = { anyOf: [{ type: "integer", minimum: 200, maximum: 599 }, anyText] };
  return text("statuses", describe, {
    schema: { anyOf: [...one.anyOf, { type: "array", items: one, minItems: 1 }] },
    takesList: true,
    read(given) {
      const read = parseStatusList(given);
      return read.kind === "wrong" ? wrong(`: ${read.why}`) : readAs(given);
    },
    ...more,
  });
}

/** An option that takes one of a few words, which its description names. */
export function oneOf(
  placeholder: string,
  choices: readonly string[],
  describe: string,
  more: More = {},
): Option {
  const among = choices.join(", ");
  const read = (given: string) =>
    choices.includes(given)
      ? readAs(given)
      : wrong(`: "${given}" is not one of ${among}${didYouMean(given, choices)}`);
  return text(placeholder, describe, { schema: { enum: choices }, read, ...more });
}

/** An option that is there or not; in a file it is true or false. */
export function flag(describe: string, more: More = {}): Option {
  return {
    ...{ describe, kind: "flag", schema: { type: "boolean" }, ...more },
    read: (given) =>
      given === "true" || given === "false"
        ? readAs(given === "true")
        : wrong(` needs true or false, not "${given}"`),
  };
}

/** An option that takes a whole number. */
export function wholeNumber(describe: string, least: number, most?: number): Option {
  const range = most === undefined ? `, ${least} or more` : ` from ${least} to ${most}`;
  return text("n", describe, {
    schema: { type: "integer", minimum: least, maximum: most ?? Number.MAX_SAFE_INTEGER },
    read(given) {
      const number = /^\s*\d+\s*$/.test(given) ? Number(given) : Number.NaN;
      const isFitting = number >= least && number <= (most ?? Number.MAX_SAFE_INTEGER);
      return isFitting ? readAs(number) : wrong(` needs a whole number${range}, not "${given}"`);
    },
  });
}

/** An option that takes a share of the whole. */
export function share(describe: string): Option {
  return text("share", describe, {
    schema: { type: "number", minimum: 0, maximum: 1 },
    read(given) {
      const number = /^\s*(?:\d+|\d*\.\d+)\s*$/.test(given) ? Number(given) : Number.NaN;
      return number <= 1 ? readAs(number) : wrong(` needs a number from 0 to 1, not "${given}"`);
    },
  });
}

/** An option that takes a number of errors or a share of them, `100` or `5%`. */
export function errorLimit(describe: string, more: More = {}): Option {
  const percent = { type: "string", pattern: "^[0-9]+([.][0-9]+)?%$" };
  return text("n|share", describe, {
    schema: { anyOf: [{ type: "integer", minimum: 0 }, percent] },
    read: (given) =>
      parseMaxErrors(given) === undefined
        ? wrong(`: "${given}" is neither a whole number such as 100 nor a share such as 5%`)
        : readAs(given),
    ...more,
  });
}

function readAs(value: OptionValue): OptionRead {
  return { kind: "value", value };
}

function wrong(why: string): OptionRead {
  return { kind: "wrong", why };
}

const anyText = { type: "string", minLength: 1 };

/** The end of a sentence about a name that is not known; blank if none is near. */
export function didYouMean(given: string, known: readonly string[]): string {
  const name = suggest(given, known);
  return name === undefined ? "" : `; did you mean ${name}?`;
}

/** An option that takes what stands between cells, or a word for it. */
export function delimiter(describe: string, more: More = {}): Option {
  return text("character", describe, {
    read(given) {
      const meant = delimiterOf(given);
      const why = whyNoDelimiter(meant);
      return why === undefined ? readAs(meant) : wrong(`: ${why}; give one such as ; or tab`);
    },
    ...more,
  });
}

/** An option that takes the quote character, or `none`. */
export function quoteCharacter(describe: string, more: More = {}): Option {
  return text("character", describe, {
    read(given) {
      const meant = given.toLowerCase() === "none" ? "" : given;
      const found = findReadingProblem({ quote: meant });
      return found === undefined ? readAs(meant) : wrong(`: ${found.why}, or the word none`);
    },
    ...more,
  });
}

/** An option that takes the label of an encoding. */
export function encoding(describe: string, more: More = {}): Option {
  return text("name", describe, {
    read(given) {
      const why = whyNoEncoding(given);
      return why === undefined ? readAs(given.trim()) : wrong(`: ${why}`);
    },
    ...more,
  });
}

const unitBytes: Record<string, number> = { "": 1, k: 1024, m: 1024 ** 2 };

/** An option that takes the size of a record, `4MiB` or `512KiB`; it is read as bytes. */
export function recordSize(describe: string, more: More = {}): Option {
  const bytes = { type: "integer", minimum: 1, maximum: recordBytesLimit };
  const written = { type: "string", pattern: "^[0-9]+ *([kKmM]?[iI]?[bB]?)$" };
  const most = `${recordBytesLimit / 1024 ** 2}MiB`;
  return text("size", describe, {
    schema: { anyOf: [bytes, written] },
    read(given) {
      const [, digits, unit = ""] = /^(\d+)\s*(?:([km])i?b?|b)?$/i.exec(given.trim()) ?? [];
      const bytes = Number(digits) * (unitBytes[unit.toLowerCase()] ?? 0);
      if (bytes >= 1 && bytes <= recordBytesLimit) return readAs(bytes);
      return wrong(` needs a size such as 4MiB or 512KiB, ${most} at most, not "${given}"`);
    },
    ...more,
  });
}

const unitMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const longestMs = 24 * 3_600_000;

/** An option that takes a duration, `500ms`, `30s`, `15m`, `1h` or 0; it is read as milliseconds. */
export function duration(describe: string, minMs = 0): Option {
  const written = { type: "string", pattern: "^[0-9]+([.][0-9]+)?(ms|s|m|h)$" };
  return text("duration", describe, {
    schema: minMs > 0 ? written : { anyOf: [{ const: 0 }, written] },
    read(given) {
      const trimmed = given.trim();
      const [, digits, unit = "s"] = /^(\d+(?:\.\d+)?)(ms|[smh])$/.exec(trimmed) ?? [];
      const durationMs = /^0+$/.test(trimmed)
        ? 0
        : Math.round(Number(digits) * (unitMs[unit] ?? 0));
      if (durationMs >= minMs && durationMs <= longestMs) return readAs(durationMs);
      const fix = Number(given) > 0 ? `; for seconds write ${trimmed}s` : "";
      const usual = "needs a duration such as 500ms, 30s, 15m or 1h, a day at most";
      return wrong(` ${usual}, not "${given}"${fix}`);
    },
  });
}

/** An option that takes an outage, `20s@60s`; it is read as milliseconds, `20000@60000`. */
export function outage(describe: string): Option {
  const time = "[0-9]+([.][0-9]+)?(ms|s|m|h)";
  return text("duration@duration", describe, {
    schema: { type: "string", pattern: `^${time}@${time}$` },
    read(given) {
      const times = given.split("@").map((part) => duration(describe).read(part));
      const ms = times.flatMap((time) => (time.kind === "value" ? [time.value] : []));
      if (ms.length === 2 && times.length === 2) return readAs(ms.join("@"));
      return wrong(` needs how long and when, such as 20s@60s, not "${given}"`);
    },
  });
}

/** An option that takes a rate; it is read as a number a second. */
export function rate(describe: string): Option {
  return text("rate", describe, {
    schema: { type: "string", pattern: "^[0-9]+([.][0-9]+)?/[smh]$" },
    read(given) {
      const perSecond = parseRate(given);
      if (perSecond !== undefined) return readAs(perSecond);
      const fix = Number(given) > 0 ? `; for ${given.trim()} a second write ${given.trim()}/s` : "";
      return wrong(`: "${given}" is not a rate such as 50/s, 3000/m or 100000/h${fix}`);
    },
  });
}

/** How a sentence about a configuration file continues that lacks a target. */
export function whyNoTarget(target: string, names: readonly string[]): string {
  const there =
    names.length === 0
      ? "; it has none: write it there under targets, or give --base-url"
      : `; it has ${names.join(", ")}`;
  const hint = (didYouMean(target, names) || there).replace(/\?$/, "");
  return `has no target "${target}"${hint}`;
}
