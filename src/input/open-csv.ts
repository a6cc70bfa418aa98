import { cannotStart, type InputDamagedError } from "../model/errors.ts";
import { type Reading, usualRecordBytes } from "../model/reading.ts";
import type { RowProblem } from "../model/row.ts";
import { findTrailingDelimiters, refuseNoHeader, topRows, warnOfNames } from "./check-header.ts";
import { type Preamble, readPreamble } from "./csv-preamble.ts";
import type { CsvRecord } from "./csv-record.ts";
import { decodeBytes } from "./decode-bytes.ts";
import { firstOf, readAhead } from "./look-ahead.ts";
import { createRowMaker, holdsText, raggedMark } from "./make-rows.ts";
import { parseCsv } from "./parse-csv.ts";
import { quoteDamage, quoteProblem } from "./quote-faults.ts";
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
  if (reading.hiddenRows === "skip") {
    throw cannotStart("option_invalid", "--hidden-rows", `${name} is no workbook`);
  }
  const decoded = await decodeBytes(name, reader.chunks, reading.encoding);
  const preamble = await readPreamble(name, decoded.chunks, reading);
  const { delimiter, quote, line, doubt } = preamble;
  const { maxRecordBytes = usualRecordBytes, rowsInCells = false } = reading;
  const before = reading.escape;
  if (before !== undefined && quote === "") {
    throw cannotStart("option_invalid", "escape", "it works within quotes, and quote is none");
  }
  const csv = { delimiter, quote, escape: before, maxRecordBytes };
  const seen: BytesSeen = { nul: false, replacement: false, endMark: false };
  const parsed = parseCsv(watched(preamble.chunks, seen), csv, line);
  const found = await (reading.header === false
    ? numberColumns(name, parsed)
    : nameColumns(name, parsed, preamble, reading.skipLines === undefined));
  if (doubt !== undefined) throw cannotStart("delimiter_unclear", name, doubt);
  const { columns, areRowsEnded = false } = found;
  const warnings = [...decoded.warnings, ...found.warnings];
  const columnCount = columns.length + (areRowsEnded ? 1 : 0);
  const watch = watchRecords({ name, csv, columnCount, rowsInCells }, warnings);
  const rows = createRowMaker<CsvRecord>(
    {
      ...{ name, columns, reading, areRowsEnded },
      problemOf: problemsOfCells(columns, quote, seen),
      whyRagged: ({ quoteFault }) =>
        quoteFault && `cell ${quoteFault.cell} ${quoteProblem(quoteFault, quote)}`,
    },
    warnings,
  );
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
        for (const part of inParts(whole, columns.length)) yield rows.make(part);
        if (damage !== undefined) throw damage;
      }
    } finally {
      rows.end();
      watch.end();
      if (seen.endMark) warnings.push(`${name}: the DOS end-of-file mark at its end is left out.`);
    }
  }
  const packed = compression === undefined ? {} : { compression };
  return {
    name,
    columns,
    dialect: {
      ...{ ...packed, encoding: decoded.encoding, delimiter, quote },
      ...(before === undefined ? {} : { escape: before }),
    },
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
  /** Whether they ended with what DOS wrote at the end of a text (0x1A). */
  endMark: boolean;
}

/** Passes on all but the mark at the end. */
async function* watched(chunks: AsyncIterable<Buffer>, seen: BytesSeen): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    seen.nul ||= chunk.includes(0);
    seen.replacement ||= chunk.includes(replacement);
    const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    const end = endMarkIn(bytes);
    held = bytes.subarray(end);
    if (end > 0) yield bytes.subarray(0, end);
  }
  seen.endMark = held.length > 0;
}

/** Where a mark begins after which there are only more of them, and line ends. */
function endMarkIn(bytes: Buffer): number {
  let mark = bytes.length;
  for (let at = bytes.length - 1; at >= bytes.length - longestEnd; at--) {
    const byte = bytes[at];
    if (byte === endMark) mark = at;
    else if (byte !== 0x0a && byte !== 0x0d) break;
  }
  return mark;
}

const endMark = 0x1a;
/** CP/M filled the last 128 bytes with it. */
const longestEnd = 1024;

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
 * Without a header, the first line with a filled cell says how many columns there are; one, if there is none among
 * the first.
 */
async function numberColumns(
  name: string,
  parsed: AsyncGenerator<readonly CsvRecord[]>,
): Promise<Columns> {
  const isFilled = ({ cells }: CsvRecord) => holdsText(cells);
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

/** What is wrong with the cells of a record that has as many as the header. */
function problemsOfCells(columns: readonly string[], quote: string, seen: BytesSeen) {
  return ({ quoteFault }: CsvRecord, cells: readonly string[]): RowProblem | undefined => {
    const placeOf = (at: number) => ({ column: columns[at] ?? "", value: cells[at] ?? "" });
    const nul = seen.nul ? cells.findIndex((cell) => cell.includes("\0")) : -1;
    if (nul >= 0) {
      const message = "holds a NUL character: remove it";
      return { code: "nul_character", ...placeOf(nul), message };
    }
    if (quoteFault === undefined || quoteFault.kind === "text") return undefined;
    const message = quoteProblem(quoteFault, quote);
    const mark = raggedMark(cells);
    return { code: "stray_quote", ...placeOf(quoteFault.cell - 1), message, mark };
  };
}
