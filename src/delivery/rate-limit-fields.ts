import type { IncomingHttpHeaders } from "undici/types/header.d.ts";

/** Fields by which services tell how much they will take (draft-ietf-httpapi-ratelimit-headers). */
const fields = [
  ...["ratelimit", "ratelimit-policy"],
  ...["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"],
  ...["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"],
  ...["x-rate-limit-limit", "x-rate-limit-remaining", "x-rate-limit-reset"],
];

/** Those that an answer has, as they came; nothing where it has none. */
export function rateLimitFields(
  headers: IncomingHttpHeaders,
): Readonly<Record<string, string>> | undefined {
  let found: Record<string, string> | undefined;
  // On the way of every answer, so nothing is made where there is nothing.
  for (const field of fields) {
    const value = headers[field];
    if (value === undefined) continue;
    found ??= {};
    found[field] = typeof value === "string" ? value : value.join(", ");
  }
  return found;
}
