import { cannotStart } from "../../model/errors.ts";
import { checkReading } from "../../model/reading.ts";
import { parseStatusLists } from "../../model/status-rules.ts";
import type { ImportOptions, SendOptions } from "./import-options.ts";
import { type ErrorBound, parseMaxErrors } from "./max-errors.ts";
import { isShard, whyNoShard } from "./shard.ts";

const wholeNumbers = {
  concurrency: 1,
  maxAttempts: 1,
  skip: 0,
  limit: 0,
} as const satisfies Partial<Record<keyof SendOptions, number>>;

const words: Record<"delivery" | "durability" | "resume", readonly string[]> = {
  delivery: ["at-least-once", "at-most-once"],
  durability: ["power", "process"],
  resume: ["never", "if-unfinished", "must"],
};

/**
 * Refuses options that make no sense, as the command line does for its flags.
 *
 * @throws CannotStartError naming the option
 */
export function checkOptions(options: ImportOptions): void {
  const { token } = options;
  if (token === undefined || token === "") throw cannotStart("token_missing");
  const { mapping } = options;
  if (typeof mapping !== "string" && Object(mapping) !== mapping) {
    throw cannotStart("option_invalid", "mapping", `${mapping} is neither a path nor an object`);
  }
  for (const [name, known] of Object.entries(words)) {
    const value = options[name as keyof typeof words];
    if (value === undefined || known.includes(value)) continue;
    throw cannotStart("option_invalid", name, `"${value}" is not one of ${known.join(", ")}`);
  }
  for (const [name, least] of Object.entries(wholeNumbers)) {
    const value = options[name as keyof typeof wholeNumbers];
    const isEndless = name === "limit" && value === Number.POSITIVE_INFINITY;
    if (value === undefined || isEndless || (Number.isInteger(value) && value >= least)) continue;
    throw cannotStart("option_invalid", name, `${value} is not a whole number from ${least}`);
  }
  for (const name of ["timeoutMs", "ratePerSecond"] as const) {
    const value = options[name];
    if (value === undefined || (value > 0 && Number.isFinite(value))) continue;
    throw cannotStart("option_invalid", name, `${value} is not a number above 0`);
  }
  const { maxOutageMs = 0 } = options;
  if (!(maxOutageMs >= 0 && Number.isFinite(maxOutageMs))) {
    throw cannotStart("option_invalid", "maxOutageMs", `${maxOutageMs} is not a number from 0`);
  }
  const { maxErrors } = options;
  if (maxErrors !== undefined && parseMaxErrors(maxErrors) === undefined) {
    const why = `${JSON.stringify(maxErrors)} is neither a count such as 100 nor a share such as "5%"`;
    throw cannotStart("option_invalid", "maxErrors", why);
  }
  if (options.shard !== undefined && !isShard(options.shard)) {
    throw cannotStart("option_invalid", "shard", whyNoShard);
  }
  const { idempotencyHeader: header } = options;
  const statuses = parseStatusLists(options.statuses ?? {});
  if (statuses.kind === "wrong") {
    throw cannotStart("option_invalid", `statuses.${statuses.list}`, statuses.why);
  }
  checkReading(options.reading);
  if (header === undefined || isUsableHeaderName(header)) return;
  throw cannotStart("option_invalid", "idempotencyHeader", `"${header}" cannot be used`);
}

/** @throws CannotStartError if it is neither a count nor a share */
export function maxGoneOf({ maxGone = "10%" }: Pick<ImportOptions, "maxGone">): ErrorBound {
  const read = parseMaxErrors(maxGone);
  if (read !== undefined) return read;
  const why = `${JSON.stringify(maxGone)} is neither a count such as 100 nor a share such as "5%"`;
  throw cannotStart("option_invalid", "maxGone", why);
}

/** A token of RFC 9110, section 5.6.2, and none of the headers that carry something else. */
function isUsableHeaderName(name: string): boolean {
  const isToken = /^[!#$%&'*+.^_`|~\w-]+$/.test(name);
  const isTaken =
    /^(authorization|content-.*|connection|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|user-agent)$/i;
  return isToken && !isTaken.test(name);
}

/** What keeps a name from being that of the header for event ids. */
export function whyNoHeader(name: string): string | undefined {
  if (isUsableHeaderName(name)) return undefined;
  return `"${name}" cannot be used; give a name such as Idempotency-Key`;
}
