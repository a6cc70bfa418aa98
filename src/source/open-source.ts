import { createHash } from "node:crypto";
import { cannotStart, InputDamagedError } from "../domain/errors.ts";
import { quoteWhole, type Row, type RowProblem } from "../domain/row.ts";
import type { SourcePosition } from "../domain/source-position.ts";
import { type CsvBatch, type CsvRecord, parseCsv } from "./parse-csv.ts";
import { type ByteReader, type InputSpec, readBytes } from "./read-bytes.ts";
import type { Reading } from "./reading.ts";
import type { Source } from "./source.ts";
import { validateUtf8 } from "./utf8.ts";

/**
 * Opens a CSV input: UTF-8 (a byte order mark is fine), comma, the first line a header.
 *
 * @param reading how it is to be read, as far as that was said
 * @param from where to read on after the header; only a file can begin anywhere but at the beginning
 * @throws CannotStartError where there is no such file, it cannot be read, or it has no header
 */
export async function openSource(
  input: InputSpec,
  reading: Reading = {},
  from?: SourcePosition,
): Promise<Source> {
  const { maxRecordBytes } = reading;
  const reader = await readBytes(input);
  const parsed = parseCsv(validateUtf8(reader.chunks), undefined, maxRecordBytes);
  try {
    const first = await parsed.next();
    const [header, ...rest] = first.done === true ? [] : first.value.records;
    if (header === undefined) throw cannotStart("input_empty", input.name);
    if (header.cells.every((cell) => cell.trim() === "")) {
      throw cannotStart("input_no_header", input.name);
    }
    if (from !== undefined) {
      await reader.close();
      return await openAt(input, header.cells, from, maxRecordBytes);
    }
    return sourceOf(input.name, reader, header.cells, startWith(rest, parsed));
  } catch (error) {
    await reader.close();
    if (error instanceof InputDamagedError) {
      throw cannotStart("input_damaged", input.name, error.message);
    }
    throw error;
  }
}

async function openAt(
  input: InputSpec,
  columns: readonly string[],
  from: SourcePosition,
  maxRecordBytes: number | undefined,
): Promise<Source> {
  const reader = await readBytes(input, from.offset);
  const parsed = parseCsv(validateUtf8(reader.chunks, from), from, maxRecordBytes);
  return sourceOf(input.name, reader, columns, parsed, from);
}

function sourceOf(
  name: string,
  reader: ByteReader,
  columns: readonly string[],
  parsed: AsyncIterable<RecordBatch>,
  from?: SourcePosition,
): Source {
  const rows = createRowMaker(columns, from);
  let position = from;
  async function* batches() {
    for await (const { records, start } of parsed) {
      const counts = { rowsBefore: rows.count(), blankLines: rows.blankLines() };
      position = start === undefined ? undefined : { ...start, ...counts };
      yield rows.make(records);
    }
  }
  return {
    name,
    columns,
    batches: batches(),
    batchStart: () => position,
    totalBytes: reader.totalBytes,
    bytesRead: reader.bytesRead,
    blankLines: rows.blankLines,
    close: reader.close,
  };
}

/** The batch that follows the header directly has no start of its own: before it stands the header. */
type RecordBatch = Pick<CsvBatch, "records"> & Partial<CsvBatch>;

async function* startWith(
  records: readonly CsvRecord[],
  rest: AsyncIterable<CsvBatch>,
): AsyncGenerator<RecordBatch> {
  if (records.length > 0) yield { records };
  yield* rest;
}

function createRowMaker(columns: readonly string[], from?: SourcePosition) {
  let row = from?.rowsBefore ?? 0;
  let blankLines = from?.blankLines ?? 0;

  /** In a file of one column, a line with nothing on it is a blank cell; elsewhere it is no row. */
  const isBlankLine = ({ cells }: CsvRecord) =>
    columns.length > 1 && cells.length === 1 && cells[0] === "";

  return {
    count: () => row,
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
 * it is not sent. Its cells are kept; those that have no column stand in the message, which goes into
 * the results, in full.
 */
function raggedRow(row: number, { line, cells }: CsvRecord, columnCount: number): Row {
  const kept = Array.from({ length: columnCount }, (_, at) => cells[at] ?? "");
  const surplus = cells.slice(columnCount).map(quoteWhole).join(", ");
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
