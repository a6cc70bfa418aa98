import {
  type CsvDialect,
  type CsvRecord,
  countLineBreaks,
  longestRecord,
  manyBreaks,
} from "./csv-record.ts";
import { classifyStrayQuote, type QuoteFault } from "./quote-faults.ts";

/** What {@link FastPath} made of a text. */
export interface SplitText {
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
export type SplitEnd = "text_end" | "many_records" | "odd_record";

/**
 * Splits the records of a text that follow RFC 4180, with any delimiter, quote and line end: quotes
 * surround a whole cell, and a quote within it is doubled. Other quotes are text if that is certain.
 *
 * @param text one that ends with a line end, wherever its last record ends
 * @param line on which the text begins
 */
export type FastPath = (text: string, line: number) => SplitText;

const LF = 10;
const CR = 13;

/** Rows wait in memory for those before them: small batches are short-lived. */
const maxRecords = 128;

/** @returns nothing for a dialect that the fast path does not support */
export function createFastPath(dialect: CsvDialect): FastPath | undefined {
  const { delimiter, quote } = dialect;
  if (delimiter.length !== 1 || quote.length > 1) return undefined;
  // No character has more than three bytes for each of its units: what is shorter is short enough.
  const longestChars = longestRecord(dialect) / 3;

  return (text, firstLine) => {
    const records: CsvRecord[] = [];
    const hasCR = text.includes("\r");
    const place = (found: number) => (found < 0 ? text.length : found);
    const find = (what: string, from: number) => place(text.indexOf(what, from));
    let at = 0;
    let line = firstLine;
    let lf = find("\n", 0);
    let cr = hasCR ? find("\r", 0) : text.length;
    let nextQuote = quote === "" ? text.length : find(quote, 0);
    let nextDelimiter = find(delimiter, 0);
    const split = (because: SplitEnd): SplitText => ({ records, end: at, line, because });

    /** Where the line that holds a place ends: before its line end. */
    const lineEnd = (from: number): number => {
      if (lf < from) lf = find("\n", from);
      if (cr < from) cr = find("\r", from);
      return Math.min(lf, cr);
    };
    const afterLineEnd = (end: number): number =>
      text.charCodeAt(end) === CR && text.charCodeAt(end + 1) === LF ? end + 2 : end + 1;

    while (at < text.length) {
      if (records.length === maxRecords) return split("many_records");
      const end = lineEnd(at);
      if (nextQuote < at) nextQuote = find(quote, at);
      if (nextQuote >= end) {
        if (end - at > longestChars) return split("odd_record");
        records.push({ line, breaks: 0, cells: text.slice(at, end).split(delimiter) });
        at = afterLineEnd(end);
        line++;
        continue;
      }

      const cells: string[] = [];
      let breaks = 0;
      let cellStart = at;
      let next: number | undefined;
      let quoteFault: QuoteFault | undefined;
      while (next === undefined) {
        if (nextQuote < cellStart) nextQuote = find(quote, cellStart);
        if (nextQuote === cellStart) {
          let close = find(quote, cellStart + 1);
          let isDoubled = false;
          while (text[close + 1] === quote) {
            isDoubled = true;
            close = find(quote, close + 2);
          }
          if (close === text.length) return split("text_end");
          const cell = text.slice(cellStart + 1, close);
          cells.push(isDoubled ? cell.replaceAll(quote + quote, quote) : cell);
          breaks += countLineBreaks(cell);
          const after = close + 1;
          const code = text.charCodeAt(after);
          if (code === LF || code === CR) next = afterLineEnd(after);
          else if (text[after] === delimiter) cellStart = after + 1;
          else return split("odd_record");
          continue;
        }
        const endOfLine = lineEnd(cellStart);
        if (nextDelimiter < cellStart) nextDelimiter = find(delimiter, cellStart);
        const endOfCell = Math.min(nextDelimiter, endOfLine);
        const cell = text.slice(cellStart, endOfCell);
        cells.push(cell);
        if (nextQuote < endOfCell) {
          if (classifyStrayQuote(cell, quote) !== "text") return split("odd_record");
          quoteFault ??= { kind: "text", cell: cells.length };
        }
        if (endOfCell === endOfLine) next = afterLineEnd(endOfLine);
        else cellStart = endOfCell + 1;
      }
      if (next - at > longestChars) return split("odd_record");
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
