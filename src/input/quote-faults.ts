import { InputDamagedError } from "../model/errors.ts";
import { type CellScanner, cellText, createCellScanner, type Quoting } from "./scan-cells.ts";

/** The quotes of a record are not as RFC 4180 has them. */
export interface QuoteFault {
  readonly kind: QuoteFaultKind;
  /** Which cell has the first of them, from 1. */
  readonly cell: number;
  /** Where the quote is, such as `line 2, column 9`, unless it is text. */
  readonly place?: string;
}

/**
 * - `text`: a quote within a cell that is not in quotes, such as `24" monitor`: it is text
 * - `after_close`: text follows the quote that closes a cell
 * - `after_space`: only spaces, a byte order mark, or other traces of a wrong encoding are before the quote
 * - `not_opened`: the quote ends a cell as if it closed it
 * - `unclosed`: a quote opens the last cell of the input and is never closed
 */
type QuoteFaultKind = "text" | "after_close" | "after_space" | "not_opened" | "unclosed";

/** What a wrong encoding makes of a byte order mark, or of characters of UTF-16. */
const marks = /^(?:\ufeff|\u00ef\u00bb\u00bf|\ufffd|\0)+$/;

/** @param cell that is not in quotes and has one */
export function classifyStrayQuote(cell: string, quote: string): QuoteFaultKind {
  const before = cell.slice(0, cell.indexOf(quote));
  if (before.trim() === "" || marks.test(before)) return "after_space";
  const end = cell.trimEnd();
  const isPaired = cell.split(quote).length % 2 === 1;
  if (isPaired || !end.endsWith(quote)) return "text";
  // Inches and seconds: 24", 37°36'37.8"
  return /[\p{N}'’′]$/u.test(end.slice(0, -quote.length)) ? "text" : "not_opened";
}

/**
 * Finds what is wrong with the quotes of a record.
 *
 * @param text of the record, and perhaps more
 * @param line the physical line on which it starts
 */
export function findQuoteFault(
  text: string,
  quoting: Quoting,
  line: number,
): QuoteFault | undefined {
  const { quote } = quoting;
  if (quote === "") return undefined;
  let asText: QuoteFault | undefined;
  let cell = 0;
  for (const { start, isQuoted, close, end } of cellsOfRecord(text, quoting)) {
    cell++;
    // Places are computed only here: that counts all lines before them, and most cells are sound.
    if (isQuoted && close < 0) return { kind: "unclosed", place: placeOf(text, start, line), cell };
    if (isQuoted) {
      if (close + quote.length === end) continue;
      return { kind: "after_close", place: placeOf(text, close, line), cell };
    }
    const written = text.slice(start, end);
    if (!written.includes(quote)) continue;
    const kind = classifyStrayQuote(written, quote);
    const stray = start + written.indexOf(quote);
    if (kind !== "text") return { kind, place: placeOf(text, stray, line), cell };
    asText ??= { kind, cell };
  }
  return asText;
}

/** The cells of the first record of a text; one that is never closed is the last. */
function* cellsOfRecord(
  text: string,
  { delimiter, quote }: Quoting,
): Generator<Readonly<CellScanner>> {
  const scanner = createCellScanner(quote, [delimiter]);
  for (let start = 0; ; start = scanner.end + delimiter.length) {
    scanner.moveTo(text, start);
    yield scanner;
    if (scanner.isLast) return;
  }
}

/**
 * The cells of a record whose last one is opened by a quote that nothing closes: from there on, the quote
 * and all that follows is its text.
 */
export function cellsOfUnclosed(text: string, quoting: Quoting): string[] {
  return Array.from(cellsOfRecord(text, quoting), (cell) => cellText(text, cell, quoting.quote));
}

/** `line 2, column 9`: the physical line, and the character on it, both from 1. */
function placeOf(text: string, at: number, firstLine: number): string {
  const lines = text.slice(0, at).split(/\r\n|\n|\r/);
  const column = [...(lines.at(-1) ?? "")].length + 1;
  return `line ${firstLine + lines.length - 1}, column ${column}`;
}

/**
 * Why nothing can be read from a record on, because of its quotes.
 *
 * @param line on which it starts
 */
export function quoteDamage(
  { kind, cell, place }: QuoteFault,
  quote: string,
  line: number,
): InputDamagedError {
  const whose = `cell ${cell} of the row that starts on line ${line}`;
  return new InputDamagedError(
    line,
    `${place ?? `line ${line}`}: ${whose} ${quoteProblem(kind, quote)} (quote: none in eventload.yaml, if quotes mean nothing in this file).`,
  );
}

/** What is wrong with the quotes of a cell, after its value. */
export function quoteProblem(kind: QuoteFaultKind, quote: string): string {
  const double = `put the cell in quotes and double the quotes (${quote}) that are part of its text`;
  return {
    text: `has a quote (${quote}) in its text: ${double}`,
    unclosed: `is opened by a quote (${quote}) that is never closed: close it, or ${double}`,
    not_opened: `ends with a quote (${quote}), and none opens it: ${double}`,
    after_space: `has a space or a byte order mark before the quote (${quote}) that opens it: remove it, or ${double}; if it is a mark, the encoding is wrong: save the file as UTF-8 again`,
    after_close: `has text after the quote (${quote}) that closes it: ${double}`,
  }[kind];
}

/** What is wrong with the quotes of a row whose cells are not as many as the columns. */
export function nameQuoteFault({ kind, cell }: QuoteFault, quote: string): string {
  const why = kind === "text" ? `has a quote (${quote}) in its text` : quoteProblem(kind, quote);
  return `cell ${cell} ${why}`;
}
