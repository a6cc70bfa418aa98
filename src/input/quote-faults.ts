import { InputDamagedError } from "../model/errors.ts";

/** What is between cells, and around those that hold it. */
interface Quoting {
  readonly delimiter: string;
  readonly quote: string;
}

/** The quotes of a record are not as RFC 4180 has them. */
export interface QuoteFault {
  readonly kind: QuoteFaultKind;
  /** Which cell has the first of them, from 1. */
  readonly cell: number;
  /** Where the quote is, unless it is text. */
  readonly place?: Place;
  /** Where the cell was opened, if that is another quote. */
  readonly opened?: Place;
}

/**
 * - `text`: a quote within a cell that is not in quotes, such as `24" monitor`: it is text
 * - `after_close`: text follows the quote that closes a cell
 * - `after_space`: only spaces are before the quote
 * - `after_mark`: only a byte order mark or other traces of a wrong encoding are before the quote
 * - `not_opened`: the quote ends a cell as if it closed it
 * - `unclosed`: a quote opens the last cell of the input and is never closed
 */
type QuoteFaultKind =
  | "text"
  | "after_close"
  | "after_space"
  | "after_mark"
  | "not_opened"
  | "unclosed";

/** A place in a text: the physical line, and the character on it, both from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** What a wrong encoding makes of a byte order mark, or of characters of UTF-16. */
const marks = /^(?:\ufeff|\u00ef\u00bb\u00bf|\ufffd|\0)+$/;

/** @param cell that is not in quotes and has one */
export function classifyStrayQuote(cell: string, quote: string): QuoteFaultKind {
  const before = cell.slice(0, cell.indexOf(quote));
  if (before.trim() === "" && !before.includes("\ufeff")) return "after_space";
  if (marks.test(before)) return "after_mark";
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
  { delimiter, quote }: Quoting,
  line: number,
): QuoteFault | undefined {
  if (quote === "") return undefined;
  let asText: QuoteFault | undefined;
  let cell = 0;
  for (const { start, isQuoted, close, end } of writtenCells(text, { delimiter, quote })) {
    cell++;
    // The places are computed only here: that counts all lines before them, and most cells are sound.
    const opened = () => placeOf(text, start, line);
    if (close < 0) return { kind: "unclosed", place: opened(), cell };
    if (isQuoted) {
      if (close + quote.length === end) continue;
      return { kind: "after_close", place: placeOf(text, close, line), cell, opened: opened() };
    }
    const stray = text.indexOf(quote, start);
    if (stray < 0) return asText;
    if (stray >= end) continue;
    const kind = classifyStrayQuote(text.slice(start, end), quote);
    if (kind !== "text") return { kind, place: placeOf(text, stray, line), cell };
    asText ??= { kind, cell };
  }
  return asText;
}

/** A cell as it is written, and where it is in its text. */
interface WrittenCell {
  readonly start: number;
  readonly isQuoted: boolean;
  /** Where the quote is that closes it; below 0 if none does. */
  readonly close: number;
  /** Where the delimiter or line end is after it. */
  readonly end: number;
}

/** The cells of a record, whatever is wrong with their quotes; one that is never closed is the last. */
function* writtenCells(text: string, { delimiter, quote }: Quoting): Generator<WrittenCell> {
  for (let start = 0; ; ) {
    const isQuoted = text.startsWith(quote, start);
    const close = isQuoted ? closingQuote(text, start, quote) : start;
    let end = close < 0 ? text.length : isQuoted ? close + quote.length : start;
    while (!isEndOfCell(text, end, delimiter)) end++;
    yield { start, isQuoted, close, end };
    if (close < 0 || !text.startsWith(delimiter, end)) return;
    start = end + delimiter.length;
  }
}

function isEndOfCell(text: string, at: number, delimiter: string): boolean {
  const character = text[at];
  return (
    character === undefined ||
    character === "\n" ||
    character === "\r" ||
    text.startsWith(delimiter, at)
  );
}

/** Where the cell that opens at this quote ends; -1 if it never does. */
function closingQuote(text: string, open: number, quote: string): number {
  let close = text.indexOf(quote, open + quote.length);
  while (close >= 0 && text.startsWith(quote, close + quote.length)) {
    close = text.indexOf(quote, close + 2 * quote.length);
  }
  return close;
}

/**
 * Finds the quotes of a cell.
 *
 * @param text a record
 * @param line on which it starts
 * @param index of a cell that is in quotes
 */
export function locateQuotes(
  text: string,
  quoting: Quoting,
  line: number,
  index: number,
): { readonly opens: Place; readonly closes: Place } {
  const { start = 0, close = 0 } = [...writtenCells(text, quoting)][index] ?? {};
  return { opens: placeOf(text, start, line), closes: placeOf(text, close, line) };
}

function placeOf(text: string, at: number, firstLine: number): Place {
  const lines = text.slice(0, at).split(/\r\n|\n|\r/);
  return { line: firstLine + lines.length - 1, column: [...(lines.at(-1) ?? "")].length + 1 };
}

/**
 * The cells of a record whose last one is opened by a quote that nothing closes: from there on, the quote
 * and all that follows is its text.
 */
export function cellsOfUnclosed(text: string, quoting: Quoting): string[] {
  const { quote } = quoting;
  return Array.from(writtenCells(text, quoting), ({ start, isQuoted, close, end }) => {
    const isWhole = isQuoted && close + quote.length === end;
    if (!isWhole) return text.slice(start, end);
    return text.slice(start + quote.length, close).replaceAll(quote + quote, quote);
  });
}

/** `line 2, column 9` */
export function namePlace({ line, column }: Place): string {
  return `line ${line}, column ${column}`;
}

const orNone = " (quote: none in eventload.yaml, if quotes mean nothing in this file)";

/**
 * Why nothing can be read from a record on, because of its quotes.
 *
 * @param line on which it starts
 */
export function quoteDamage(
  { kind, cell, place = { line: 0, column: 0 }, opened = place }: QuoteFault,
  quote: string,
  line: number,
): InputDamagedError {
  const where = namePlace(place);
  const whose = `cell ${cell} of the row that starts on line ${line}`;
  const messages: Record<QuoteFaultKind, string> = {
    unclosed: `a quote (${quote}) opens ${whose} and is never closed: close it, or double it where it is part of the text${orNone}.`,
    text: `a quote (${quote}) inside the text of ${whose}: put the cell in quotes and double the quotes in it${orNone}.`,
    not_opened: `a quote (${quote}) ends ${whose}, and none opens it: put the cell in quotes and double the quotes in it${orNone}.`,
    after_space: `a space before the quote (${quote}) that opens ${whose}: remove the space${orNone}.`,
    after_mark: `${whose} has a byte order mark or other bytes of an encoding before its quote (${quote}), read as text: the encoding is wrong, not the quote. Give --encoding, or save the file as UTF-8 again.`,
    after_close: `text follows the quote (${quote}) that closes ${whose}, which is opened at ${namePlace(opened)}: double the quotes that are part of the text, or close the cell where it ends${orNone}.`,
  };
  return new InputDamagedError(line, `${where}: ${messages[kind]}`);
}

/** What is wrong with the quotes of a cell, after its value. */
export function quoteProblem(kind: Exclude<QuoteFaultKind, "text">, quote: string): string {
  const double = `put the cell in quotes and double the quotes (${quote}) that are part of its text`;
  return {
    unclosed: `is opened by a quote (${quote}) that is never closed: close it, or ${double}`,
    not_opened: `ends with a quote (${quote}), and none opens it: ${double}`,
    after_space: `has a space before the quote (${quote}) that opens it: remove the space, or ${double}`,
    after_mark: `has bytes of another encoding before its quote (${quote}): give --encoding, or save the file as UTF-8 again`,
    after_close: `has text after the quote (${quote}) that closes it: ${double}`,
  }[kind];
}

/** The same of a row whose cells are not as many as the columns. */
export function nameQuoteFault({ kind, cell }: QuoteFault, quote: string): string {
  const why = kind === "text" ? `has a quote (${quote}) in its text` : quoteProblem(kind, quote);
  return `cell ${cell} ${why}`;
}
