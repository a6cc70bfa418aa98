import type { ConversionSpec } from "../value-schema.ts";
import { fits } from "./guess-date.ts";

export interface NumberGuess {
  readonly conversion: ConversionSpec;
  readonly note?: string;
}

const marks = [".", ",", " ", "'"] as const;

/** How numbers are written here; nothing where the cells are none, or would lose something as numbers. */
export function guessNumber(cells: readonly string[]): NumberGuess | undefined {
  const trimmed = cells.map((cell) => cell.trim());
  if (!trimmed.every((cell) => /^-?[\d.,' \u00a0\u202f’]*\d(e[+-]?\d+)?$/i.test(cell)))
    return undefined;
  // A cell such as 00172 is a code, and would be 172.
  if (trimmed.some((cell) => /^-?0\d/.test(cell))) return undefined;
  if (fits({ type: "integer" }, cells)) return { conversion: { type: "integer" } };
  if (trimmed.every((cell) => /^-?\d+$/.test(cell))) return undefined;
  const grouped = trimmed.every((cell) => /^-?(0|[1-9]\d{0,2}([.,]\d{3})*)$/.test(cell));
  for (const mark of grouped ? marks : []) {
    const conversion: ConversionSpec = { type: "integer", thousands_separator: mark };
    // 34.181 is a number as it stands, and 1.234.567 is none.
    if (mark === "." && fits({ type: "number" }, cells)) continue;
    if (!fits(conversion, cells)) continue;
    const isClear = trimmed.some((cell) => /[.,]\d{3}[.,]/.test(cell));
    return {
      conversion,
      ...(isClear ? {} : { note: `"${mark}" is taken to stand between thousands` }),
    };
  }
  if (fits({ type: "number" }, cells)) {
    return grouped
      ? { conversion: { type: "number" }, note: "the point is taken to stand before a fraction" }
      : { conversion: { type: "number" } };
  }
  if (fits({ type: "decimal" }, cells)) {
    return { conversion: { type: "decimal" }, note: "more digits than a number keeps exact" };
  }
  for (const decimal of [",", "."] as const) {
    const point = decimal === "," ? { decimal_separator: decimal } : {};
    const plain: ConversionSpec = { type: "number", ...point };
    if (fits(plain, cells)) return { conversion: plain };
    for (const mark of marks.filter((mark) => mark !== decimal)) {
      const conversion: ConversionSpec = { ...plain, thousands_separator: mark };
      if (fits(conversion, cells)) return { conversion };
    }
  }
  return undefined;
}
