import { cannotStart } from "../../domain/errors.ts";
import type { Reading } from "../reading.ts";
import type { SheetRow } from "./sheet-row.ts";

/** What stands above the rows of a sheet, and the rows. */
export interface SheetTop {
  readonly columns: readonly string[];
  readonly rest: {
    /** The row after which they begin. */
    readonly line: number;
    readonly batches: AsyncIterable<readonly SheetRow[]>;
  };
}

/** So many rows are looked at to find out how wide a sheet without a header is. */
const widthRows = 100;

/**
 * The first row that is not empty names the columns, after those that are left out. Without a header
 * they are numbered, as many as the first rows have.
 *
 * @throws CannotStartError where there is no such row
 */
export async function readSheetTop(
  name: string,
  batches: AsyncGenerator<readonly SheetRow[]>,
  { header = true, skipLines = 0 }: Pick<Reading, "header" | "skipLines">,
): Promise<SheetTop> {
  const rows: SheetRow[] = [];
  const isFirst = ({ line, cells }: SheetRow) => line > skipLines && hasText(cells);
  while (rows.length < (header ? 1 : widthRows)) {
    const next = await batches.next();
    if (next.done === true) break;
    const begin = rows.length > 0 ? 0 : next.value.findIndex(isFirst);
    if (begin >= 0) rows.push(...next.value.slice(begin));
  }
  const [first, ...others] = rows;
  if (first === undefined) throw cannotStart("input_empty", name);
  if (!header) {
    const width = Math.max(...rows.slice(0, widthRows).map(({ cells }) => cells.length));
    const columns = Array.from({ length: width }, (_, at) => String(at + 1));
    return { columns, rest: { line: skipLines, batches: startWith(rows, batches) } };
  }
  const columns = first.cells.slice(0, lastWithText(first.cells) + 1);
  return { columns, rest: { line: first.line, batches: startWith(others, batches) } };
}

function hasText(cells: readonly string[]): boolean {
  return lastWithText(cells) >= 0;
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
