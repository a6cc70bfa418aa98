import { cannotStart } from "../../model/errors.ts";
import type { Reading } from "../../model/reading.ts";
import { refuseNoHeader, topRows } from "../check-header.ts";
import { readAhead } from "../look-ahead.ts";
import type { SheetRow } from "./sheet.ts";

/** The columns of a sheet, and its rows. */
export interface SheetHeader {
  readonly columns: readonly string[];
  /** About the header. */
  readonly warnings: readonly string[];
  readonly rest: {
    /** The row after which they begin. */
    readonly line: number;
    readonly batches: AsyncIterable<readonly SheetRow[]>;
  };
}

/** Rows that decide how wide a sheet without a header is. */
const widthRows = 100;

/**
 * The first row that is not empty, after the skipped ones, names the columns. Without a header the
 * columns are numbered, as many as the first rows have.
 *
 * @throws CannotStartError if there is no such row, or it seems to be a title above the names
 */
export async function readSheetHeader(
  name: string,
  batches: AsyncGenerator<readonly SheetRow[]>,
  { header = true, skipLines }: Pick<Reading, "header" | "skipLines">,
): Promise<SheetHeader> {
  const source = fromFirst(batches, skipLines ?? 0);
  const begin = await source.next();
  if (begin.done === true) throw cannotStart("input_empty", name);
  const wanted = header ? topRows : widthRows;
  const countOf = (more: readonly (readonly SheetRow[])[]) =>
    begin.value.length + more.flat().length;
  const ahead = await readAhead(source, (more) => countOf(more) > wanted);
  const near = [...begin.value, ...ahead.items.flat()];
  if (!header) {
    const width = Math.max(...near.slice(0, widthRows).map(({ cells }) => cells.length));
    const columns = Array.from({ length: width }, (_, at) => String(at + 1));
    const rest = { line: skipLines ?? 0, batches: startWith(begin.value, ahead.all()) };
    return { columns, rest, warnings: [] };
  }
  const [first, ...others] = begin.value as [SheetRow, ...SheetRow[]];
  const columns = first.cells.slice(0, lastWithText(first.cells) + 1);
  const top = { line: first.line, cells: columns };
  const warnings = skipLines === undefined ? refuseNoHeader(name, top, near.slice(1)) : [];
  const rest = { line: first.line, batches: startWith(others, ahead.all()) };
  return { columns, rest, warnings };
}

/** The rows from the first one that is not blank, after the skipped ones. */
async function* fromFirst(
  batches: AsyncIterable<readonly SheetRow[]>,
  above: number,
): AsyncGenerator<readonly SheetRow[]> {
  let hasBegun = false;
  for await (const rows of batches) {
    const begin = hasBegun
      ? 0
      : rows.findIndex(({ line, cells }) => line > above && lastWithText(cells) >= 0);
    if (begin < 0 || rows.length === 0) continue;
    hasBegun = true;
    yield rows.slice(begin);
  }
}

function lastWithText(cells: readonly string[]): number {
  return cells.findLastIndex((cell) => cell.trim() !== "");
}

async function* startWith(
  rows: readonly SheetRow[],
  rest: AsyncGenerator<readonly SheetRow[]>,
): AsyncGenerator<readonly SheetRow[]> {
  if (rows.length > 0) yield rows;
  yield* rest;
}
