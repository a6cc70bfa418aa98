import { nameOfDelimiter } from "../model/dialect.ts";
import { countLineBreaks } from "./csv-record.ts";
import { createCellScanner } from "./scan-cells.ts";

const candidates = [",", ";", "\t", "|"];
/** Seldom meant as delimiters, so they are suggested but never chosen. */
const unusual = [":", "^", "~", "\u001f"];
const all = [...candidates, ...unusual];

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
  const records = countDelimiters(text, quote, isWhole);
  // A header that is blank is refused elsewhere, and where there is none the first row counts.
  const [header, ...rows] = records.filter(({ isBlank }) => !isBlank);
  if (header === undefined) return isSample ? { delimiter: "," } : undefined;
  const ours = resultsDelimiter.exec(text)?.[1] ?? "";
  if (countOf(header, all.indexOf(ours)) > 0) return { delimiter: ours };
  const below = belowComments(header, rows, firstLine);
  if (below !== undefined) return isSample || rows.length >= enoughRows ? below : undefined;
  const inHeader = candidates.filter((_, at) => countOf(header, at) > 0);
  const [only, second] = inHeader;
  const [first] = rows;
  if (mayPause && only !== undefined && second === undefined && first !== undefined) {
    const at = candidates.indexOf(only);
    if (countOf(first, at) === countOf(header, at)) return { delimiter: only };
  }
  const areEnough = isSample || (second === undefined && rows.length >= enoughRows);
  if (only === undefined || !areEnough) {
    return isSample ? asOneColumn(header, rows, firstLine, text) : undefined;
  }
  return (
    belowTitle(inHeader, rows, firstLine) ??
    (second === undefined ? { delimiter: only } : chooseAmong(inHeader, header, rows))
  );
}

/** A title holds commas or semicolons as any text does. The rows below it hold another delimiter. */
function belowTitle(
  inTitle: readonly string[],
  rows: readonly CountedRecord[],
  firstLine: number,
): DetectedDelimiter | undefined {
  const isUsed = (delimiter: string) => {
    const at = candidates.indexOf(delimiter);
    return rows.filter((row) => countOf(row, at) > 0).length * 2 >= rows.length;
  };
  if (inTitle.some(isUsed)) return undefined;
  const table = findTable(rows, false);
  if (table === undefined || inTitle.includes(table.delimiter)) return undefined;
  const title = `its first line holds ${inTitle.map(shown).join(" and ")}`;
  return furtherDown(
    title,
    table,
    firstLine,
    `; else say what separates cells, such as ${optionFor(table.delimiter)}`,
  );
}

/** Several lines that begin with the sign of a comment. A header that begins with `#` is one line. */
function belowComments(
  header: CountedRecord,
  rows: readonly CountedRecord[],
  firstLine: number,
): DetectedDelimiter | undefined {
  const first = rows.find(({ isComment }) => !isComment);
  if (!header.isComment || first === undefined || first === rows[0]) return undefined;
  const above = [header, ...rows.slice(0, rows.indexOf(first))];
  const areRows = candidates.some((_, at) => {
    const count = countOf(first, at);
    return count > 0 && above.every((row) => countOf(row, at) === count);
  });
  if (areRows) return undefined;
  const line = firstLine + first.line - 1;
  return {
    why: `its first lines are comments. If the names of the columns stand on line ${line}, give --skip-lines ${line - 1}; else say what separates cells, such as ${optionFor(",")}`,
  };
}

interface Table {
  readonly delimiter: string;
  /** Its first row, which has the names of the columns. */
  readonly first: CountedRecord;
  /** How often the delimiter stands in each row. */
  readonly count: number;
  /** Rows above it. */
  readonly start: number;
}

/**
 * Finds where rows with equally many cells begin below a title.
 *
 * @param isOneColumn whether the line above holds no delimiter: then a single row may be the table
 */
function findTable(rows: readonly CountedRecord[], isOneColumn: boolean): Table | undefined {
  const tables = candidates.flatMap((delimiter, at): Table[] => {
    const start = rows.findIndex((row, from) => {
      const count = countOf(row, at);
      if (count === 0 || from > maxTitleLines) return false;
      const below = rows.slice(from);
      const fitting = below.filter((one) => countOf(one, at) === count);
      const areNearlyAll = fitting.length >= consistent * below.length;
      if (isOneColumn && from === 0 && areNearlyAll) return true;
      const isProse = fitting.filter(({ spaced }) => spaced > 0).length * 2 > fitting.length;
      const least = Math.max(minTableRows, consistent * (below.length - maxFooterLines));
      return fitting.length >= least && !isProse;
    });
    const first = rows[start];
    return first === undefined ? [] : [{ delimiter, first, count: countOf(first, at), start }];
  });
  return tables.toSorted((a, b) => a.start - b.start || b.count - a.count)[0];
}

/** Says what is above a table, and what to do about it or otherwise. */
function furtherDown(
  above: string,
  { delimiter, first, count }: Table,
  firstLine: number,
  otherwise: string,
): DetectedDelimiter {
  const line = firstLine + first.line - 1;
  return {
    why: `${above}, but the lines from ${line} on hold ${shown(delimiter)} ${times(count)} each. If the names of the columns stand on line ${line}, give --skip-lines ${line - 1}${otherwise}`,
  };
}

const maxTitleLines = 12;
const maxFooterLines = 2;
const minTableRows = 3;
/** So many rows show whether they hold the delimiter of the first line. */
const enoughRows = 40;

/** In a results file the delimiter stands beside `import_status`, whatever its other columns are called. */
const resultsDelimiter = /([,;\t|])"?import_status"?(?=[,;\t|\r\n]|$)/;

/** The one that gives most rows as many cells as the header; of several, the one that gives more cells. */
function chooseAmong(
  inHeader: readonly string[],
  header: CountedRecord,
  rows: readonly CountedRecord[],
): DetectedDelimiter {
  const ranked = inHeader
    .map((delimiter) => {
      const at = all.indexOf(delimiter);
      const cells = countOf(header, at);
      return { delimiter, cells, fitting: rows.filter((row) => countOf(row, at) === cells).length };
    })
    .toSorted((a, b) => b.fitting - a.fitting || b.cells - a.cells);
  const [best, next] = ranked;
  const isTied = best?.fitting === next?.fitting && best?.cells === next?.cells;
  if (best !== undefined && !isTied) return { delimiter: best.delimiter };
  const kinds = inHeader.map(shown).join(" and ");
  const example = optionFor(inHeader[0] ?? ",");
  return { why: `its header holds ${kinds}, and either may separate cells. Say which: ${example}` };
}

/** A header without delimiters is one column, unless the lines below look like several. */
function asOneColumn(
  header: CountedRecord,
  rows: readonly CountedRecord[],
  firstLine: number,
  text: string,
): DetectedDelimiter {
  const unused = candidates.find((candidate) => !text.includes(candidate)) ?? "\t";
  const oneColumn = `If it is one column all the same, give ${optionFor(unused)}`;
  const table = findTable(rows, true);
  if (table !== undefined) {
    const above = table.start === 0 ? "line names one column" : "lines are one text each";
    return furtherDown(`its first ${above}`, table, firstLine, `. ${oneColumn}`);
  }
  for (const delimiter of unusual) {
    const at = all.indexOf(delimiter);
    const count = countOf(header, at);
    if (count === 0 || !rows.every((row) => countOf(row, at) === count)) continue;
    return {
      why: `it seems to have one column, but every line holds ${JSON.stringify(delimiter)} ${times(count)}. If that separates cells, give ${optionFor(delimiter)}. ${oneColumn}`,
    };
  }
  return { delimiter: "," };
}

/** The share of the rows that has to agree. */
const consistent = 0.9;

function countOf({ counts }: CountedRecord, at: number): number {
  return counts[at] ?? 0;
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
  const cell = createCellScanner(quote, all);
  let counts = all.map(() => 0);
  let spaced = 0;
  let line = 1;
  let begin = 0;
  for (let start = 0; begin < text.length && records.length < maxRecords; ) {
    cell.moveTo(text, start);
    const { end, isQuoted, close } = cell;
    if (isQuoted && close < 0) break;
    const found = all.indexOf(text[end] ?? "");
    if (found >= 0) {
      counts[found] = (counts[found] ?? 0) + 1;
      if (text[end + 1] === " ") spaced++;
      start = end + 1;
      continue;
    }
    if (end === text.length && !isWhole) break;
    const record = text.slice(begin, end);
    const isComment = /^\s*(#|\/\/|--|[;!%]\s+\p{L})/u.test(record);
    records.push({ line, isBlank: record.trim() === "", isComment, counts, spaced });
    line += 1 + countLineBreaks(record);
    start = begin = end + (text.startsWith("\r\n", end) ? 2 : 1);
    counts = all.map(() => 0);
    spaced = 0;
  }
  return records;
}
