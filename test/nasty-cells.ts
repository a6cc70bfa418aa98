import fc from "fast-check";

const fragments = fc.constantFrom(
  ...['"', '""', ",", ";", "\t", "\r", "\n", "\r\n", "\ufeff", " ", "'", "\\"],
  ...["=1+1", "00172", "é", "\u{1f600}", "\u202e", "import_status"],
);

/** Text as somebody's export may hold it, and as CSV finds it hard to carry; a NUL is no text. */
export const nastyCells = fc
  .array(fc.oneof(fragments, fc.string({ unit: "grapheme", maxLength: 4 })), { maxLength: 5 })
  .map((parts) => parts.join("").replaceAll(/[\p{Cs}\0]/gu, ""));

export type Table = readonly (readonly string[])[];

/** Writes CSV with every cell in quotes, by other code than that which is tested. */
export function quoteAll(records: Table): string {
  return records
    .map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(","))
    .map((line) => `${line}\r\n`)
    .join("");
}
