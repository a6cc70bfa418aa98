import { createHash } from "node:crypto";
import { cannotStart, InputDamagedError } from "../domain/errors.ts";
import { quote, type Row, type RowProblem } from "../domain/row.ts";
import { type CsvRecord, parseCsv } from "./parse-csv.ts";
import { type InputSpec, readBytes } from "./read-bytes.ts";
import type { Source } from "./source.ts";
import { validateUtf8 } from "./utf8.ts";

/**
 * Opens a CSV input: UTF-8 (a byte order mark is fine), comma, the first line a header.
 *
 * @throws CannotStartError where there is no such file, it cannot be read, or it has no header
 */
export async function openSource(input: InputSpec): Promise<Source> {
  const reader = await readBytes(input);
  const records = parseCsv(validateUtf8(reader.chunks));
  try {
    const first = await records.next();
    const [header, ...rest] = first.value ?? [];
    if (header === undefined) throw cannotStart("input_empty", input.name);
    if (header.cells.every((cell: string) => cell.trim() === "")) {
      throw cannotStart("input_no_header", input.name);
    }
    const rows = createRowMaker(header.cells);
    return {
      name: input.name,
      columns: header.cells,
      batches: batches(rest, records, rows.make),
      totalBytes: reader.totalBytes,
      bytesRead: reader.bytesRead,
      blankLines: rows.blankLines,
      sha256: reader.sha256,
      close: reader.close,
    };
  } catch (error) {
    await reader.close();
    if (error instanceof InputDamagedError) {
      throw cannotStart("input_damaged", input.name, error.message);
    }
    throw error;
  }
}

async function* batches(
  first: readonly CsvRecord[],
  rest: AsyncIterable<readonly CsvRecord[]>,
  makeRows: (records: readonly CsvRecord[]) => Row[],
): AsyncGenerator<readonly Row[]> {
  if (first.length > 0) yield makeRows(first);
  for await (const records of rest) yield makeRows(records);
}

function createRowMaker(columns: readonly string[]) {
  let row = 0;
  let blankLines = 0;

  /** In a file of one column, a line with nothing on it is a blank cell; elsewhere it is no row. */
  const isBlankLine = ({ cells }: CsvRecord) =>
    columns.length > 1 && cells.length === 1 && cells[0] === "";

  return {
    blankLines: () => blankLines,
    make(records: readonly CsvRecord[]): Row[] {
      const rows: Row[] = [];
      for (const record of records) {
        if (isBlankLine(record)) {
          blankLines++;
          continue;
        }
        row++;
        rows.push(
          record.cells.length === columns.length
            ? { row, line: record.line, cells: record.cells }
            : raggedRow(row, record, columns.length),
        );
      }
      return rows;
    },
  };
}

/**
 * A row with more or fewer cells than the header: which column a cell belongs to is not known, so
 * it is not sent. Its cells are kept; those that have no column stand in the message.
 */
function raggedRow(row: number, { line, cells }: CsvRecord, columnCount: number): Row {
  const kept = Array.from({ length: columnCount }, (_, at) => cells[at] ?? "");
  const surplus = cells.slice(columnCount).map(quote).join(", ");
  const count = `has ${cells.length} ${cells.length === 1 ? "cell" : "cells"} where the header has ${columnCount}`;
  const problem: RowProblem = {
    code: "ragged_row",
    message: surplus === "" ? count : `${count}; without a column: ${surplus}`,
    mark: raggedMark(kept),
  };
  return { row, line, cells: kept, problem };
}

/** What tells the cells of a ragged row in the results file, until a person has mended them. */
export function raggedMark(cells: readonly string[]): string {
  const digest = createHash("sha256").update(JSON.stringify(cells)).digest("hex");
  return `cells-${digest.slice(0, 16)}`;
}
