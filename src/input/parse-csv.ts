import { type CsvDialect, type CsvRecord, countLineBreaks, longestRecord } from "./csv-record.ts";
import { type ChunksRead, untilBroken } from "./look-ahead.ts";
import { isQuoteText, type QuoteFault } from "./quote-faults.ts";
import { cellText, createCellScanner } from "./scan-cells.ts";

const LF = 10;
const CR = 13;

/** A longer unfinished record goes to csv-parse, so that it is not split again with every chunk. */
const maxLeftBytes = 256 * 1024;

/**
 * Parses CSV, some batches of records for each chunk of bytes. Records that follow the rules are split
 * by our own fast path, several times as fast as csv-parse. From the first record that does not (a
 * damaged one, or a very long one), and for the rest at the end, csv-parse reads on and reports errors.
 *
 * @param chunks UTF-8
 * @param firstLine the line of the input on which they begin
 * @throws InputDamagedError if the bytes cannot be CSV or no more can be read, after the last
 *   good record
 */
export async function* parseCsv(
  chunks: AsyncIterable<Buffer>,
  dialect: CsvDialect,
  firstLine: number,
): AsyncGenerator<readonly CsvRecord[]> {
  const split = createFastPath(dialect);
  const read: ChunksRead = {};
  const incoming = untilBroken(chunks, read);
  let line = firstLine;
  let left: Buffer = Buffer.alloc(0);
  try {
    for (let next = await incoming.next(); next.done !== true; next = await incoming.next()) {
      const bytes = left.length === 0 ? next.value : Buffer.concat([left, next.value]);
      const endOfText = endOfLines(bytes);
      const text = bytes.toString("utf8", 0, endOfText);
      let at = 0;
      let because: SplitEnd = "many_records";
      while (because === "many_records") {
        const part = split(text, at, line);
        if (part.records.length > 0) yield part.records;
        ({ end: at, line, because } = part);
      }
      left = bytes.subarray(Buffer.byteLength(text.slice(0, at)));
      if (because === "odd_record" || left.length > maxLeftBytes) break;
    }
    if (left.length === 0 && read.broken === undefined) return;
    const { parseByLibrary } = await import("./csv-by-library.ts");
    yield* parseByLibrary(beginWith(left, incoming, read), dialect, line);
  } finally {
    await incoming.return(undefined);
  }
}

/** Where the last complete line ends: a line end is never part of a character, so the text can be cut there. */
function endOfLines(bytes: Buffer): number {
  const lf = bytes.lastIndexOf(LF);
  // A CR that is the last byte may be half of a CRLF.
  return 1 + (lf >= 0 ? lf : bytes.subarray(0, -1).lastIndexOf(CR));
}

async function* beginWith(
  left: Buffer,
  incoming: AsyncGenerator<Buffer>,
  read: ChunksRead,
): AsyncGenerator<Buffer> {
  if (left.length > 0) yield left;
  yield* incoming;
  if (read.broken !== undefined) throw read.broken.error;
}

/** What the fast path made of a text. */
interface SplitText {
  readonly records: CsvRecord[];
  /** Where the first incomplete or unsupported record begins; the text's end if there is none. */
  readonly end: number;
  /** The line on which that is. */
  readonly line: number;
  /** Why splitting stopped there. */
  readonly because: SplitEnd;
}

/**
 * `text_end`: no complete record is left. `many_records`: the batch is full. `odd_record`: the next
 * record breaks the rules or is too long, so csv-parse has to read it.
 */
type SplitEnd = "text_end" | "many_records" | "odd_record";

/** Rows wait in memory for those before them: small batches are short-lived. */
const maxRecords = 128;

/**
 * Splits the records of a text that follow RFC 4180, with any delimiter, quote and line end: quotes
 * surround a whole cell, and a quote within it is doubled. Other quotes are text if that is certain.
 */
function createFastPath(dialect: CsvDialect) {
  const { delimiter, quote } = dialect;
  // No character has more than three bytes for each of its units: what is shorter is short enough.
  const longestChars = longestRecord(dialect) / 3;
  const scanner = createCellScanner(quote, [delimiter]);

  /** @param text one that ends with a line end, wherever its last record ends */
  return (text: string, from: number, firstLine: number): SplitText => {
    const records: CsvRecord[] = [];
    const find = (what: string, from: number) => {
      const found = text.indexOf(what, from);
      return found < 0 ? text.length : found;
    };
    let at = from;
    let line = firstLine;
    let lf = find("\n", at);
    let cr = find("\r", at);
    let nextQuote = quote === "" ? text.length : find(quote, at);
    const split = (because: SplitEnd): SplitText => ({ records, end: at, line, because });
    const afterLineEnd = (end: number): number =>
      text.charCodeAt(end) === CR && text.charCodeAt(end + 1) === LF ? end + 2 : end + 1;

    while (at < text.length) {
      if (records.length === maxRecords) return split("many_records");
      if (lf < at) lf = find("\n", at);
      if (cr < at) cr = find("\r", at);
      if (nextQuote < at) nextQuote = find(quote, at);
      const end = Math.min(lf, cr);
      if (nextQuote >= end) {
        if (end - at > longestChars) return split("odd_record");
        records.push({ line, breaks: 0, cells: text.slice(at, end).split(delimiter) });
        at = afterLineEnd(end);
        line++;
        continue;
      }

      // Most of its cells may stand before the first quote. A delimiter of several may overlap itself.
      const before = delimiter.length > 1 ? "" : text.slice(at, nextQuote);
      const last = before.lastIndexOf(delimiter);
      const cells = last < 0 ? [] : before.slice(0, last).split(delimiter);
      let breaks = 0;
      let quoteFault: QuoteFault | undefined;
      for (let start = at + last + 1; ; start = scanner.end + delimiter.length) {
        scanner.moveTo(text, start);
        if (scanner.isQuoted && scanner.close < 0) return split("text_end");
        const cell = cellText(text, scanner, quote);
        cells.push(cell);
        if (scanner.isQuoted) {
          if (scanner.close + quote.length !== scanner.end) return split("odd_record");
          breaks += countLineBreaks(cell);
        } else if (cell.includes(quote)) {
          if (!isQuoteText(cell, quote)) return split("odd_record");
          quoteFault ??= { kind: "text", cell: cells.length };
        }
        if (scanner.isLast) break;
      }
      const next = afterLineEnd(scanner.end);
      if (next - at > longestChars) return split("odd_record");
      const fault = quoteFault === undefined ? {} : { quoteFault };
      const isBlank = cells.length === 1 && cells[0] === "";
      records.push(
        isBlank ? { line, breaks, cells, isQuotedBlank: true } : { line, breaks, cells, ...fault },
      );
      at = next;
      line += 1 + breaks;
    }
    return split("text_end");
  };
}
