import type { Row } from "../model/row.ts";
import { ofRows, Tally } from "./lint.ts";

/**
 * Finds rows without data: of blank cells only, and the header once more, as where files were joined.
 *
 * @param columns the names in the header; none if there is no header
 */
export function createEmptyRows(columns: readonly string[]) {
  const names = columns.map((name) => name.trim());
  const [blank, headers] = [new Tally(), new Tally()];
  const anyway = "sent anyway: remove what is no data";
  return {
    see(row: Row): void {
      if (row.cells.every((cell) => cell.trim() === "")) blank.add(row);
      else if (row.cells.every((cell, at) => cell.trim() === names[at])) headers.add(row);
    },
    found: () => [
      ...ofRows("blank_rows", blank, ["is blank and is", "are blank and are", anyway]),
      ...ofRows("repeated_header", headers, [
        "repeats the header and is",
        "repeat the header and are",
        anyway,
      ]),
    ],
  };
}
