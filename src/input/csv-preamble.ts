import { cannotStart } from "../model/errors.ts";
import { nameOfDelimiter, type Reading } from "../model/reading.ts";
import { countLineBreaks } from "./csv-record.ts";
import { type LookAhead, lookAhead, unreadable } from "./look-ahead.ts";
import { createCellScanner } from "./scan-cells.ts";

/** An input from its first record on, and how its records are to be parsed. */
export interface Preamble extends DetectedDelimiter {
  readonly chunks: AsyncGenerator<Buffer>;
  /** The physical line, from 1, on which the first record starts. */
  readonly line: number;
  readonly quote: string;
}

/**
 * Skips what stands above the first record, and detects the delimiter unless it is given.
 *
 * @throws CannotStartError if there are too few lines
 */
export async function readPreamble(
  name: string,
  decoded: AsyncIterable<Buffer>,
  { skipLines = 0, delimiter: given, quote = '"', escape: before }: Reading,
): Promise<Preamble> {
  const text = lookAhead(decoded);
  const separator = await separatorOf(text);
  const above = Math.max(skipLines, separator === undefined ? 0 : 1);
  const skipped = await skip(text, above);
  if (skipped < above) {
    if (text.broken) throw unreadable(text.broken.error, 1 + skipped, text.head);
    throw cannotStart("input_too_short", name, skipLines);
  }
  const line = 1 + above;
  const delimiter = given ?? separator;
  if (delimiter !== undefined) return { delimiter, chunks: text.all(), line, quote };
  await text.fill(sampleBytes);
  let sample = text.head.toString("utf8", 0, sampleBytes);
  // What is escaped separates nothing.
  if (before !== undefined) sample = sample.replaceAll(/\\[^\r\n]/g, "--");
  const isWhole = text.isWhole && text.head.length <= sampleBytes;
  const found = detectDelimiter(sample, quote, isWhole, line);
  if (found.doubt !== undefined && text.broken) {
    throw unreadable(text.broken.error, line, text.head);
  }
  return { ...found, chunks: text.all(), line, quote };
}

/** Drops the first lines as they arrive, as they may be long. @returns how many there were */
async function skip(text: LookAhead, lines: number): Promise<number> {
  for (let skipped = 0; skipped < lines; ) {
    const { head, isWhole } = text;
    const end = endOfLine(head, isWhole);
    if (end === undefined && isWhole) return skipped;
    text.drop(end ?? (head.at(-1) === carriageReturn ? head.length - 1 : head.length));
    if (end === undefined) await text.more();
    else skipped++;
  }
  return lines;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Where the second line begins, or undefined if the first is not known to end. */
function endOfLine(head: Buffer, isWhole: boolean): number | undefined {
  const at = head.findIndex((byte) => byte === lineFeed || byte === carriageReturn);
  if (at < 0) return undefined;
  if (head[at] === lineFeed) return at + 1;
  if (at + 1 === head.length && !isWhole) return undefined; // a line feed may follow
  return at + (head[at + 1] === lineFeed ? 2 : 1);
}

/** What a first line `sep=;` gives spreadsheet programs as the delimiter. */
async function separatorOf(text: LookAhead): Promise<string | undefined> {
  await text.fill(longestSeparatorLine);
  const start = text.head.toString("latin1", 0, longestSeparatorLine);
  return /^"?sep=([^\r\n"])"?(?:\r\n|\r(?!\n)|\n)/i.exec(start)?.[1];
}

/** `"sep=;"` and its line end. */
const longestSeparatorLine = 9;

const delimiters = [",", ";", "\t", "|"];

const maxRecords = 200;
const sampleBytes = 64 * 1024;

/** What separates cells, as far as the first records show. */
interface DetectedDelimiter {
  readonly delimiter: string;
  /** Why it has to be given: the middle of a sentence. */
  readonly doubt?: string;
}

/** The delimiter that the header and the rows have alike; else that of the rows, below a title or comments. */
function detectDelimiter(
  text: string,
  quote: string,
  isWhole: boolean,
  firstLine: number,
): DetectedDelimiter {
  // A header that is blank is refused elsewhere, and where there is none the first row counts.
  const [header, ...rows] = countDelimiters(text, quote, isWhole);
  if (header === undefined) return { delimiter: "," };
  const ours = resultsDelimiter.exec(text)?.[1] ?? "";
  if (countOf(header, ours) > 0) return { delimiter: ours };
  const [best, next] = delimiters
    .filter((delimiter) => countOf(header, delimiter) > 0)
    .map((delimiter) => {
      const fitting = rows.filter((row) => hasAsMany(row, header, delimiter)).length;
      return { delimiter, cells: countOf(header, delimiter), fitting };
    })
    .toSorted((a, b) => b.fitting - a.fitting || b.cells - a.cells);
  const isUsed =
    best !== undefined &&
    rows.filter((row) => countOf(row, best.delimiter) > 0).length * 2 >= rows.length;
  const table = isUsed ? undefined : findTableBelow(rows);
  if (table !== undefined && table.delimiter !== best?.delimiter) {
    const at = firstLine + table.line;
    const { delimiter } = table;
    const instead = best?.delimiter ?? delimiters.find((one) => !text.includes(one)) ?? "\t";
    const doubt = `the lines from ${at} on hold ${shown(delimiter)}, unlike what is above. If line ${at} names the columns, give --skip-lines ${at - 1}; else say what separates cells, such as ${optionFor(instead)}`;
    return { delimiter, doubt };
  }
  const delimiter = best?.delimiter ?? ",";
  const isTied = best?.fitting === next?.fitting && best?.cells === next?.cells;
  if (best === undefined || next === undefined || !isTied) return { delimiter };
  const both = `${shown(delimiter)} and ${shown(next.delimiter)}`;
  const doubt = `its header holds ${both}, and either may separate cells. Say which: ${optionFor(delimiter)}`;
  return { delimiter, doubt };
}

/** The delimiter that nearly all rows have alike from one of the first lines on, and that does not stand in prose. */
function findTableBelow(rows: readonly CountedRecord[]) {
  const tables = delimiters.flatMap((delimiter) => {
    const from = rows.slice(0, maxTitleLines).findIndex((first, at) => {
      const all = rows.length - at;
      const fitting = rows.slice(at).filter((row) => hasAsMany(row, first, delimiter));
      const isProse = fitting.filter(({ spaced }) => spaced > 0).length * 2 > fitting.length;
      const least = all <= minTableRows ? all : consistent * (all - maxFooterLines);
      return countOf(first, delimiter) > 0 && fitting.length >= least && !isProse;
    });
    const first = rows[from];
    const { line = 0 } = first ?? {};
    return first === undefined ? [] : [{ delimiter, line, count: countOf(first, delimiter) }];
  });
  return tables.toSorted((a, b) => a.line - b.line || b.count - a.count)[0];
}

/** The share of the rows that has to agree. */
const consistent = 0.9;
const maxTitleLines = 12;
const maxFooterLines = 2;
const minTableRows = 3;

/** In a results file the delimiter stands beside `import_status`, whatever its other columns are called. */
const resultsDelimiter = /([,;\t|])"?import_status"?(?=[,;\t|\r\n]|$)/;

/** How often a delimiter stands in a record. */
function countOf(record: CountedRecord, delimiter: string): number {
  return record.counts[delimiters.indexOf(delimiter)] ?? 0;
}

function hasAsMany(row: CountedRecord, other: CountedRecord, delimiter: string): boolean {
  return countOf(row, delimiter) === countOf(other, delimiter);
}

function optionFor(delimiter: string): string {
  const name = nameOfDelimiter(delimiter);
  return `--delimiter ${/^[\w,:]+$/.test(name) ? name : `'${name}'`}`;
}

function shown(delimiter: string): string {
  const name = nameOfDelimiter(delimiter);
  return name.length === 1 ? `"${name}"` : name;
}

/** A record of which only its delimiters were counted. */
interface CountedRecord {
  /** The line on which it starts, as many as there are before it. */
  readonly line: number;
  /** How often each candidate stands in it outside of quotes, in their order. */
  readonly counts: readonly number[];
  /** How many of them a space follows, as in prose. */
  readonly spaced: number;
}

/**
 * Counts what may be delimiters in the first records of a text that are not blank. A quote opens where a cell begins,
 * whichever of the candidates stands before it.
 *
 * @param isWhole whether the text ends there, so that its last record is complete
 */
function countDelimiters(text: string, quote: string, isWhole: boolean): CountedRecord[] {
  const records: CountedRecord[] = [];
  const cell = createCellScanner(quote, delimiters);
  let counts = delimiters.map(() => 0);
  let spaced = 0;
  let line = 0;
  let begin = 0;
  for (let start = 0; begin < text.length && records.length < maxRecords; ) {
    cell.moveTo(text, start);
    const { end, isQuoted, close } = cell;
    if (isQuoted && close < 0) break;
    const found = delimiters.indexOf(text[end] ?? "");
    if (found >= 0) {
      counts[found] = (counts[found] ?? 0) + 1;
      if (text[end + 1] === " ") spaced++;
      start = end + 1;
      continue;
    }
    if (end === text.length && !isWhole) break;
    const record = text.slice(begin, end);
    if (record.trim() !== "") records.push({ line, counts, spaced });
    line += 1 + countLineBreaks(record);
    start = begin = end + (text.startsWith("\r\n", end) ? 2 : 1);
    counts = delimiters.map(() => 0);
    spaced = 0;
  }
  return records;
}
