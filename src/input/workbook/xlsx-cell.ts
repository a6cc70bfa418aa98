import { type DateSystem, isoMomentText, type NumberForm, readNumber } from "./number-text.ts";
import { type CellValue, errorCell } from "./sheet.ts";

/**
 * The text of a cell (ECMA-376 part 1, 18.18.11).
 *
 * @param type as its `t` says
 * @param stored as its `v` or `is` holds it
 * @param sharedText the text of the workbook with this number
 * @returns undefined if it does not hold what its type says
 */
export function readXlsxCell(
  type: string,
  stored: string,
  form: NumberForm,
  sharedText: (index: number) => string | undefined,
  system: DateSystem,
): CellValue | undefined {
  const asText = (text: string): CellValue => ({ kind: "text", text });
  switch (type) {
    case "s": {
      const text = /^\d+$/.test(stored) ? sharedText(Number(stored)) : undefined;
      return text === undefined ? undefined : asText(text);
    }
    case "str":
    case "inlineStr":
      return asText(readEscapes(stored));
    case "b":
      return asText(["1", "true"].includes(stored) ? "true" : "false");
    case "d":
      return asText(isoMomentText(stored) ?? stored);
    case "e":
      return { kind: "flaw", text: stored, message: errorCell };
    default:
      return readNumber(stored, form, system);
  }
}

/**
 * Characters that XML cannot hold stand in texts of an .xlsx as `_x000D_` (ECMA-376 part 1, 22.9.2.19).
 * One that would make half a character of it, or a NUL, stays as it is written.
 */
export function readEscapes(text: string): string {
  if (!text.includes("_x")) return text;
  const read = text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return /\p{Cs}|\0/u.test(read) ? text : read;
}
