import { createLibrarySplitter } from "./csv-by-library.ts";
import {
  type CsvDialect,
  countLineBreaks,
  longestRecord,
  type QuoteFault,
  type SplitText,
  type Splitter,
} from "./csv-record.ts";
import { isQuoteText, placeInText } from "./quote-faults.ts";

/** Rows wait in memory for those before them: small batches are short-lived. The first is also what is looked at. */
const maxRecords = 200;

/**
 * Splits the records of a text: quotes surround a whole cell, and a quote within it is doubled. What is not so is text
 * of its cell, and the record says so. csv-parse takes eight times as long: it splits what has an escape.
 */
export async function createSplitter(dialect: CsvDialect): Promise<Splitter> {
  if (dialect.escape !== undefined) return createLibrarySplitter(dialect);
  const { delimiter, quote } = dialect;
  const longest = longestRecord(dialect);

  return (text, from, firstLine, isWhole) => {
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
    let nextDelimiter = -1;
    const lineEnd = (start: number) => {
      if (lf < start) lf = find("\n", start);
      if (cr < start) cr = find("\r", start);
      return Math.min(lf, cr);
    };
    const cellEnd = (start: number) => {
      if (nextDelimiter < start) nextDelimiter = find(delimiter, start);
      return Math.min(nextDelimiter, lineEnd(start));
    };
    const split = (because: SplitText["because"], fault?: QuoteFault): SplitText => {
      return { records, end: at, line, because, fault };
    };
    const afterLineEnd = (end: number): number =>
      text.startsWith("\r\n", end) ? end + 2 : end + 1;
    const faultOf = (
      kind: "stray" | "unclosed",
      before: readonly string[],
      start: number,
      end: number,
      place: number,
    ): QuoteFault => ({
      ...{ kind, cell: before.length + 1, place: placeInText(text.slice(at, place), line) },
      written: text.slice(start, end),
    });
    // No character has more than three bytes for each of its units.
    const isTooLong = (end: number) =>
      (end - at) * 3 > longest && Buffer.byteLength(text.slice(at, end)) > longest;

    while (at < text.length) {
      if (records.length === maxRecords) return split("many_records");
      if (nextQuote < at) nextQuote = find(quote, at);
      let end = lineEnd(at);
      if (nextQuote >= end) {
        const next = afterLineEnd(end);
        if (isTooLong(next)) return split("too_long");
        records.push({ line, breaks: 0, cells: text.slice(at, end).split(delimiter) });
        at = next;
        line++;
        continue;
      }

      // Most of its cells may stand before the first quote.
      const cells = text.slice(at, nextQuote).split(delimiter);
      let start = nextQuote - (cells.pop() ?? "").length;
      let breaks = 0;
      let asText: QuoteFault | undefined;
      let stray: QuoteFault | undefined;
      for (let isLast = false; !isLast; start = end + delimiter.length) {
        const isQuoted = text.startsWith(quote, start);
        const close = isQuoted ? findClose(text, quote, start + quote.length) : start;
        if (close < 0) {
          if (!isWhole) return split("text_end");
          return split("text_end", stray ?? faultOf("unclosed", cells, start, text.length, start));
        }
        const afterClose = isQuoted ? close + quote.length : start;
        end = cellEnd(afterClose);
        const isAlone = isQuoted && end === afterClose;
        let cell = isAlone ? unquoted(text.slice(start + quote.length, close), quote) : undefined;
        if (cell === undefined) {
          cell = text.slice(start, end);
          if (isQuoted) stray ??= faultOf("stray", cells, start, end, close);
          else if (cell.includes(quote)) {
            if (isQuoteText(cell, quote)) asText ??= { kind: "text", cell: cells.length + 1 };
            else stray ??= faultOf("stray", cells, start, end, start + cell.indexOf(quote));
          }
        }
        if (isQuoted) breaks += countLineBreaks(cell);
        cells.push(cell);
        isLast = !text.startsWith(delimiter, end);
      }
      const next = afterLineEnd(end);
      if (isTooLong(next)) return split("too_long");
      records.push({ line, breaks, cells, quoteFault: stray ?? asText });
      at = next;
      line += 1 + breaks;
    }
    return split("text_end");
  };
}

/** Where the quote is that closes a cell; below 0 if none does. */
function findClose(text: string, quote: string, from: number): number {
  let close = text.indexOf(quote, from);
  while (close >= 0 && text.startsWith(quote, close + quote.length)) {
    close = text.indexOf(quote, close + 2 * quote.length);
  }
  return close;
}

function unquoted(written: string, quote: string): string {
  // V8 would keep what replaceAll makes in pieces, which take thirty times the memory.
  return written.includes(quote) ? written.split(quote + quote).join(quote) : written;
}
