import { cannotStart } from "../../model/errors.ts";
import { checkReading } from "../../model/reading.ts";
import { parseStatusLists } from "../../model/status-rules.ts";
import type { ImportOptions } from "./import-options.ts";
import { type ErrorBound, type MaxErrors, parseMaxErrors } from "./max-errors.ts";
import { isShard, whyNoShard } from "./shard.ts";

/** Why a value cannot be used; undefined if it can. */
type Rule = (value: unknown) => string | undefined;

const wholeFrom =
  (least: number): Rule =>
  (value) =>
    Number.isInteger(value) && Number(value) >= least
      ? undefined
      : `${value} is not a whole number from ${least}`;
const aboveZero: Rule = (value) =>
  Number.isFinite(value) && Number(value) > 0 ? undefined : `${value} is not a number above 0`;
const oneOf =
  (...words: readonly string[]): Rule =>
  (value) =>
    words.includes(value as string)
      ? undefined
      : `${JSON.stringify(value)} is not one of ${words.join(", ")}`;

const rules: Partial<Record<keyof ImportOptions, Rule>> = {
  mapping: (value) =>
    typeof value === "string" || Object(value) === value
      ? undefined
      : `${value} is neither a path nor an object`,
  concurrency: wholeFrom(1),
  maxAttempts: wholeFrom(1),
  skip: wholeFrom(0),
  limit: (value) => (value === Number.POSITIVE_INFINITY ? undefined : wholeFrom(0)(value)),
  timeoutMs: aboveZero,
  ratePerSecond: aboveZero,
  maxOutageMs: (value) => (value === 0 ? undefined : aboveZero(value)),
  delivery: oneOf("at-least-once", "at-most-once"),
  durability: oneOf("power", "process"),
  resume: oneOf("never", "if-unfinished", "must"),
  idempotencyHeader: (value) => whyNoHeader(String(value)),
};

/**
 * Refuses options that make no sense, as the command line does for its flags.
 *
 * @throws CannotStartError naming the option
 */
export function checkOptions(options: ImportOptions): void {
  const { token, maxErrors, shard } = options;
  if (token === undefined || token === "") throw cannotStart("token_missing");
  for (const [name, why] of Object.entries(rules)) {
    const value = options[name as keyof ImportOptions];
    const problem = value === undefined && name !== "mapping" ? undefined : why(value);
    if (problem !== undefined) throw cannotStart("option_invalid", name, problem);
  }
  if (maxErrors !== undefined) boundOf("maxErrors", maxErrors);
  if (shard !== undefined && !isShard(shard)) {
    throw cannotStart("option_invalid", "shard", whyNoShard);
  }
  const statuses = parseStatusLists(options.statuses ?? {});
  if (statuses.kind === "wrong") {
    throw cannotStart("option_invalid", `statuses.${statuses.list}`, statuses.why);
  }
  checkReading(options.reading);
}

/** @throws CannotStartError if it is neither a count nor a share */
export function boundOf(name: "maxErrors" | "maxGone", given: MaxErrors): ErrorBound {
  const read = parseMaxErrors(given);
  if (read !== undefined) return read;
  const why = `${JSON.stringify(given)} is neither a count such as 100 nor a share such as "5%"`;
  throw cannotStart("option_invalid", name, why);
}

export function maxGoneOf({ maxGone = "10%" }: Pick<ImportOptions, "maxGone">): ErrorBound {
  return boundOf("maxGone", maxGone);
}

/**
 * What keeps a name from being that of the header for event ids: it is a token of RFC 9110, section 5.6.2, and none of
 * the headers that carry something else.
 */
export function whyNoHeader(name: string): string | undefined {
  const isToken = /^[!#$%&'*+.^_`|~\w-]+$/.test(name);
  const isTaken =
    /^(authorization|content-.*|connection|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|user-agent)$/i;
  if (isToken && !isTaken.test(name)) return undefined;
  return `"${name}" cannot be used; give a name such as Idempotency-Key`;
}
