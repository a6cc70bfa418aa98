export type ParsedRate =
  | { readonly kind: "rate"; readonly perSecond: number }
  | { readonly kind: "problem"; readonly message: string };

const unitsPerSecond: Record<string, number> = { s: 1, m: 60, h: 3600 };

/** Reads `50/s`, `3000/m` or `100000/h`. */
export function parseRate(text: string): ParsedRate {
  const [, count, unit] = /^(\d+(?:\.\d+)?)\/([smh])$/.exec(text.trim()) ?? [];
  const rate = Number(count) / (unitsPerSecond[unit ?? ""] ?? Number.NaN);
  return rate > 0
    ? { kind: "rate", perSecond: rate }
    : { kind: "problem", message: `"${text}" is not a rate such as 50/s, 3000/m or 100000/h` };
}
