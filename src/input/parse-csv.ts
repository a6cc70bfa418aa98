import { InputDamagedError } from "../model/errors.ts";
import { createLibrarySplitter } from "./csv-by-library.ts";
import { type CsvDialect, countLineBreaks, longestRecord, type SplitText } from "./csv-record.ts";
import { unreadable } from "./look-ahead.ts";
import { isQuoteText, placeOf, quoteDamage } from "./quote-faults.ts";
import { cellText, createCellScanner } from "./scan-cells.ts";

const LF = 10;
const CR = 13;

/**
 * Parses CSV, some batches of records for each chunk of bytes. Quotes that are not as RFC 4180 has them are text of
 * their cell, and the record says so.
 *
 * @param chunks UTF-8
 * @param firstLine the line of the input on which they begin
 * @throws InputDamagedError if a quote is never closed, a record is too long, or no more can be read, after the last
 *   good record
 */
export async function* parseCsv(
  chunks: AsyncIterable<Buffer>,
  dialect: CsvDialect,
  firstLine: number,
): AsyncGenerator<SplitText["records"]> {
  const { delimiter, quote, escape: before } = dialect;
  const isSimple = delimiter.length === 1 && quote.length <= 1 && before === undefined;
  const split = isSimple ? createSplitter(dialect) : await createLibrarySplitter(dialect);
  const longest = longestRecord(dialect);
  const incoming = chunks[Symbol.asyncIterator]();
  let broken: { readonly error: unknown } | undefined;
  let line = firstLine;
  /** Of a record that is not complete. */
  let held: Buffer[] = [];
  let heldBytes = 0;
  let wantedBytes = 0;
  try {
    for (let hasEnded = false; !hasEnded; ) {
      // What was read before an error is used first.
      const next = await incoming.next().catch((error: unknown) => {
        broken = { error };
        return { done: true, value: undefined } as const;
      });
      hasEnded = next.done === true;
      if (next.done !== true) {
        held.push(next.value);
        heldBytes += next.value.length;
      }
      if (heldBytes < wantedBytes && !hasEnded) continue;
      const bytes = held.length === 1 ? (held[0] as Buffer) : Buffer.concat(held);
      const isWhole = hasEnded && broken === undefined;
      const text = bytes.toString("utf8", 0, isWhole ? bytes.length : endOfLines(bytes, hasEnded));
      let at = 0;
      let because: SplitText["because"] = "many_records";
      while (because === "many_records") {
        const part = split(text, at, line, isWhole);
        if (part.records.length > 0) yield part.records;
        ({ end: at, line, because } = part);
        if (part.fault !== undefined) throw quoteDamage(part.fault, dialect, line);
      }
      const left = bytes.subarray(Buffer.byteLength(text.slice(0, at)));
      if (because === "too_long" || left.length > longest) {
        const beginning = left.toString("utf8", 0, dialect.maxRecordBytes);
        throw tooLong(dialect, line, split(beginning, 0, line, true).fault);
      }
      // What is not complete is split again only when it is twice as long, not with every chunk.
      wantedBytes = Math.min(2 * left.length, longest + 1);
      heldBytes = left.length;
      held = left.length === 0 ? [] : [left];
    }
    if (broken !== undefined) throw unreadable(broken.error, line, Buffer.concat(held));
  } finally {
    await incoming.return?.(undefined);
  }
}

/** Where the last complete line ends: a line end is never part of a character, so the text can be cut there. */
function endOfLines(bytes: Buffer, hasEnded: boolean): number {
  // A CR that is the last byte may be half of a CRLF.
  const cr = (hasEnded ? bytes : bytes.subarray(0, -1)).lastIndexOf(CR);
  return 1 + Math.max(bytes.lastIndexOf(LF), cr);
}

/** @param open the quote that is not closed within the longest record that is accepted */
function tooLong({ maxRecordBytes, quote }: CsvDialect, line: number, open: SplitText["fault"]) {
  const mebibytes = maxRecordBytes / 1024 ** 2;
  const most = Number.isInteger(mebibytes) ? `${mebibytes} MiB` : `${maxRecordBytes} bytes`;
  const why =
    open?.kind === "unclosed"
      ? `the quote (${quote}) at ${open.place} is probably never closed; if it is, `
      : "if that is right, ";
  return new InputDamagedError(
    line,
    `the row that starts on line ${line} is longer than ${most}: ${why}allow more with max_record_size in eventload.yaml.`,
  );
}

/** Rows wait in memory for those before them: small batches are short-lived. */
const maxRecords = 128;

/**
 * Splits the records of a text whose delimiter and quote are one character each: quotes surround a whole cell, and a
 * quote within it is doubled. What is not so is text of its cell. csv-parse takes eight times as long.
 */
function createSplitter(dialect: CsvDialect) {
  const { delimiter, quote } = dialect;
  const longest = longestRecord(dialect);
  const scanner = createCellScanner(quote, [delimiter]);

  /** @param isWhole whether nothing follows the text; if not, it ends with a line end, wherever its last record ends */
  return (text: string, from: number, firstLine: number, isWhole: boolean): SplitText => {
    const records: SplitText["records"] = [];
    const find = (what: string, from: number) => {
      const found = text.indexOf(what, from);
      return found < 0 ? text.length : found;
    };
    let at = from;
    let line = firstLine;
    let lf = find("\n", at);
    let cr = find("\r", at);
    let nextQuote = quote === "" ? text.length : find(quote, at);
    const split = (because: SplitText["because"], fault?: SplitText["fault"]): SplitText => {
      return { records, end: at, line, because, fault };
    };
    const afterLineEnd = (end: number): number =>
      text.charCodeAt(end) === CR && text.charCodeAt(end + 1) === LF ? end + 2 : end + 1;
    // No character has more than three bytes for each of its units.
    const isTooLong = (end: number) =>
      (end - at) * 3 > longest && Buffer.byteLength(text.slice(at, end)) > longest;

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

      // Most of its cells may stand before the first quote.
      const before = text.slice(at, nextQuote);
      const last = before.lastIndexOf(delimiter);
      const cells = last < 0 ? [] : before.slice(0, last).split(delimiter);
      let breaks = 0;
      let asText: SplitText["fault"];
      let fault: SplitText["fault"];
      for (let start = at + last + 1; ; start = scanner.end + 1) {
        scanner.moveTo(text, start);
        const { isQuoted, close } = scanner;
        const faultAt = (kind: "stray" | "unclosed", place: number) => {
          const written = text.slice(start, scanner.end);
          return {
            kind,
            cell: cells.length + 1,
            place: placeOf(text.slice(at, place), line),
            written,
          };
        };
        if (isQuoted && close < 0) {
          if (!isWhole) return split("text_end");
          return split("text_end", fault ?? faultAt("unclosed", start));
        }
        const cell = cellText(text, scanner, quote);
        if (isQuoted) {
          if (close + 1 !== scanner.end) fault ??= faultAt("stray", close);
          breaks += countLineBreaks(cell);
        } else if (cell.includes(quote)) {
          if (isQuoteText(cell, quote)) asText ??= { kind: "text", cell: cells.length + 1 };
          else fault ??= faultAt("stray", start + cell.indexOf(quote));
        }
        cells.push(cell);
        if (scanner.isLast) break;
      }
      const next = afterLineEnd(scanner.end);
      if (isTooLong(next)) return split("too_long");
      records.push({ line, breaks, cells, quoteFault: fault ?? asText });
      at = next;
      line += 1 + breaks;
    }
    return split("text_end");
  };
}
