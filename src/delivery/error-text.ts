const longestText = 500;

/**
 * The useful part of an error answer, on one line: `message`, `error`, `detail` or `errors` of a
 * JSON body, else the beginning of the text. Control characters are replaced, so that it can harm
 * neither a terminal nor a spreadsheet.
 */
export function errorText(body: string): string {
  const text = fromJson(body) ?? body;
  const oneLine = text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  return oneLine.length <= longestText ? oneLine : `${oneLine.slice(0, longestText - 1)}…`;
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
