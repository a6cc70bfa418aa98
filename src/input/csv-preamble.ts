import { cannotStart } from "../model/errors.ts";
import { nameOfDelimiter, type Reading } from "../model/reading.ts";
import type { CsvRecord, Splitter } from "./csv-record.ts";
import { carriageReturn, lineFeed } from "./decode-bytes.ts";
import { type BytesAhead, bytesAhead, unreadable } from "./look-ahead.ts";
import { holdsText } from "./make-rows.ts";
import { endOfLines } from "./parse-csv.ts";
import { createSplitter } from "./split-csv.ts";

/** An input from its first record on, and how its records are to be parsed. */
export interface Preamble extends DetectedDelimiter {
  readonly chunks: AsyncGenerator<Buffer>;
  /** The physical line, from 1, on which the first record starts. */
  readonly line: number;
  readonly quote: string;
}

/** Skips what stands above the first record, and detects the delimiter. @throws if there are too few lines */
export async function readPreamble(
  name: string,
  decoded: AsyncIterable<Buffer>,
  { skipLines = 0, delimiter: given, quote = '"', escape: before }: Reading,
): Promise<Preamble> {
  const text = bytesAhead(decoded);
  const separator = await separatorOf(text);
  const above = Math.max(skipLines, separator === undefined ? 0 : 1);
  const skipped = await skip(text, above);
  if (skipped < above) {
    if (text.broken) throw unreadable(text.broken.error, 1 + skipped, text.head());
    throw cannotStart("input_too_short", name, skipLines);
  }
  const line = 1 + above;
  const delimiter = given ?? separator;
  if (delimiter !== undefined) return { delimiter, chunks: text.all(), line, quote };
  await text.fill(delimiterSampleBytes);
  const bytes = text.head().subarray(0, delimiterSampleBytes);
  const isWhole = text.isWhole && bytes.length === text.head().length;
  const sample = bytes.toString("utf8", 0, isWhole ? bytes.length : endOfLines(bytes, false));
  const found = await detectDelimiter(
    sample,
    (delimiter) =>
      createSplitter({ delimiter, quote, escape: before, maxRecordBytes: delimiterSampleBytes }),
    line,
  );
  if (found.doubt !== undefined && text.broken) {
    throw unreadable(text.broken.error, line, text.head());
  }
  return { ...found, chunks: text.all(), line, quote };
}

/** Drops the first lines as they arrive, as they may be long. @returns how many there were */
async function skip(text: BytesAhead, lines: number): Promise<number> {
  for (let skipped = 0; skipped < lines; ) {
    const head = text.head();
    const at = head.findIndex((byte) => byte === lineFeed || byte === carriageReturn);
    // A line feed may follow a carriage return.
    if (head[at] === lineFeed || (at >= 0 && (at + 1 < head.length || text.isWhole))) {
      text.drop(at + (head[at] === carriageReturn && head[at + 1] === lineFeed ? 2 : 1));
      skipped++;
    } else {
      if (text.isWhole) return skipped;
      text.drop(at < 0 ? head.length : at);
      await text.fill(text.head().length + 1);
    }
  }
  return lines;
}

/** What a first line `sep=;` gives spreadsheet programs as the delimiter. */
async function separatorOf(text: BytesAhead): Promise<string | undefined> {
  await text.fill(longestSeparatorLine);
  const start = text.head().toString("latin1", 0, longestSeparatorLine);
  return /^"?sep=([^\r\n"])"?(?:\r\n|\r(?!\n)|\n)/i.exec(start)?.[1];
}

const longestSeparatorLine = 9;

const delimiters = [",", ";", "\t", "|"];
const delimiterSampleBytes = 64 * 1024;

interface DetectedDelimiter {
  readonly delimiter: string;
  /** Why the delimiter has to be given: the middle of a sentence. */
  readonly doubt?: string;
}

interface DelimiterCandidate {
  readonly delimiter: string;
  readonly header: CsvRecord;
  readonly rows: readonly CsvRecord[];
  /** The share of sound rows with as many cells as the header; below 0 if that is not sound. */
  readonly fitting: number;
  readonly areSound: boolean;
}

/** The delimiter that the header and the rows have alike; else that of the rows, below a title or comments. */
async function detectDelimiter(
  text: string,
  splitterOf: (delimiter: string) => Promise<Splitter>,
  firstLine: number,
): Promise<DetectedDelimiter> {
  const splitters = await Promise.all(delimiters.map(splitterOf));
  const all = delimiters.flatMap((delimiter, at): DelimiterCandidate[] => {
    const records = splitters[at]?.(text, 0, firstLine, true).records ?? [];
    // A header that is blank is refused elsewhere, and where there is none the first row counts.
    const [header, ...rows] = records.filter(({ cells }) => cells.length > 1 || holdsText(cells));
    if (header === undefined) return [];
    const fits = rows.filter((row) => hasAsMany(row, header) && hasSoundQuotes(row));
    const fitting = fits.length / Math.max(1, rows.length);
    const areSound = rows.filter(hasSoundQuotes).length * 2 >= rows.length;
    const fit = hasSoundQuotes(header) ? fitting : -1;
    return [{ delimiter, header, rows, fitting: fit, areSound }];
  });
  const ours = resultsDelimiter.exec(text)?.[1];
  const inHeader = all.filter(({ header }) => header.cells.length > 1);
  if (inHeader.some(({ delimiter }) => delimiter === ours)) return { delimiter: ours ?? "" };
  const [best, next] = inHeader.toSorted(
    (a, b) => b.fitting - a.fitting || b.header.cells.length - a.header.cells.length,
  );
  const isUsed =
    best !== undefined &&
    best.rows.filter(({ cells }) => cells.length > 1).length * 2 >= best.rows.length;
  const table = findTableBelow(isUsed ? all.filter((one) => one.areSound && !best.areSound) : all);
  if (table !== undefined && table.delimiter !== best?.delimiter) {
    const { delimiter, line } = table;
    const instead = best?.delimiter ?? delimiters.find((one) => !text.includes(one)) ?? "\t";
    const doubt = `the lines from ${line} on hold ${showDelimiter(delimiter)}, unlike what is above. If line ${line} names the columns, give --skip-lines ${line - 1}; else say what separates cells, such as ${optionFor(instead)}`;
    return { delimiter, doubt };
  }
  const delimiter = best?.delimiter ?? ",";
  const isTied =
    best?.fitting === next?.fitting && best?.header.cells.length === next?.header.cells.length;
  if (best === undefined || next === undefined || !isTied) return { delimiter };
  const both = `${showDelimiter(delimiter)} and ${showDelimiter(next.delimiter)}`;
  const doubt = `its header holds ${both}, and either may separate cells. Say which: ${optionFor(delimiter)}`;
  return { delimiter, doubt };
}

/** The delimiter that nearly all rows have alike from one of the first lines on, and that does not stand in prose. */
function findTableBelow(candidates: readonly DelimiterCandidate[]) {
  const tables = candidates.flatMap(({ delimiter, rows, areSound }) => {
    const first = rows.slice(0, maxTitleLines).find((first, at) => {
      const all = rows.length - at;
      const fitting = rows.slice(at).filter((row) => hasAsMany(row, first));
      const isProse = fitting.filter(isSpaced).length * 2 > fitting.length;
      const least = all <= minTableRows ? all : consistent * (all - maxFooterLines);
      const mayBe = first.cells.length > 1 && holdsText(first.cells) && !isProse;
      return mayBe && fitting.length >= least;
    });
    return first === undefined ? [] : [{ ...first, delimiter, areSound }];
  });
  const [best] = tables.toSorted(
    (a, b) =>
      Number(b.areSound) - Number(a.areSound) || a.line - b.line || b.cells.length - a.cells.length,
  );
  return best;
}

const consistent = 0.9;
const maxTitleLines = 12;
const maxFooterLines = 2;
const minTableRows = 3;

/** In a results file the delimiter stands beside `import_status`, whatever its other columns are called. */
const resultsDelimiter = /([,;\t|])"?import_status"?(?=[,;\t|\r\n]|$)/;

function hasAsMany(row: CsvRecord, other: CsvRecord): boolean {
  return row.cells.length === other.cells.length;
}

/** With another delimiter than its own, a cell in quotes has something behind them. */
function hasSoundQuotes({ quoteFault }: CsvRecord): boolean {
  return quoteFault === undefined || quoteFault.kind === "text";
}

/** Whether a space follows a delimiter, as in prose. */
function isSpaced({ cells }: CsvRecord): boolean {
  return cells.some((cell, at) => at > 0 && cell.startsWith(" "));
}

function optionFor(delimiter: string): string {
  const name = nameOfDelimiter(delimiter);
  return `--delimiter ${/^[\w,:]+$/.test(name) ? name : `'${name}'`}`;
}

function showDelimiter(delimiter: string): string {
  const name = nameOfDelimiter(delimiter);
  return name.length === 1 ? `"${name}"` : name;
}
