import type { CsvError } from "csv-parse";
import { InputDamagedError, reasonOf } from "../model/errors.ts";
import type { CsvDialect } from "./csv-record.ts";

/**
 * Explains why a record cannot be parsed: what is wrong, where, and what to do.
 *
 * @param error the parser's
 * @param text of the record, as far as it was read
 * @param line on which it starts
 */
export function csvDamage(
  error: Error,
  text: string,
  dialect: CsvDialect,
  line: number,
): InputDamagedError {
  const { code, column } = error as CsvError & { column?: unknown };
  const start = `the row that starts on line ${line}`;
  const isTooLong = code === "CSV_MAX_RECORD_SIZE";
  const seen = isTooLong ? text.slice(0, dialect.maxRecordBytes) : text;
  const found = locateDamage(seen, dialect, line);
  const damage = (message: string) => new InputDamagedError(line, message);
  const { quote } = dialect;
  if (isTooLong) {
    const long = `${start} is longer than ${inUnits(dialect.maxRecordBytes)}`;
    const why =
      found?.kind === "unclosed"
        ? `the quote (${quote}) at ${namePlace(found.place)} is probably never closed; if it is, `
        : "if that is right, ";
    return damage(`${long}: ${why}allow more with max_record_size in eventload.yaml.`);
  }
  const cell = (number: number) => `cell ${number} of ${start}`;
  switch (found?.kind) {
    case "unclosed":
      return damage(
        `${namePlace(found.place)}: a quote (${quote}) opens ${cell(found.cell)} and is never closed: close it, or double it where it is part of the text${orNone}.`,
      );
    case "stray":
      return damage(
        `${namePlace(found.place)}: a quote (${quote}) inside the text of ${cell(found.cell)}: put the cell in quotes and double the quotes in it${orNone}.`,
      );
    case "after_close":
      return damage(
        `${namePlace(found.place)}: text follows the quote (${quote}) that closes ${cell(found.cell)}, which is opened at ${namePlace(found.opened)}: double the quotes that are part of the text, or close the cell where it ends${orNone}.`,
      );
    case undefined: {
      const place = typeof column === "number" ? `, cell ${column + 1},` : "";
      return damage(`${start}${place} cannot be parsed: ${error.message}`);
    }
    default:
      throw found satisfies never;
  }
}

const orNone = " (quote: none in eventload.yaml, if quotes mean nothing in this file)";

/** `line 2, column 9` */
export function namePlace({ line, column }: Place): string {
  return `line ${line}, column ${column}`;
}

/** `1 MiB`, `1536 bytes` */
function inUnits(bytes: number): string {
  const mebibyte = 1024 * 1024;
  return bytes % mebibyte === 0 ? `${bytes / mebibyte} MiB` : `${bytes} bytes`;
}

/** A place in a text: the physical line, and the character on it, both from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

type DamageFound =
  /** A quote that opens a cell and is never closed. */
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
function locateDamage(
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
      // The place is computed only here: that counts all lines before it, and most cells are sound.
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

/** Why nothing can be read from this line on, where a row starts. */
export function unreadable(error: unknown, line: number): InputDamagedError {
  if (error instanceof InputDamagedError) {
    if (error.line === line) return error;
    return new InputDamagedError(
      line,
      `${error.message} It is in the row that starts on line ${line}.`,
    );
  }
  return new InputDamagedError(
    line,
    `line ${line} and what follows cannot be read (${reasonOf(error)}): check the file or its disk.`,
  );
}
