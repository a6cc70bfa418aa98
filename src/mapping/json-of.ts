import type { Json } from "../model/json.ts";

/** What JSON (RFC 8259, section 7) or JSON.stringify writes otherwise than as it is. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are among it
const needsEscape = /["\\\u0000-\u001f\ud800-\udfff]/;

/** The JSON text of a value; blank where there is none. */
export function jsonOf(value: Json | undefined): string {
  if (value === undefined) return "";
  // Most values are plain text, for which this takes half the time.
  return typeof value === "string" && !needsEscape.test(value)
    ? `"${value}"`
    : JSON.stringify(value);
}
