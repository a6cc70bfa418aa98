import type { Dialect } from "../model/dialect.ts";
import { cannotStart, InputDamagedError } from "../model/errors.ts";
import { type Reading, usualRecordBytes } from "../model/reading.ts";
import type { Row, RowProblem } from "../model/row.ts";
import type { SourcePosition } from "../model/source-position.ts";
import { mayBeNoHeader, refuseNoHeader, topRows } from "./check-header.ts";
import { readPreamble } from "./csv-preamble.ts";
import type { CsvBatch, CsvDialect, CsvRecord } from "./csv-record.ts";
import { decodeBytes, toUtf8 } from "./decode-bytes.ts";
import type { DetectedFormat } from "./detect-format.ts";
import { readAhead } from "./look-ahead.ts";
import { parseCsv } from "./parse-csv.ts";
import { nameQuoteFault, quoteDamage, quoteProblem } from "./quote-faults.ts";
import { raggedMark, raggedRow } from "./ragged-row.ts";
import { type ByteReader, type InputSpec, readBytes } from "./read-bytes.ts";
import type { Source } from "./source.ts";

import { watchRecords } from "./watch-records.ts";

/**
 * Opens CSV. Its encoding, delimiter and first line are detected unless they are given.
 *
 * @param text its bytes, decompressed
 * @param from where to continue after the header; only an uncompressed UTF-8 file can start anywhere
 *   but at its beginning
 * @throws CannotStartError if it cannot be read, or has no header
 */
export async function openCsv(
  input: InputSpec,
  { reader, compression }: Extract<DetectedFormat, { kind: "text" }>,
  reading: Reading,
  from?: SourcePosition,
): Promise<Source> {
  const { name } = input;
  try {
    if (reading.sheet !== undefined) {
      throw cannotStart("option_invalid", "--sheet", `${name} is no workbook`);
    }
    const decoded = await decodeBytes(name, reader.chunks, reading.encoding);
    // Who writes to standard input may write a row now and the next in an hour.
    const mayPause = input.kind === "stream";
    const preamble = await readPreamble(name, decoded.chunks, reading, mayPause);
    const { delimiter, quote, line } = preamble;
    const { maxRecordBytes = usualRecordBytes } = reading;
    const csv = { delimiter, quote, maxRecordBytes };
    const offset = decoded.offset + preamble.bytes;
    const parsed = parseCsv(preamble.chunks, csv, { offset, line });
    const { columns, first, rest, warnings } = await (reading.header === false
      ? numberColumns(name, parsed)
      : nameColumns(name, parsed, {
          quote,
          mayBeTitle: reading.skipLines === undefined,
          mayPause,
        }));
    const { encoding } = decoded;
    const isVerbatim = decoded.isVerbatim && compression === undefined;
    const packed = compression === undefined ? {} : { compression };
    const dialect: Dialect = { ...packed, encoding, delimiter, quote };
    const { mayHoldRows = false } = reading;
    const opened = { name, columns, isVerbatim, dialect, csv, mayHoldRows };
    if (from !== undefined) {
      await reader.close();
      return await openAt(input, opened, from);
    }
    return sourceOf(opened, reader, startWith(first, rest), [...decoded.warnings, ...warnings]);
  } catch (error) {
    await reader.close();
    if (error instanceof InputDamagedError) {
      throw cannotStart("input_damaged", name, error.message);
    }
    throw error;
  }
}

/** What is known of an input before its rows are read. */
interface Opened {
  readonly name: string;
  readonly columns: readonly string[];
  readonly dialect: Dialect;
  readonly csv: CsvDialect;
  /** Whether a cell that holds very many rows is accepted. */
  readonly mayHoldRows: boolean;
  /** Whether offsets in what is parsed are offsets in the input. */
  readonly isVerbatim: boolean;
}

/** Columns, records that were parsed to find them and are rows, and what follows these. */
interface Columns {
  readonly columns: readonly string[];
  readonly first: Iterable<readonly CsvRecord[]>;
  readonly rest: AsyncGenerator<CsvBatch>;
  /** About the header. */
  readonly warnings: readonly string[];
}

/**
 * @param mayBeTitle whether the first row may be a title above the names
 * @param mayPause whether more may be long in coming: one row that fits the header has to do
 */
async function nameColumns(
  name: string,
  parsed: AsyncGenerator<CsvBatch>,
  {
    quote,
    mayBeTitle,
    mayPause,
  }: { readonly quote: string; readonly mayBeTitle: boolean; readonly mayPause: boolean },
): Promise<Columns> {
  const next = await parsed.next();
  const [header, ...first] = next.done === true ? [] : next.value.records;
  if (header === undefined) throw cannotStart("input_empty", name);
  if (header.cells.some((cell) => cell.includes("\0"))) throw cannotStart("input_no_text", name);
  const { quoteFault } = header;
  if (quoteFault !== undefined && quoteFault.kind !== "text") {
    throw quoteDamage(quoteFault, quote, header.line);
  }
  const columns = header.cells;
  const isBlank = columns.every((cell) => cell.trim() === "");
  if (!mayBeTitle && isBlank) throw cannotStart("input_no_header", name, header.line);
  if (!mayBeTitle) return { columns, first: [first], rest: parsed, warnings: [] };
  const countOf = (batches: readonly CsvBatch[]) =>
    batches.reduce((sum, { records }) => sum + records.length, first.length);
  const one = await readAhead(parsed, (batches) => countOf(batches) >= 1);
  const second = first[0] ?? one.items[0]?.records[0];
  const fits = second?.cells.length === columns.length && !mayBeNoHeader(columns, [second]);
  if (mayPause && fits) return { columns, first: [first], rest: one.all(), warnings: [] };
  const ahead = await readAhead(one.all(), (batches) => countOf(batches) >= topRows);
  const rows = [first, ...ahead.items.map(({ records }) => records)].flat();
  const warnings = mayBeNoHeader(columns, rows) ? refuseNoHeader(name, header, rows) : [];
  return { columns, first: [first], rest: ahead.all(), warnings };
}

/**
 * Without a header, the first line that is not blank says how many columns there are. If all are blank,
 * they are cells of one column.
 */
async function numberColumns(name: string, parsed: AsyncGenerator<CsvBatch>): Promise<Columns> {
  let blank: { readonly line: number; readonly count: number } | undefined;
  for (let next = await parsed.next(); next.done !== true; next = await parsed.next()) {
    const { records, start } = next.value;
    const begin = records.findIndex(({ cells }) => cells.length > 1 || cells[0] !== "");
    const row = records[begin];
    if (row !== undefined) {
      const above = records.slice(0, begin).map(({ line }) => blankRecord(line));
      return {
        columns: row.cells.map((_, at) => String(at + 1)),
        first: afterBlank(blank, [...above, ...records.slice(begin)]),
        rest: parsed,
        warnings: [],
      };
    }
    blank = { line: blank?.line ?? start.line, count: (blank?.count ?? 0) + records.length };
  }
  if (blank !== undefined) {
    return { columns: ["1"], first: afterBlank(blank, []), rest: parsed, warnings: [] };
  }
  throw cannotStart("input_empty", name);
}

const maxBlank = 1000;

function blankRecord(line: number): CsvRecord {
  return { line, breaks: 0, cells: [""] };
}

/** Creates the blank lines again instead of keeping them: there may be millions. */
function* afterBlank(
  { line, count }: { readonly line: number; readonly count: number } = { line: 1, count: 0 },
  records: readonly CsvRecord[],
): Generator<readonly CsvRecord[]> {
  for (let made = 0; made < count; made += maxBlank) {
    const length = Math.min(maxBlank, count - made);
    yield Array.from({ length }, (_, at) => blankRecord(line + made + at));
  }
  yield records;
}

async function openAt(input: InputSpec, opened: Opened, from: SourcePosition): Promise<Source> {
  const reader = await readBytes(input, from.offset);
  const parsed = parseCsv(toUtf8(reader.chunks, opened.dialect.encoding, from), opened.csv, from);
  return sourceOf(opened, reader, parsed, [], from);
}

/** Counted in cells, as a row with too few cells is filled up to the width of the header. */
const maxCellsAtOnce = 256 * 1024;

function sourceOf(
  { name, columns, dialect, csv, isVerbatim, mayHoldRows }: Opened,
  reader: ByteReader,
  parsed: AsyncIterable<RecordBatch>,
  atFirst: readonly string[],
  from?: SourcePosition,
): Source {
  const rows = createRowMaker(columns, csv.quote, from);
  const warnings = [...atFirst];
  const watched = { name, csv, columnCount: columns.length, mayHoldRows };
  const watch = watchRecords(watched, warnings);
  const rowsAtOnce = Math.max(1, Math.floor(maxCellsAtOnce / columns.length));
  let position = from;
  async function* batches() {
    try {
      for await (const { records, start, ...may } of parsed) {
        const { mayHoldNul = true, mayHoldReplacement = true } = may;
        const isWatched =
          mayHoldReplacement || csv.quote === ""
            ? () => true
            : ({ breaks, quoteFault }: CsvRecord) => breaks > 0 || quoteFault !== undefined;
        let damage: InputDamagedError | undefined;
        const sound = records.findIndex((record) => {
          damage = isWatched(record) ? watch.look(record, mayHoldReplacement) : undefined;
          return damage !== undefined;
        });
        const counts = { rowsBefore: rows.count(), blankLines: rows.blankLines() };
        position = start === undefined || !isVerbatim ? undefined : { ...start, ...counts };
        const whole = sound < 0 ? records : records.slice(0, sound);
        for (let at = 0; at < whole.length; at += rowsAtOnce) {
          if (at > 0) position = undefined;
          yield rows.make(whole.slice(at, at + rowsAtOnce), mayHoldNul);
        }
        if (damage !== undefined) throw damage;
      }
    } finally {
      watch.end();
    }
  }
  return {
    name,
    columns,
    dialect,
    warnings,
    batches: batches(),
    batchStart: () => position,
    totalBytes: reader.totalBytes,
    bytesRead: reader.bytesRead,
    blankLines: rows.blankLines,
    close: reader.close,
  };
}

/** The batch right after the header has no start of its own, as the header stands before it. */
type RecordBatch = Pick<CsvBatch, "records"> & Partial<CsvBatch>;

async function* startWith(
  first: Iterable<readonly CsvRecord[]>,
  rest: AsyncIterable<CsvBatch>,
): AsyncGenerator<RecordBatch> {
  for (const records of first) if (records.length > 0) yield { records };
  yield* rest;
}

function createRowMaker(columns: readonly string[], quote: string, from?: SourcePosition) {
  let row = from?.rowsBefore ?? 0;
  let blankLines = from?.blankLines ?? 0;

  /** An empty line is a blank cell in a file of one column; in any other it is not a row. */
  const isBlankLine = ({ cells, isQuotedBlank }: CsvRecord) =>
    columns.length > 1 && cells.length === 1 && cells[0] === "" && isQuotedBlank === undefined;

  return {
    count: () => row,
    blankLines: () => blankLines,
    make(records: readonly CsvRecord[], mayHoldNul: boolean): Row[] {
      const rows: Row[] = [];
      for (const record of records) {
        if (isBlankLine(record)) {
          blankLines++;
          continue;
        }
        row++;
        if (record.cells.length === columns.length) {
          rows.push(rowOf(row, record, mayHoldNul ? columns : [], columns, quote));
          continue;
        }
        const { quoteFault, line, breaks } = record;
        const why = quoteFault && nameQuoteFault(quoteFault, quote);
        rows.push(raggedRow(row, record, columns.length, line + breaks, why));
      }
      return rows;
    },
  };
}

/** @param searched the columns to search for NULs */
function rowOf(
  row: number,
  { line, cells, quoteFault }: CsvRecord,
  searched: readonly string[],
  columns: readonly string[],
  quote: string,
): Row {
  const at = searched.findIndex((_, index) => cells[index]?.includes("\0"));
  const column = searched[at];
  if (column !== undefined) {
    const problem: RowProblem = {
      code: "nul_character",
      column,
      value: cells[at] ?? "",
      message: "holds a NUL character: remove it",
    };
    return { row, line, cells, problem };
  }
  if (quoteFault === undefined || quoteFault.kind === "text") return { row, line, cells };
  const faulty = quoteFault.cell - 1;
  const problem: RowProblem = {
    code: "stray_quote",
    column: columns[faulty] ?? "",
    value: cells[faulty] ?? "",
    message: quoteProblem(quoteFault.kind, quote),
    mark: raggedMark(cells),
  };
  return { row, line, cells, problem };
}
