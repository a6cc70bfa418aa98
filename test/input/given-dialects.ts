import { gzipSync } from "node:zlib";
import fc from "fast-check";
import type { Reading } from "../../src/model/reading.ts";
import { anyCell } from "./given-bytes.ts";

/** How a program may have written a table. */
export interface Dialect {
  readonly delimiter: string;
  /** Nothing where it puts no cell in quotes. */
  readonly quote: string;
  readonly encoding: string;
  readonly hasMark: boolean;
  /** A first line `sep=;`, for a spreadsheet program. */
  readonly hasSepLine: boolean;
  readonly titles: readonly string[];
  readonly hasHeader: boolean;
  readonly endsWithLine: boolean;
  /** Whether the reader is told of what it could find out. */
  readonly isTold: boolean;
}

/** A table as bytes, and where its records stand. */
export interface WrittenTable {
  readonly dialect: Dialect;
  readonly bytes: Buffer;
  readonly reading: Reading;
  readonly table: readonly (readonly string[])[];
  /** Of each record, the header included: its first line, and how many bytes stand before and in it. */
  readonly records: readonly RecordPlace[];
  readonly blankLines: number;
}

export interface RecordPlace {
  readonly line: number;
  readonly begin: number;
  readonly end: number;
}

interface Style {
  readonly lineEnd: string;
  readonly quotesAll: boolean;
  readonly blankLines: number;
}

const found = [",", ";", "\t", "|"];
const unmarked = ["windows-1252", "utf-16le", "utf-16be"];

const anyEncoding = fc.oneof(
  fc.record({ encoding: fc.constant("utf-8"), hasMark: fc.boolean(), isTold: fc.boolean() }),
  fc.record({
    encoding: fc.constantFrom("utf-16le", "utf-16be"),
    hasMark: fc.constant(true),
    isTold: fc.boolean(),
  }),
  fc.record({
    encoding: fc.constantFrom(...unmarked),
    hasMark: fc.constant(false),
    isTold: fc.constant(true),
  }),
);

const anySyntax = fc.record({
  delimiter: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...found) }, fc.constant("^")),
  quote: fc.oneof({ weight: 5, arbitrary: fc.constant('"') }, fc.constantFrom("'", "")),
  hasSepLine: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
  titles: fc.array(anyCell.map(withoutLineEnds), { maxLength: 2 }),
  hasHeader: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
  endsWithLine: fc.boolean(),
});

const anyStyle: fc.Arbitrary<Style> = fc.record({
  lineEnd: fc.constantFrom("\n", "\r\n", "\r"),
  quotesAll: fc.boolean(),
  blankLines: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 2 })),
});

/** Tables in any dialect, with what has to be told of it to read it again. */
export function anyWrittenTable(options: Partial<Dialect> = {}): fc.Arbitrary<WrittenTable> {
  const tables = fc.integer({ min: 1, max: 4 }).chain((width) =>
    fc.array(fc.array(anyCell, { minLength: width, maxLength: width }), {
      minLength: 1,
      maxLength: 6,
    }),
  );
  const dialects = fc
    .tuple(anyEncoding, anySyntax)
    .map(([encoding, syntax]): Dialect => ({ ...encoding, ...syntax, ...options }));
  const styles = fc.array(anyStyle, { minLength: 10, maxLength: 10 });
  return fc
    .tuple(tables, dialects, styles)
    .map(([table, dialect, styles]) => writeTable(table, dialect, styles))
    .filter(
      ({ table, dialect }) =>
        !isBlank(table[0]) &&
        // A delimiter at the end of the header makes no column.
        (!dialect.hasHeader || table[0]?.at(-1) !== ""),
    );
}

const isBlank = (cells: readonly string[] = []) => cells.every((cell) => cell.trim() === "");

/** The rows among the first records of a table: neither blank, nor the header or that once more. */
export function rowsAmong({ table, dialect, records }: WrittenTable, first = table.length) {
  const header = dialect.hasHeader ? table[0]?.map((cell) => cell.trim()).join("\0") : undefined;
  const all = table.slice(0, first).map((cells, at) => ({ line: records[at]?.line, cells }));
  const below = dialect.hasHeader ? all.slice(1) : all;
  const rows = below.filter(
    ({ cells }) => !isBlank(cells) && cells.map((cell) => cell.trim()).join("\0") !== header,
  );
  return { rows, blank: below.filter(({ cells }) => isBlank(cells)).length };
}

function writeTable(
  anyTable: readonly (readonly string[])[],
  dialect: Dialect,
  styles: readonly Style[],
): WrittenTable {
  const { delimiter, quote, titles, hasSepLine } = dialect;
  const encode = (text: string) => encoded(text, dialect.encoding);
  const table = anyTable.map((cells) => cells.map((cell) => writable(cell, dialect)));
  const records: RecordPlace[] = [];
  let bytes = encode(dialect.hasMark ? "\ufeff" : "");
  let line = 1;
  let blankLines = 0;
  const add = (text: string, lineEnd: string) => {
    const begin = bytes.length;
    const end = begin + encode(text).length;
    bytes = Buffer.concat([bytes, encode(text + lineEnd)]);
    const place = { line, begin, end };
    line += text.split(/\r\n|\n|\r/).length;
    return place;
  };

  const [first] = styles;
  const plainEnd = first?.lineEnd ?? "\n";
  if (hasSepLine) add(`sep=${delimiter}`, plainEnd);
  for (const title of titles) add(characters(title, dialect), plainEnd);
  table.forEach((cells, index) => {
    const { lineEnd, quotesAll, blankLines: blanks } = styles[index] as Style;
    const isRisky = (cell: string) =>
      [quote, "\r", "\n", "\ufeff", ...found, delimiter].some((sign) => cell.includes(sign)) ||
      (cells.length === 1 && cell === "");
    const write = (cell: string) =>
      quote !== "" && (quotesAll || isRisky(cell))
        ? quote + cell.replaceAll(quote, quote + quote) + quote
        : cell;
    const isLast = index === table.length - 1;
    const isEnded = !isLast || dialect.endsWithLine;
    records.push(add(cells.map(write).join(delimiter), isEnded ? lineEnd : ""));
    if (!isEnded) return;
    for (let blank = 0; blank < blanks; blank++) add("", lineEnd === "\r" ? "\r" : "\r\n");
    blankLines += blanks;
  });
  return { dialect, bytes, reading: readingOf(dialect, table), table, records, blankLines };
}

/** What a dialect cannot carry at all is left out of a cell. */
function writable(cell: string, dialect: Dialect): string {
  const { delimiter, quote } = dialect;
  const text = characters(cell, dialect);
  if (quote !== "") return text;
  const bare = withoutLineEnds(text).replaceAll(delimiter, "").replaceAll("\ufeff", "");
  return bare === "" ? "-" : bare;
}

function characters(text: string, { encoding }: Dialect): string {
  const lacking = encoding === "windows-1252" ? /[^\t\r\n -~\u00a0-\u00ff]/gu : /[\0\p{Cs}]/gu;
  return text.replaceAll(lacking, "");
}

function encoded(text: string, encoding: string): Buffer {
  if (encoding === "windows-1252") return Buffer.from(text, "latin1");
  if (encoding === "utf-8") return Buffer.from(text);
  const bytes = Buffer.from(text, "utf16le");
  return encoding === "utf-16be" ? bytes.swap16() : bytes;
}

function withoutLineEnds(text: string): string {
  return text.replaceAll(/[\r\n]/g, "");
}

function readingOf(dialect: Dialect, table: readonly (readonly string[])[]): Reading {
  const { delimiter, quote, isTold, titles, hasSepLine } = dialect;
  // Where nothing is in quotes, or is in quotes of another kind, other delimiters may stand about.
  const isFound = quote === '"' && (found.includes(delimiter) || table[0]?.length === 1);
  const needsTelling = !hasSepLine && !isFound;
  return {
    ...(isTold && { encoding: dialect.encoding }),
    ...((isTold || needsTelling) && { delimiter }),
    ...((isTold || quote !== '"') && { quote }),
    ...((isTold || !dialect.hasHeader) && { header: dialect.hasHeader }),
    // A header of anything may look like a title.
    skipLines: titles.length + (hasSepLine && titles.length > 0 ? 1 : 0),
  };
}

/** Compressed, in as many members as there are parts. */
export function compress(bytes: Buffer, parts: number): Buffer {
  const size = Math.ceil(bytes.length / parts);
  const members = Array.from({ length: parts }, (_, part) =>
    gzipSync(bytes.subarray(part * size, (part + 1) * size), { level: 1 }),
  );
  return Buffer.concat(members);
}
