import type { IncomingHttpHeaders } from "undici/types/header.d.ts";

/** Fields by which services tell how much they will take (draft-ietf-httpapi-ratelimit-headers). */
const fields: ReadonlySet<string> = new Set([
  ...["ratelimit", "ratelimit-policy"],
  ...["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"],
  ...["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"],
  ...["x-rate-limit-limit", "x-rate-limit-remaining", "x-rate-limit-reset"],
]);

/** Those that an answer has, as they came; nothing where it has none. */
export function rateLimitFields(
  headers: IncomingHttpHeaders,
): Readonly<Record<string, string>> | undefined {
  let found: Record<string, string> | undefined;
  // On the way of every answer: most fields are told from these by their first letter.
  for (const field in headers) {
    if (field[0] !== "r" && field[0] !== "x") continue;
    const value = headers[field];
    if (value === undefined || !fields.has(field)) continue;
    found ??= {};
    found[field] = typeof value === "string" ? value : value.join(", ");
  }
  return found;
}
