import { cannotStart, InputDamagedError } from "../domain/errors.ts";
import type { Row } from "../domain/row.ts";
import type { SourcePosition } from "../domain/source-position.ts";
import { openInput } from "./open-input.ts";
import { type CsvBatch, type CsvRecord, parseCsv } from "./parse-csv.ts";
import { raggedRow } from "./ragged-row.ts";
import { type ByteReader, type InputSpec, readBytes } from "./read-bytes.ts";
import type { Reading } from "./reading.ts";
import type { Source } from "./source.ts";
import { validateUtf8 } from "./utf8.ts";
import { openWorkbook } from "./workbook/open-workbook.ts";

/**
 * Opens an input: a workbook, or CSV, perhaps packed by gzip: UTF-8 (a byte order mark is fine), comma,
 * the first line a header.
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
  const opened = await openInput(input);
  if (opened.kind === "workbook") return openWorkbook(input.name, opened.bytes, reading);
  const { reader, isPacked } = opened;
  if (reading.sheet !== undefined) {
    await reader.close();
    throw cannotStart("option_invalid", "--sheet", `${input.name} is no workbook`);
  }
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
    const source = sourceOf(input.name, reader, header.cells, startWith(rest, parsed));
    return isPacked ? { ...source, batchStart: () => undefined } : source;
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
