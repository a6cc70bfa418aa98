import type { Options } from "yargs";
import { parseRate } from "../delivery/pace.ts";
import { parseStatusList } from "../delivery/status-rules.ts";
import { parseMaxErrors } from "../domain/max-errors.ts";

/** An option, wherever its value stands: on the command line, in the environment or in a file. */
export interface Option {
  readonly describe: string;
  readonly kind: "flag" | "value";
  readonly choices?: readonly string[];
  /** Whether a configuration file may hold a list. */
  readonly takesList?: boolean;
  read(given: string): OptionRead;
}

export type OptionValue = string | number | boolean;

export type OptionRead =
  | { readonly kind: "value"; readonly value: OptionValue }
  /** What is wrong, as the sentence goes on after the name of the option. */
  | { readonly kind: "wrong"; readonly why: string };

/** The option as yargs takes it. What a value means is read elsewhere, as not all come from there. */
export function yargsOption({ describe, kind, choices }: Option): Options {
  if (kind === "flag") return { describe, boolean: true };
  return {
    describe,
    string: true,
    requiresArg: true,
    ...(choices === undefined ? {} : { choices }),
  };
}

/** An option that takes a text. */
export function text(describe: string): Option {
  return { describe, kind: "value", read: (given) => readAs(given) };
}

/** An option that takes a command: a text for the shell, or in a file its parts, for no shell. */
export function command(describe: string): Option {
  return { ...text(describe), takesList: true };
}

/** An option that takes statuses, such as `200,409` or `2xx`. */
export function statuses(describe: string): Option {
  return {
    describe,
    kind: "value",
    takesList: true,
    read(given) {
      const read = parseStatusList(given);
      return read.kind === "wrong" ? wrong(`: ${read.why}`) : readAs(given);
    },
  };
}

/** An option that takes one of a few words. */
export function oneOf(choices: readonly string[], describe: string): Option {
  const read = (given: string) =>
    choices.includes(given)
      ? readAs(given)
      : wrong(`: "${given}" is not one of ${choices.join(", ")}`);
  return { describe, kind: "value", choices, read };
}

/** An option that is there or not, or says true or false. */
export function flag(describe: string): Option {
  return {
    describe,
    kind: "flag",
    read(given) {
      const word = given.trim().toLowerCase();
      if (["true", "1", "yes", "on"].includes(word)) return readAs(true);
      if (["false", "0", "no", "off"].includes(word)) return readAs(false);
      return wrong(` needs true or false, not "${given}"`);
    },
  };
}

/** An option that takes a whole number. */
export function wholeNumber(describe: string, least: number, most: number): Option {
  return {
    describe,
    kind: "value",
    read(given) {
      const digits = given.trim();
      const number = /^\d+$/.test(digits) ? Number(digits) : Number.NaN;
      if (number >= least && number <= most) return readAs(number);
      return wrong(` needs a whole number from ${least} to ${most}, not "${given}"`);
    },
  };
}

/** An option that takes a share of the whole. */
export function share(describe: string): Option {
  return {
    describe,
    kind: "value",
    read(given) {
      const digits = given.trim();
      const number = /^\d*\.?\d+$/.test(digits) ? Number(digits) : Number.NaN;
      if (number >= 0 && number <= 1) return readAs(number);
      return wrong(` needs a number from 0 to 1, not "${given}"`);
    },
  };
}

const longestSeconds = 86_400;

/** An option that takes a duration in seconds, `1.5` or `1.5s`; it is read as milliseconds. */
export function seconds(describe: string): Option {
  return {
    describe,
    kind: "value",
    read(given) {
      const [, digits] = /^(\d+(?:\.\d+)?)s?$/.exec(given.trim()) ?? [];
      const durationMs = Math.round(Number(digits) * 1000);
      if (durationMs >= 1 && durationMs <= longestSeconds * 1000) return readAs(durationMs);
      return wrong(` needs seconds, such as 30 or 2.5, not "${given}"`);
    },
  };
}

const unitMs: Record<string, number> = { "": 1000, s: 1000, m: 60_000, h: 3_600_000 };

/** An option that takes a duration, `90`, `90s`, `15m` or `1h`; it is read as milliseconds. */
export function duration(describe: string): Option {
  return {
    describe,
    kind: "value",
    read(given) {
      const [, digits, unit = ""] = /^(\d+(?:\.\d+)?)([smh]?)$/.exec(given.trim()) ?? [];
      const durationMs = Math.round(Number(digits) * (unitMs[unit] ?? 0));
      if (durationMs <= longestSeconds * 1000) return readAs(durationMs);
      return wrong(` needs a duration such as 90s, 15m or 1h, a day at most, not "${given}"`);
    },
  };
}

/** An option that takes a rate; it is read as a number a second. */
export function rate(describe: string): Option {
  return {
    describe,
    kind: "value",
    read(given) {
      const parsed = parseRate(given);
      return parsed.kind === "rate" ? readAs(parsed.perSecond) : wrong(`: ${parsed.message}`);
    },
  };
}

/** An option that takes a number of errors or a share of them, `100` or `5%`. */
export function errorLimit(describe: string): Option {
  return {
    describe,
    kind: "value",
    read(given) {
      const parsed = parseMaxErrors(given);
      return parsed.kind === "limit" ? readAs(given) : wrong(`: ${parsed.message}`);
    },
  };
}

export function readAs(value: OptionValue): OptionRead {
  return { kind: "value", value };
}

export function wrong(why: string): OptionRead {
  return { kind: "wrong", why };
}
