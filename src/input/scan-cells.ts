/** What is around cells that hold a delimiter. */
export interface Quoting {
  /** `""` where there is none. */
  readonly quote: string;
  /** What stands before a quote that is text; one that is doubled is text too. */
  readonly escape?: string | undefined;
}

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
  /** Whether there are quotes, or an escape, within the quotes. */
  hasQuotes: boolean;
  /** Where the delimiter or line end is after it; the text's end if neither follows. */
  end: number;
  /** Whether no delimiter follows it. */
  isLast: boolean;
  /** Moves to the cell of a text that begins there. */
  moveTo(text: string, start: number): void;
}

/** @param delimiters any of them ends a cell */
export function createCellScanner(
  { quote, escape: before }: Quoting,
  delimiters: readonly string[],
): CellScanner {
  const isEnd = (text: string, at: number) =>
    /[\r\n]/.test(text[at] ?? "") || delimiters.some((delimiter) => text.startsWith(delimiter, at));
  /** The first unit of what may end a cell: certainly, or if more units follow. */
  const ends = new Uint8Array(0x10000);
  for (const end of ["\r", "\n", ...delimiters])
    ends[end.charCodeAt(0)] = end.length > 1 ? maybe : sure;
  const quoteUnit = quote.charCodeAt(0);
  const isQuote = (text: string, at: number) =>
    text.charCodeAt(at) === quoteUnit && (quote.length === 1 || text.startsWith(quote, at));
  /** The next quote that has no escape before it. */
  const closeBehind = (text: string, from: number): number => {
    for (let at = from; at < text.length; at++) {
      if (isQuote(text, at)) return at;
      if (text[at] === before) at++;
    }
    return -1;
  };
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
        if (before !== undefined) close = closeBehind(text, start + quote.length);
        while (close >= 0 && isQuote(text, close + quote.length)) {
          this.hasQuotes = true;
          const next = close + 2 * quote.length;
          close = before === undefined ? text.indexOf(quote, next) : closeBehind(text, next);
        }
        this.hasQuotes ||= before !== undefined;
        at = close < 0 ? text.length : close + quote.length;
        this.close = close;
      }
      while (at < text.length) {
        const end = ends[text.charCodeAt(at)];
        if (end === sure || (end === maybe && isEnd(text, at))) break;
        at++;
      }
      this.end = at;
      const after = text.charCodeAt(at);
      this.isLast = after === lineFeed || after === carriageReturn || at === text.length;
    },
  };
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const sure = 1;
const maybe = 2;

/** The text of a cell without its quotes. If they are not as they should be, they are part of it. */
export function cellText(
  text: string,
  { start, isQuoted, close, hasQuotes, end }: CellScanner,
  { quote, escape: before }: Quoting,
): string {
  if (!isQuoted || close + quote.length !== end) return text.slice(start, end);
  const cell = text.slice(start + quote.length, close);
  if (!hasQuotes) return cell;
  // V8 would keep what replaceAll makes in pieces, which take thirty times the memory.
  const undoubled = (part: string) => part.split(quote + quote).join(quote);
  if (before === undefined) return undoubled(cell);
  const unescaped = (part: string) =>
    part
      .split(before + quote)
      .map(undoubled)
      .join(quote);
  return cell
    .split(before + before)
    .map(unescaped)
    .join(before);
}
