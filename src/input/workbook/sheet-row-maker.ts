import { quote, type Row, type RowProblem } from "../../model/row.ts";
import { raggedMark, raggedRow } from "../ragged-row.ts";
import type { CellFlaw, SheetRow } from "./sheet-row.ts";

/** Makes rows of what stands in a sheet below its header. */
export interface SheetRowMaker {
  make(rows: readonly SheetRow[]): Row[];
  /** Rows of the sheet between others with nothing in them. */
  blankLines(): number;
}

/** Cells of a row that are named as having no value. */
const mostNamed = 20;

/** @param above the sheet's row after which its rows begin */
export function createSheetRowMaker(columns: readonly string[], above: number): SheetRowMaker {
  let row = 0;
  let lastLine = above;
  let blankLines = 0;

  const toRow = ({ line, cells, flaws }: SheetRow): Row => {
    row++;
    if (cells.length > columns.length) return raggedRow(row, { line, cells }, columns.length);
    const all = Array.from(columns, (_, at) => cells[at] ?? "");
    const [flaw, ...others] = flaws;
    if (flaw === undefined) return { row, line, cells: all };
    return { row, line, cells: all, problem: flawOf(flaw, others, all) };
  };

  const flawOf = (
    flaw: CellFlaw,
    others: readonly CellFlaw[],
    all: readonly string[],
  ): RowProblem => {
    const nameOf = ({ at }: CellFlaw) => columns[at] ?? String(at + 1);
    const names = others.slice(0, mostNamed).map((other) => quote(nameOf(other)));
    const more = others.length - names.length;
    const also = `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
    return {
      code: "error_cell",
      column: nameOf(flaw),
      value: flaw.value,
      message: also === "" ? flaw.message : `${flaw.message}; so it is with ${also}`,
      mark: raggedMark(all),
    };
  };

  return {
    blankLines: () => blankLines,
    make: (rows) =>
      rows.map((given) => {
        blankLines += given.line - lastLine - 1;
        lastLine = given.line;
        return toRow(given);
      }),
  };
}
