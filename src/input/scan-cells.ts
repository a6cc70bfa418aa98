/**
 * Goes over the cells of a text as they are written, whatever is wrong with their quotes. It is one
 * object that moves, as it is asked for every cell of a file.
 */
export interface CellScanner {
  /** Where the cell begins. */
  start: number;
  isQuoted: boolean;
  /** Where the quote is that closes it; below 0 if none does. */
  close: number;
  /** Whether there are quotes within the quotes. */
  hasQuotes: boolean;
  /** Where the delimiter or line end is after it; the text's end if neither follows. */
  end: number;
  /** Whether no delimiter follows it. */
  isLast: boolean;
  /** Moves to the cell of a text that begins there. */
  moveTo(text: string, start: number): void;
}

/** @param delimiters characters that each end a cell */
export function createCellScanner(quote: string, delimiters: readonly string[]): CellScanner {
  const ends = new Uint8Array(0x10000);
  for (const end of ["\r", "\n", ...delimiters]) ends[end.charCodeAt(0)] = 1;
  const quoteUnit = quote.charCodeAt(0);
  const isQuote = (text: string, at: number) =>
    text.charCodeAt(at) === quoteUnit && (quote.length === 1 || text.startsWith(quote, at));
  return {
    start: 0,
    isQuoted: false,
    close: 0,
    hasQuotes: false,
    end: 0,
    isLast: false,
    moveTo(text, start) {
      this.start = start;
      this.isQuoted = isQuote(text, start);
      let at = start;
      if (this.isQuoted) {
        this.hasQuotes = false;
        let close = text.indexOf(quote, start + quote.length);
        while (close >= 0 && isQuote(text, close + quote.length)) {
          this.hasQuotes = true;
          close = text.indexOf(quote, close + 2 * quote.length);
        }
        at = close < 0 ? text.length : close + quote.length;
        this.close = close;
      }
      while (at < text.length && ends[text.charCodeAt(at)] === 0) at++;
      this.end = at;
      const after = text.charCodeAt(at);
      this.isLast = after === lineFeed || after === carriageReturn || at === text.length;
    },
  };
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** The text of a cell without its quotes. If they are not as they should be, they are part of it. */
export function cellText(
  text: string,
  { start, isQuoted, close, hasQuotes, end }: CellScanner,
  quote: string,
): string {
  if (!isQuoted || close + quote.length !== end) return text.slice(start, end);
  const cell = text.slice(start + quote.length, close);
  // V8 would keep what replaceAll makes in pieces, which take thirty times the memory.
  return hasQuotes ? cell.split(quote + quote).join(quote) : cell;
}
