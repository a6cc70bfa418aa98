import { InputDamagedError } from "../model/errors.ts";
import type { BytePosition, CsvBatch, CsvDialect, CsvRecord } from "./csv-record.ts";
import { countLineBreaks, longestRecord, manyBreaks } from "./csv-record.ts";
import { type ChunksRead, unreadable, untilBroken } from "./look-ahead.ts";
import {
  cellsOfUnclosed,
  classifyStrayQuote,
  findQuoteFault,
  namePlace,
  type QuoteFault,
  quoteDamage,
} from "./quote-faults.ts";
import { cellText, createCellScanner } from "./scan-cells.ts";

const LF = 10;
const CR = 13;
const lineEnd = Buffer.from("\n");
const replacement = Buffer.from("\ufffd");

/** A longer unfinished record is split again only when it is twice as long, not with every chunk. */
const longBytes = 256 * 1024;

/**
 * Parses CSV, some batches of records for each chunk of bytes. Our own, and not `csv-parse` (used until
 * 7.0): that takes eight times as long, does not say where a quote is, and counts a CRLF in quotes twice.
 *
 * @param chunks UTF-8
 * @param from where the chunks begin in the input
 * @throws InputDamagedError if the bytes cannot be CSV or no more can be read, after the last
 *   good record
 */
export async function* parseCsv(
  chunks: AsyncIterable<Buffer>,
  dialect: CsvDialect,
  from: BytePosition,
): AsyncGenerator<CsvBatch> {
  const split = createSplitter(dialect);
  const read: ChunksRead = {};
  let start = from;
  let left: Buffer = Buffer.alloc(0);
  let wanted = 0;
  const may = { mayHoldNul: false, mayHoldReplacement: false };

  /** Splits the first of the bytes that are left, which end with a line end. */
  function* take(length: number): Generator<CsvBatch> {
    may.mayHoldReplacement ||= left.includes(replacement);
    const begin = start.offset;
    let text = left.toString("utf8", 0, length);
    let because: SplitEnd = "many_records";
    while (because === "many_records") {
      const part = split(text, start.line);
      const { records, end } = part;
      if (records.length > 0) yield { records, start, ...may };
      start = { offset: start.offset + Buffer.byteLength(text.slice(0, end)), line: part.line };
      text = text.slice(end);
      because = part.because;
    }
    left = left.subarray(start.offset - begin);
    if (because === "too_long" || left.length > longestRecord(dialect)) {
      throw tooLong(left.toString("utf8", 0, dialect.maxRecordBytes), dialect, start.line);
    }
    wanted = left.length > longBytes ? 2 * left.length : 0;
  }

  for await (const chunk of untilBroken(chunks, read)) {
    left = left.length === 0 ? chunk : Buffer.concat([left, chunk]);
    may.mayHoldNul ||= chunk.includes(0);
    if (left.length >= Math.min(wanted, longestRecord(dialect))) yield* take(endOfLines(left));
  }
  if (read.broken !== undefined) {
    yield* take(left.at(-1) === CR ? left.length : endOfLines(left));
    throw unreadable(read.broken.error, start.line);
  }
  if (left.length === 0) return;
  if (left.at(-1) !== LF && left.at(-1) !== CR) left = Buffer.concat([left, lineEnd]);
  yield* take(left.length);
  if (left.length === 0) return;
  // Nothing closes the quote of its last cell. If no line follows that would be in the cell, it hides none.
  const written = left.toString("utf8").replace(/(?:\r\n|\n|\r)$/, "");
  const { line } = start;
  const quoteFault = findQuoteFault(written, dialect, line);
  if (quoteFault === undefined) return;
  if (countLineBreaks(written) > 0) throw quoteDamage(quoteFault, dialect.quote, line);
  const cells = cellsOfUnclosed(written, dialect);
  yield { records: [{ line, breaks: 0, cells, quoteFault }], start, ...may };
}

/** Where the last complete line ends: a line end is never part of a character, so the text can be cut there. */
function endOfLines(bytes: Buffer): number {
  // A CR that is the last byte may be half of a CRLF.
  return 1 + Math.max(bytes.lastIndexOf(LF), bytes.subarray(0, -1).lastIndexOf(CR));
}

/** @param text the beginning of the record */
function tooLong(
  text: string,
  { quote, delimiter, maxRecordBytes }: CsvDialect,
  line: number,
): InputDamagedError {
  const mebibyte = 1024 * 1024;
  const limit =
    maxRecordBytes % mebibyte === 0
      ? `${maxRecordBytes / mebibyte} MiB`
      : `${maxRecordBytes} bytes`;
  const found = findQuoteFault(text, { delimiter, quote }, line);
  const why =
    found?.kind === "unclosed" && found.place !== undefined
      ? `the quote (${quote}) at ${namePlace(found.place)} is probably never closed; if it is, `
      : "if that is right, ";
  return new InputDamagedError(
    line,
    `the row that starts on line ${line} is longer than ${limit}: ${why}allow more with max_record_size in eventload.yaml.`,
  );
}

/** What a {@link Splitter} made of a text. */
interface SplitText {
  readonly records: CsvRecord[];
  /** Where the first incomplete record begins; the text's end if there is none. */
  readonly end: number;
  /** The line on which that is. */
  readonly line: number;
  /** Why splitting stopped there. */
  readonly because: SplitEnd;
}

/** `text_end`: no complete record is left. `many_records`: the batch is full. */
type SplitEnd = "text_end" | "many_records" | "too_long";

/**
 * Splits the records of a text as RFC 4180 has them, with any delimiter, quote and line end: quotes
 * surround a whole cell, and a quote within it is doubled. Other quotes are a part of their cell.
 *
 * @param text one that ends with a line end, wherever its last record ends
 * @param line on which the text begins
 */
type Splitter = (text: string, line: number) => SplitText;

/** Rows wait in memory for those before them: small batches are short-lived. */
const maxRecords = 128;

function createSplitter(dialect: CsvDialect): Splitter {
  const { delimiter, quote } = dialect;
  const longest = longestRecord(dialect);
  const scanner = createCellScanner(quote, [delimiter]);

  return (text, firstLine) => {
    const records: CsvRecord[] = [];
    const find = (what: string, from: number) => {
      const found = text.indexOf(what, from);
      return found < 0 ? text.length : found;
    };
    let at = 0;
    let line = firstLine;
    let lf = find("\n", 0);
    let cr = find("\r", 0);
    let nextQuote = quote === "" ? text.length : find(quote, 0);
    const split = (because: SplitEnd): SplitText => ({ records, end: at, line, because });
    const afterLineEnd = (end: number): number =>
      text.charCodeAt(end) === CR && text.charCodeAt(end + 1) === LF ? end + 2 : end + 1;
    // No character has more than three bytes for each of its units.
    const isTooLong = (next: number) =>
      (next - at) * 3 > longest && Buffer.byteLength(text.slice(at, next)) > longest;

    while (at < text.length) {
      if (records.length === maxRecords) return split("many_records");
      if (lf < at) lf = find("\n", at);
      if (cr < at) cr = find("\r", at);
      if (nextQuote < at) nextQuote = find(quote, at);
      const end = Math.min(lf, cr);
      if (nextQuote >= end) {
        const next = afterLineEnd(end);
        if (isTooLong(next)) return split("too_long");
        records.push({ line, breaks: 0, cells: text.slice(at, end).split(delimiter) });
        at = next;
        line++;
        continue;
      }

      // Most of its cells may stand before the first quote. A delimiter of several may overlap itself.
      const before = delimiter.length > 1 ? "" : text.slice(at, nextQuote);
      const lead = at + before.lastIndexOf(delimiter);
      const cells = lead < at ? [] : text.slice(at, lead).split(delimiter);
      let breaks = 0;
      let asText: QuoteFault | undefined;
      let isOdd = false;
      for (let start = lead < at ? at : lead + delimiter.length; ; ) {
        scanner.moveTo(text, start);
        if (scanner.isQuoted && scanner.close < 0) return split("text_end");
        const cell = cellText(text, scanner, quote);
        cells.push(cell);
        if (scanner.isQuoted) {
          isOdd ||= scanner.close + quote.length !== scanner.end;
          breaks += countLineBreaks(cell);
        } else if (cell.includes(quote)) {
          if (classifyStrayQuote(cell, quote) !== "text") isOdd = true;
          else asText ??= { kind: "text", cell: cells.length };
        }
        if (scanner.isLast) break;
        start = scanner.end + delimiter.length;
      }
      const next = afterLineEnd(scanner.end);
      if (isTooLong(next)) return split("too_long");
      const quoteFault = isOdd ? findQuoteFault(text.slice(at, next), dialect, line) : asText;
      const written = breaks < manyBreaks ? {} : { written: text.slice(at, next) };
      const fault = quoteFault === undefined ? {} : { quoteFault };
      const isBlank = cells.length === 1 && cells[0] === "";
      records.push(
        isBlank
          ? { line, breaks, cells, isQuotedBlank: true }
          : { line, breaks, cells, ...written, ...fault },
      );
      at = next;
      line += 1 + breaks;
    }
    return split("text_end");
  };
}
