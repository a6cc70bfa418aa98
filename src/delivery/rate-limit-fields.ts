import type { IncomingHttpHeaders } from "undici/types/header.d.ts";

/** The rate limit fields of an answer, as they came (draft-ietf-httpapi-ratelimit-headers). */
export interface RateLimitFields {
  readonly ratelimit: string;
  readonly "ratelimit-policy": string;
}

/** The rate limit fields of an answer; undefined if it reports no quota. */
export function rateLimitFields(headers: IncomingHttpHeaders): RateLimitFields | undefined {
  const { ratelimit, "ratelimit-policy": policy = "" } = headers;
  const { "ratelimit-remaining": remaining, "ratelimit-reset": reset } = headers;
  if (ratelimit !== undefined) {
    return { ratelimit: [ratelimit].flat().join(), "ratelimit-policy": [policy].flat().join() };
  }
  if (typeof remaining !== "string" || typeof reset !== "string") return undefined;
  // Three fields, until draft 6; one from draft 7 on.
  const [limit = "0"] = /^\d+/.exec(String(headers["ratelimit-limit"])) ?? [];
  return {
    ratelimit: `limit=${limit}, remaining=${remaining}, reset=${reset}`,
    "ratelimit-policy": "",
  };
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

/** The unit of a quota that names none, in quotes as in a structured field. */
const requests = '"requests"';
/** Numbers of structured fields have at most 15 digits (RFC 9651, section 3.3.1). */
const structuredInteger = /^\d{1,15}$/;
const decimalNumber = /^\d{1,12}(\.\d{1,3})?$/;

const draft7 = /^limit=(\d{1,15}), ?remaining=(\d{1,15}), ?reset=(\d{1,12})$/;

/** Reads the quotas of an answer. What is not well-formed is left out. */
export function readQuotas(fields: RateLimitFields): Quota[] {
  const [, limit = "", remaining, reset = ""] = draft7.exec(fields.ratelimit) ?? [];
  if (remaining !== undefined) return quota(remaining, reset, limit);
  const policies = readItems(fields["ratelimit-policy"]);
  return readItems(fields.ratelimit).flatMap(({ name, parameters }) => {
    const policy = policies.find((other) => other.name === name) ?? policies[0];
    // Some policies limit bytes, or concurrent requests.
    if ((policy?.parameters.get("qu") ?? requests) !== requests) return [];
    return quota(
      parameters.get("r") ?? "",
      parameters.get("t") ?? policy?.parameters.get("w") ?? "",
      policy?.parameters.get("q") ?? "",
    );
  });
}

function quota(remaining: string, seconds: string, limit: string): Quota[] {
  if (!structuredInteger.test(remaining) || !decimalNumber.test(seconds)) return [];
  const read = { remaining: Number(remaining), resetMs: Number(seconds) * 1000 };
  return [structuredInteger.test(limit) ? { ...read, limit: Number(limit) } : read];
}

/** A list of items with parameters (RFC 9651): `"default";r=50;t=30, "day";r=9;t=3600`. */
function readItems(text: string) {
  if (text.length > 1000) return [];
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
