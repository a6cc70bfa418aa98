import { cannotStart, type InputDamagedError } from "../model/errors.ts";
import { type Reading, usualRecordBytes } from "../model/reading.ts";
import type { Row } from "../model/row.ts";
import { findTrailingDelimiters, refuseNoHeader, topRows, warnOfNames } from "./check-header.ts";
import { type Preamble, readPreamble } from "./csv-preamble.ts";
import type { CsvRecord } from "./csv-record.ts";
import { decodeBytes } from "./decode-bytes.ts";
import { firstOf, readAhead } from "./look-ahead.ts";
import { parseCsv } from "./parse-csv.ts";
import { quoteDamage, quoteProblem } from "./quote-faults.ts";
import { raggedMark, raggedRow } from "./ragged-row.ts";
import type { ByteReader } from "./read-bytes.ts";
import { inParts, type Source } from "./source.ts";
import { replacement, watchRecords } from "./watch-records.ts";

/**
 * Opens CSV. Its encoding, delimiter and first line are detected unless they are given.
 *
 * @param reader of its bytes, decompressed; the counts are those of the input
 * @throws CannotStartError if it has no header, or the delimiter has to be given
 * @throws InputDamagedError if it cannot be read to its first row
 */
export async function openCsv(
  name: string,
  reader: ByteReader,
  compression: "gzip" | undefined,
  reading: Reading,
): Promise<Source> {
  if (reading.sheet !== undefined) {
    throw cannotStart("option_invalid", "--sheet", `${name} is no workbook`);
  }
  const decoded = await decodeBytes(name, reader.chunks, reading.encoding);
  const preamble = await readPreamble(name, decoded.chunks, reading);
  const { delimiter, quote, line, doubt } = preamble;
  const { maxRecordBytes = usualRecordBytes, rowsInCells = false } = reading;
  const csv = { delimiter, quote, maxRecordBytes };
  const seen: BytesSeen = { nul: false, replacement: false };
  const parsed = parseCsv(noting(preamble.chunks, seen), csv, line);
  const found = await (reading.header === false
    ? numberColumns(name, parsed)
    : nameColumns(name, parsed, preamble, reading.skipLines === undefined));
  if (doubt !== undefined) throw cannotStart("delimiter_unclear", name, doubt);
  const { columns, areRowsEnded = false } = found;
  const warnings = [...decoded.warnings, ...found.warnings];
  const columnCount = columns.length + (areRowsEnded ? 1 : 0);
  const watch = watchRecords({ name, csv, columnCount, rowsInCells }, warnings);
  const rows = createRowMaker(columns, areRowsEnded, quote);
  async function* batches() {
    try {
      for await (const records of found.batches) {
        const isWatched = seen.replacement
          ? () => true
          : ({ breaks, quoteFault }: CsvRecord) => breaks > 0 || quoteFault !== undefined;
        let damage: InputDamagedError | undefined;
        const sound = records.findIndex((record) => {
          damage = isWatched(record) ? watch.look(record, seen.replacement) : undefined;
          return damage !== undefined;
        });
        const whole = sound < 0 ? records : records.slice(0, sound);
        for (const part of inParts(whole, columns.length)) yield rows.make(part, seen.nul);
        if (damage !== undefined) throw damage;
      }
    } finally {
      watch.end();
    }
  }
  const packed = compression === undefined ? {} : { compression };
  return {
    name,
    columns,
    dialect: { ...packed, encoding: decoded.encoding, delimiter, quote },
    warnings,
    batches: batches(),
    totalBytes: reader.totalBytes,
    bytesRead: reader.bytesRead,
    blankLines: rows.blankLines,
    close: reader.close,
  };
}

/** What the bytes so far hold, so that rows have to be searched for it. */
interface BytesSeen {
  nul: boolean;
  replacement: boolean;
}

async function* noting(chunks: AsyncIterable<Buffer>, seen: BytesSeen): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    seen.nul ||= chunk.includes(0);
    seen.replacement ||= chunk.includes(replacement);
    yield chunk;
  }
}

interface Columns {
  readonly columns: readonly string[];
  /** The records of rows. */
  readonly batches: AsyncIterable<readonly CsvRecord[]>;
  /** Whether each row ends with a delimiter, after which there is no column. */
  readonly areRowsEnded?: boolean;
  /** About the header. */
  readonly warnings: readonly string[];
}

/**
 * @param mayBeTitle whether the first row may be a title above the names
 */
async function nameColumns(
  name: string,
  parsed: AsyncGenerator<readonly CsvRecord[]>,
  { quote, doubt }: Preamble,
  mayBeTitle: boolean,
): Promise<Columns> {
  const next = await parsed.next();
  const [header, ...first] = next.done === true ? [] : next.value;
  if (header === undefined) throw cannotStart("input_empty", name);
  const { cells, line, quoteFault } = header;
  if (cells.some((cell) => cell.includes("\0"))) throw cannotStart("input_no_text", name);
  if (quoteFault !== undefined && quoteFault.kind !== "text") {
    throw quoteDamage(quoteFault, quote, line);
  }
  const isBlank = cells.every((cell) => cell.trim() === "");
  if (!mayBeTitle && isBlank && doubt === undefined)
    throw cannotStart("input_no_header", name, line);
  const topOf = (batches: readonly (readonly CsvRecord[])[]) => firstOf(batches, topRows);
  const ahead = await readAhead(parsed, (batches) => topOf(batches) !== undefined, [first]);
  // Of the same rows, however many come at once.
  const rows = topOf(ahead.items) ?? ahead.items.flat();
  const warnings = mayBeTitle ? refuseNoHeader(name, header, rows, doubt) : [];
  const trailing = findTrailingDelimiters(cells, rows);
  const hasEnd = trailing !== "none" && cells.length > 1 && cells.at(-1) === "";
  const columns = hasEnd ? cells.slice(0, -1) : cells;
  warnings.push(...warnOfNames(name, columns));
  if (trailing !== "none") {
    const ends = trailing === "rows" ? "the rows end" : "the header ends";
    warnings.push(`${name}: ${ends} with a delimiter, which makes no further column.`);
  }
  const areRowsEnded = trailing === "rows";
  return { columns, areRowsEnded, batches: ahead.all(), warnings };
}

/**
 * Without a header, the first line that is not blank says how many columns there are. If all of the first
 * ones are blank, they are cells of one column.
 */
async function numberColumns(
  name: string,
  parsed: AsyncGenerator<readonly CsvRecord[]>,
): Promise<Columns> {
  const isFilled = ({ cells }: CsvRecord) => cells.length > 1 || cells[0] !== "";
  const ahead = await readAhead(
    parsed,
    (batches) => batches.length >= maxBlankBatches || batches.at(-1)?.some(isFilled) === true,
  );
  const all = ahead.all();
  if (ahead.items.length === 0 && (await all.next()).done) throw cannotStart("input_empty", name);
  const row = ahead.items.at(-1)?.find(isFilled);
  const columns = row?.cells.map((_, at) => String(at + 1)) ?? ["1"];
  return { columns, batches: all, warnings: [] };
}

/** Blank lines are kept in memory until a row comes: these are some 100,000. */
const maxBlankBatches = 1000;

function createRowMaker(columns: readonly string[], areRowsEnded: boolean, quote: string) {
  let row = 0;
  let blankLines = 0;

  /** An empty line is a blank cell in a file of one column; in any other it is not a row. */
  const isBlankLine = ({ cells }: CsvRecord) =>
    columns.length > 1 && cells.length === 1 && cells[0] === "";

  const toRow = (record: CsvRecord, mayHoldNul: boolean): Row => {
    const { line, breaks, cells, quoteFault } = record;
    if (cells.length !== columns.length) {
      const why = quoteFault && `cell ${quoteFault.cell} ${quoteProblem(quoteFault.kind, quote)}`;
      return raggedRow(row, record, columns.length, line + breaks, why);
    }
    const nul = mayHoldNul ? cells.findIndex((cell) => cell.includes("\0")) : -1;
    if (nul >= 0) {
      const place = { column: columns[nul] ?? "", value: cells[nul] ?? "" };
      const message = "holds a NUL character: remove it";
      return { row, line, cells, problem: { code: "nul_character", ...place, message } };
    }
    if (quoteFault === undefined || quoteFault.kind === "text") return { row, line, cells };
    const at = quoteFault.cell - 1;
    const place = { column: columns[at] ?? "", value: cells[at] ?? "" };
    const message = quoteProblem(quoteFault.kind, quote);
    const mark = raggedMark(cells);
    return { row, line, cells, problem: { code: "stray_quote", ...place, message, mark } };
  };

  return {
    blankLines: () => blankLines,
    make(records: readonly CsvRecord[], mayHoldNul: boolean): Row[] {
      const rows: Row[] = [];
      for (const record of records) {
        if (isBlankLine(record)) {
          blankLines++;
          continue;
        }
        row++;
        const isEnded = areRowsEnded && record.cells.length > 1 && record.cells.at(-1) === "";
        const given = isEnded ? { ...record, cells: record.cells.slice(0, -1) } : record;
        rows.push(toRow(given, mayHoldNul));
      }
      return rows;
    },
  };
}
