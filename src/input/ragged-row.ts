import { createHash } from "node:crypto";
import { quoteWhole, type Row, type RowProblem } from "../model/row.ts";

/**
 * A row with more or fewer cells than the header is not sent, as it is not known which column a cell
 * belongs to. Its cells are kept; those without a column stand in full in the message, which goes into
 * the results.
 *
 * @param lastLine the line on which it ends
 * @param why it may have come to that
 */
export function raggedRow(
  row: number,
  { line, cells }: Pick<Row, "line" | "cells">,
  columnCount: number,
  lastLine = line,
  why?: string,
): Row {
  const kept = Array.from({ length: columnCount }, (_, at) => cells[at] ?? "");
  const surplus = cells.slice(columnCount).map(quoteWhole).join(", ");
  const lines = lastLine === line ? "" : ` and goes on to line ${lastLine}`;
  const because = why === undefined ? "" : `; ${why}`;
  const count = `has ${cells.length} ${cells.length === 1 ? "cell" : "cells"} where the header has ${columnCount}${lines}${because}`;
  const found = surplus === "" ? count : `${count}; without a column: ${surplus}`;
  const problem: RowProblem = cells.some((cell) => cell.includes("\0"))
    ? { code: "nul_character", message: `${nul}; it ${found}`, mark: raggedMark(kept) }
    : { code: "ragged_row", message: found, mark: raggedMark(kept) };
  return { row, line, cells: kept, problem };
}

const nul =
  "holds NUL characters, as a power cut or a broken copy leaves them: get the file again, or remove them";

/**
 * A digest of the cells of a ragged row: as long as it is the same, the row in the results file
 * was not fixed.
 */
export function raggedMark(cells: readonly string[]): string {
  const digest = createHash("sha256").update(JSON.stringify(cells)).digest("hex");
  return `cells-${digest.slice(0, 16)}`;
}
