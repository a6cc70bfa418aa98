/** A place in a text: the physical line, and the character on it, both from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export type DamageFound =
  /** A quote that opens a cell which never ends. */
  | { readonly kind: "unclosed"; readonly place: Place; readonly cell: number }
  /** A quote inside the text of a cell that does not begin with one. */
  | { readonly kind: "stray"; readonly place: Place; readonly cell: number }
  /** Text after the quote that closes a cell. */
  | {
      readonly kind: "after_close";
      readonly place: Place;
      readonly cell: number;
      readonly opened: Place;
    };

/**
 * Finds what is wrong with the quotes of a record.
 *
 * @param text from the beginning of the record to where the parser gave up, or beyond
 * @param line the physical line on which it starts
 */
export function locateDamage(
  text: string,
  { delimiter, quote }: { readonly delimiter: string; readonly quote: string },
  line: number,
): DamageFound | undefined {
  if (quote === "") return undefined;
  let cell = 1;
  let at = 0;
  const isEnd = (place: number) =>
    place >= text.length || /[\r\n]/.test(text[place] ?? "") || text.startsWith(delimiter, place);
  for (;;) {
    if (text.startsWith(quote, at)) {
      const open = at;
      const close = closingQuote(text, open, quote);
      // To tell a place, all before it is counted: of sound cells there may be thousands.
      if (close < 0) return { kind: "unclosed", place: placeOf(text, open, line), cell };
      at = close + quote.length;
      if (!isEnd(at)) {
        const opened = placeOf(text, open, line);
        return { kind: "after_close", place: placeOf(text, close, line), cell, opened };
      }
    }
    while (!isEnd(at)) {
      if (text.startsWith(quote, at))
        return { kind: "stray", place: placeOf(text, at, line), cell };
      at++;
    }
    if (!text.startsWith(delimiter, at)) return undefined;
    at += delimiter.length;
    cell++;
  }
}

/** Where the cell ends whose quote opens at a place; -1 where it never does. */
function closingQuote(text: string, open: number, quote: string): number {
  let close = text.indexOf(quote, open + quote.length);
  while (close >= 0 && text.startsWith(quote, close + quote.length)) {
    close = text.indexOf(quote, close + 2 * quote.length);
  }
  return close;
}

/**
 * Where the quotes of a cell stand.
 *
 * @param text a sound record
 * @param line on which it starts
 * @param index of a cell that is in quotes
 */
export function locateQuotes(
  text: string,
  { delimiter, quote }: { readonly delimiter: string; readonly quote: string },
  line: number,
  index: number,
): { readonly opens: Place; readonly closes: Place } {
  let at = 0;
  for (let cell = 0; ; cell++) {
    const isQuoted = text.startsWith(quote, at);
    const close = isQuoted ? closingQuote(text, at, quote) : at;
    if (cell === index) {
      return { opens: placeOf(text, at, line), closes: placeOf(text, close, line) };
    }
    at = text.indexOf(delimiter, close) + delimiter.length;
  }
}

function placeOf(text: string, at: number, firstLine: number): Place {
  const lines = text.slice(0, at).split(/\r\n|\n|\r/);
  return { line: firstLine + lines.length - 1, column: [...(lines.at(-1) ?? "")].length + 1 };
}
