import type { IncomingHttpHeaders } from "undici/types/header.d.ts";

/** Header fields in which services report their quotas (draft-ietf-httpapi-ratelimit-headers). */
const fields: ReadonlySet<string> = new Set([
  ...["ratelimit", "ratelimit-policy"],
  ...["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"],
  ...["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"],
]);

/** The rate limit fields of an answer, as they came; undefined if it has none. */
export function rateLimitFields(
  headers: IncomingHttpHeaders,
): Readonly<Record<string, string>> | undefined {
  let found: Record<string, string> | undefined;
  // This runs for every answer: the first letter rules most fields out.
  for (const field in headers) {
    if (field[0] !== "r" && field[0] !== "x") continue;
    const value = headers[field];
    if (value === undefined || !fields.has(field)) continue;
    found ??= {};
    found[field] = typeof value === "string" ? value : value.join(", ");
  }
  return found;
}

/** What is left of a quota, as the service says. */
export interface Quota {
  /** Requests that may still be made. */
  readonly remaining: number;
  /** Milliseconds until there are more. */
  readonly resetMs: number;
  /** Requests in a whole period, if the service says so. */
  readonly limit?: number;
}

/** Header fields of an answer by name, in lower case. */
export type Fields = Readonly<Record<string, string>>;

/**
 * Reads the quotas of an answer: `RateLimit` with `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers), the
 * three fields of its first versions, and `X-RateLimit-*`. What is not well-formed is left out.
 *
 * @param now for quotas that are renewed at an absolute time
 */
export function readQuotas(fields: Fields, now: Date): Quota[] {
  const policies = readItems(fields["ratelimit-policy"]);
  const found: (Quota | undefined)[] = readItems(fields.ratelimit).map(({ name, parameters }) => {
    const policy = policies.find((other) => other.name === name) ?? policies[0];
    // Some policies limit bytes, or concurrent requests.
    if ((policy?.parameters.get("qu") ?? requests) !== requests) return undefined;
    return toQuota(
      parameters.get("r"),
      parameters.get("t") ?? policy?.parameters.get("w"),
      policy?.parameters.get("q"),
      now,
    );
  });
  for (const prefix of ["ratelimit", "x-ratelimit"]) {
    const [remaining, reset, limit] = ["remaining", "reset", "limit"].map((what) =>
      // Some services add the period after a semicolon, or the limits of other clients after a comma.
      fields[`${prefix}-${what}`]?.split(/[;,]/)[0]?.trim(),
    );
    found.push(toQuota(remaining, reset, limit, now));
  }
  return found.filter((quota) => quota !== undefined);
}

function toQuota(
  remaining: string | undefined,
  reset: string | undefined,
  limit: string | undefined,
  now: Date,
): Quota | undefined {
  if (remaining === undefined || reset === undefined) return undefined;
  if (!wholeNumber.test(remaining) || !decimalNumber.test(reset)) return undefined;
  const resetMs = untilReset(Number(reset), now);
  if (resetMs === undefined) return undefined;
  const quota = { remaining: Number(remaining), resetMs };
  if (limit === undefined || !wholeNumber.test(limit)) return quota;
  return { ...quota, limit: Number(limit) };
}

/** The unit of a quota that names none, in quotes as in a structured field. */
const requests = '"requests"';

const wholeNumber = /^\d{1,15}$/;
const decimalNumber = /^\d{1,15}(\.\d{1,9})?$/;

const maxResetSeconds = 31 * 86_400;

/** Services send seconds from now, or a time since 1970 in seconds or milliseconds, and do not say which. */
function untilReset(reset: number, now: Date): number | undefined {
  if (reset <= maxResetSeconds) return reset * 1000;
  for (const timeMs of [reset * 1000, reset]) {
    const waitMs = timeMs - now.getTime();
    // Clocks differ, so a time that has just passed is now.
    if (waitMs > -60_000 && waitMs <= maxResetSeconds * 1000) return Math.max(0, waitMs);
  }
  return undefined;
}

interface Item {
  readonly name: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** A list of items with parameters (RFC 9651): `"default";r=50;t=30, "day";r=9;t=3600`. */
function readItems(text: string | undefined): Item[] {
  if (text === undefined || text.length > 1000) return [];
  return splitOutsideQuotes(text, ",").map((item) => {
    const [name = "", ...parameters] = splitOutsideQuotes(item, ";");
    return { name: name.trim().replaceAll('"', ""), parameters: readParameters(parameters) };
  });
}

function readParameters(texts: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    texts.flatMap((text) => {
      const [, key, value] = /^\s*([a-z][\w.*-]*)\s*=\s*(\S+)\s*$/i.exec(text) ?? [];
      return key === undefined || value === undefined ? [] : [[key.toLowerCase(), value]];
    }),
  );
}

function splitOutsideQuotes(text: string, separator: string): string[] {
  const parts = [""];
  let isQuoted = false;
  for (const character of text) {
    if (character === '"') isQuoted = !isQuoted;
    if (character === separator && !isQuoted) parts.push("");
    else parts[parts.length - 1] += character;
  }
  return parts;
}
