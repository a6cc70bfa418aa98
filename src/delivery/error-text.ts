const longestText = 500;

/**
 * The useful part of an error answer, on one line: `message`, `error`, `detail` or `errors` of a
 * JSON body, else the beginning of the text. What could harm a terminal (control characters, the
 * escape character, marks that turn the direction of writing) is taken out of it, and what a
 * spreadsheet would take for a formula gets an apostrophe in front.
 *
 * @param redact takes a secret out of the text once nothing in it is escaped any more, and before it
 *   is cut
 */
export function errorText(body: string, redact: (text: string) => string): string {
  const text = fromJson(body) ?? body;
  const oneLine = redact(text)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  const harmless = /^[=+\-@]/.test(oneLine) ? `'${oneLine}` : oneLine;
  if (harmless.length <= longestText) return harmless;
  // A character of two halves is not cut in the middle.
  return `${harmless.slice(0, longestText - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

function fromJson(body: string): string | undefined {
  try {
    return describe(JSON.parse(body), 0);
  } catch {
    return undefined;
  }
}

const telling = ["message", "detail", "error_description", "error", "errors", "title"];

function describe(value: unknown, depth: number): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  if (typeof value !== "object" || value === null || depth > 4) return undefined;
  if (Array.isArray(value)) {
    const parts = value.slice(0, 10).map((item) => describe(item, depth + 1));
    return parts.filter((part) => part !== undefined).join("; ") || undefined;
  }
  for (const key of telling) {
    const found = Object.hasOwn(value, key)
      ? describe((value as Record<string, unknown>)[key], depth + 1)
      : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}
