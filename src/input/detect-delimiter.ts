import { nameOfDelimiter } from "../model/reading.ts";
import { countLineBreaks } from "./csv-record.ts";
import { createCellScanner } from "./scan-cells.ts";

const delimiters = [",", ";", "\t", "|"];

const maxRecords = 200;
const sampleChars = 64 * 1024;

/** The delimiter, or why it has to be given: what the input looks like, and what to do. */
export type DetectedDelimiter =
  | { readonly delimiter: string; readonly why?: undefined }
  | { readonly delimiter?: undefined; readonly why: string };

/**
 * Detects the delimiter. If the header holds a single kind of delimiter, it is that; otherwise the
 * records after it decide.
 *
 * @param text from the header on
 * @param firstLine the physical line on which it begins
 * @param mayPause whether more may be long in coming: one row that agrees with the header has to do
 * @returns undefined if more text is needed to decide
 */
export function detectDelimiter(
  text: string,
  quote: string,
  isWhole: boolean,
  firstLine: number,
  mayPause = false,
): DetectedDelimiter | undefined {
  const isSample = isWhole || text.length >= sampleChars;
  // A header that is blank is refused elsewhere, and where there is none the first row counts.
  const records = countDelimiters(text, quote, isWhole).filter(({ isBlank }) => !isBlank);
  const [header, first, ...others] = records;
  if (header === undefined) return isSample ? { delimiter: "," } : undefined;
  const ours = resultsDelimiter.exec(text)?.[1] ?? "";
  if (countOf(header, ours) > 0) return { delimiter: ours };
  const inHeader = delimiters.filter((delimiter) => countOf(header, delimiter) > 0);
  const [only, second] = inHeader;
  const isOne = only !== undefined && second === undefined;
  const areComments = header.isComment && first?.isComment === true;
  if (mayPause && isOne && !areComments && first !== undefined) {
    if (countOf(first, only) === countOf(header, only)) return { delimiter: only };
  }
  if (!isSample && !((isOne || areComments) && others.length >= enoughRows)) return undefined;

  const table = findTableBelow(records, inHeader);
  if (table !== undefined) {
    const at = firstLine + table.line - 1;
    const unused = delimiters.find((candidate) => !text.includes(candidate)) ?? "\t";
    return {
      why: `the lines from ${at} on ${table.unlike}. If line ${at} names the columns, give --skip-lines ${at - 1}; else say what separates cells, such as ${optionFor(only ?? unused)}`,
    };
  }
  if (only === undefined) return { delimiter: "," };
  return isOne ? { delimiter: only } : chooseAmong(inHeader, records);
}

interface Table {
  /** Where its first row is, which has the names of the columns. */
  readonly line: number;
  /** What its rows are, and what is above them is not. */
  readonly unlike: string;
}

/**
 * Finds a table that begins below comments, or below a title: that holds no delimiter, or commas and
 * semicolons as any text does.
 *
 * @param inHeader the delimiters that the first line holds
 */
function findTableBelow(
  records: readonly CountedRecord[],
  inHeader: readonly string[],
): Table | undefined {
  const rows = records.slice(1);
  const firstRow = records.find(({ isComment }) => !isComment);
  const comments = firstRow === undefined ? [] : records.slice(0, records.indexOf(firstRow));
  if (firstRow !== undefined && comments.length > 1) {
    const areRows = delimiters.some(
      (one) => countOf(firstRow, one) > 0 && comments.every((row) => hasAsMany(row, firstRow, one)),
    );
    const unlike = "are no comments, and what is above is one";
    if (!areRows) return { line: firstRow.line, unlike };
  }
  const isUsed = (delimiter: string) =>
    rows.filter((row) => countOf(row, delimiter) > 0).length * 2 >= rows.length;
  if (inHeader.some(isUsed)) return undefined;
  const tables = delimiters.flatMap((delimiter) => {
    const start = rows.findIndex((first, from) => {
      const below = rows.slice(from);
      const fitting = below.filter((row) => hasAsMany(row, first, delimiter));
      if (countOf(first, delimiter) === 0 || from > maxTitleLines) return false;
      // Below a line of one cell a single row may be the table.
      if (inHeader.length === 0 && from === 0 && fitting.length >= consistent * below.length) {
        return true;
      }
      const isProse = fitting.filter(({ spaced }) => spaced > 0).length * 2 > fitting.length;
      const least = Math.max(minTableRows, consistent * (below.length - maxFooterLines));
      return fitting.length >= least && !isProse;
    });
    const first = rows[start];
    if (first === undefined) return [];
    return [{ delimiter, count: countOf(first, delimiter), line: first.line, start }];
  });
  const [found] = tables.toSorted((a, b) => a.start - b.start || b.count - a.count);
  if (found === undefined || inHeader.includes(found.delimiter)) return undefined;
  const { delimiter, count, line } = found;
  const unlike = `hold ${shown(delimiter)} ${times(count)} each, and what is above does not`;
  return { line, unlike };
}

/** The share of the rows that has to agree. */
const consistent = 0.9;
const maxTitleLines = 12;
const maxFooterLines = 2;
const minTableRows = 3;
/** So many rows show whether they hold the delimiter of the first line. */
const enoughRows = 39;

/** In a results file the delimiter stands beside `import_status`, whatever its other columns are called. */
const resultsDelimiter = /([,;\t|])"?import_status"?(?=[,;\t|\r\n]|$)/;

/** The one that gives most rows as many cells as the header; of several, the one that gives more cells. */
function chooseAmong(
  inHeader: readonly string[],
  [header, ...rows]: readonly CountedRecord[],
): DetectedDelimiter {
  const ranked = inHeader
    .map((delimiter) => {
      const fitting = rows.filter((row) => hasAsMany(row, header, delimiter)).length;
      return { delimiter, cells: countOf(header, delimiter), fitting };
    })
    .toSorted((a, b) => b.fitting - a.fitting || b.cells - a.cells);
  const [best, next] = ranked;
  const isTied = best?.fitting === next?.fitting && best?.cells === next?.cells;
  if (best !== undefined && !isTied) return { delimiter: best.delimiter };
  const kinds = inHeader.map(shown).join(" and ");
  const example = optionFor(inHeader[0] ?? ",");
  return { why: `its header holds ${kinds}, and either may separate cells. Say which: ${example}` };
}

/** How often a delimiter stands in a record. */
function countOf(record: CountedRecord | undefined, delimiter: string): number {
  return record?.counts[delimiters.indexOf(delimiter)] ?? 0;
}

function hasAsMany(
  row: CountedRecord,
  other: CountedRecord | undefined,
  delimiter: string,
): boolean {
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

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

/** A record of which only its delimiters were counted. */
interface CountedRecord {
  /** The physical line, from 1, on which it starts. */
  readonly line: number;
  readonly isBlank: boolean;
  readonly isComment: boolean;
  /** How often each candidate stands in it outside of quotes, in their order. */
  readonly counts: readonly number[];
  /** How many of them a space follows, as in prose. */
  readonly spaced: number;
}

/**
 * Counts what may be delimiters in the first records of a text. A quote opens where a cell begins,
 * whichever of the candidates stands before it.
 *
 * @param isWhole whether the text ends there, so that its last record is complete
 */
function countDelimiters(text: string, quote: string, isWhole: boolean): CountedRecord[] {
  const records: CountedRecord[] = [];
  const cell = createCellScanner(quote, delimiters);
  let counts = delimiters.map(() => 0);
  let spaced = 0;
  let line = 1;
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
    const isComment = /^\s*(#|\/\/|--)/.test(record);
    records.push({ line, isBlank: record.trim() === "", isComment, counts, spaced });
    line += 1 + countLineBreaks(record);
    start = begin = end + (text.startsWith("\r\n", end) ? 2 : 1);
    counts = delimiters.map(() => 0);
    spaced = 0;
  }
  return records;
}
