import { nameOfDelimiter } from "../model/dialect.ts";

const candidates = [",", ";", "\t", "|"];
/** Seldom meant as delimiters, so they are suggested but never chosen. */
const unusual = [":", "^", "~", "\u001f"];
const all = [...candidates, ...unusual];

const maxRecords = 200;
const sampleChars = 64 * 1024;

export type DetectedDelimiter =
  | { readonly kind: "delimiter"; readonly delimiter: string }
  /** More text is needed to decide. */
  | { readonly kind: "more" }
  /** Why it has to be given: what the input looks like, and what to do. */
  | { readonly kind: "unclear"; readonly why: string };

/**
 * Detects the delimiter. If the header holds a single kind of delimiter, it is that; otherwise the
 * records after it decide.
 *
 * @param text from the header on
 * @param firstLine the physical line on which it begins
 */
export function detectDelimiter(
  text: string,
  quote: string,
  isWhole: boolean,
  firstLine: number,
): DetectedDelimiter {
  const isSample = isWhole || text.length >= sampleChars;
  const records = countDelimiters(text, quote, all, isWhole, maxRecords);
  // A header that is blank is refused elsewhere, and where there is none the first row counts.
  const [header, ...rows] = records.filter(({ isBlank }) => !isBlank);
  if (header === undefined) return isSample ? take(",") : { kind: "more" };
  const ours = resultsDelimiter.exec(text)?.[1] ?? "";
  if (countOf(header, all.indexOf(ours)) > 0) return take(ours);
  const inHeader = candidates.filter((_, at) => countOf(header, at) > 0);
  const [only, second] = inHeader;
  if (only !== undefined && second === undefined) return take(only);
  if (!isSample) return { kind: "more" };
  return only === undefined
    ? asOneColumn(header, rows, firstLine, text)
    : chooseAmong(inHeader, header, rows);
}

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
  if (best !== undefined && !isTied) return take(best.delimiter);
  const kinds = inHeader.map(nameOfDelimiter).join(" and ");
  const example = optionFor(inHeader[0] ?? ",");
  return unclear(`its header holds ${kinds}, and either may separate cells. Say which: ${example}`);
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
  for (const [at, delimiter] of candidates.entries()) {
    const counts = rows.map((row) => countOf(row, at));
    const usual = mostFrequent(counts);
    const fitting = counts.filter((count) => count === usual).length;
    if (usual === 0 || fitting === 0 || fitting < consistent * counts.length) continue;
    const first = rows.find((row) => countOf(row, at) === usual);
    const line = firstLine + (first?.line ?? 2) - 1;
    return unclear(
      `its first line names one column, but the lines from ${line} on hold ${nameOfDelimiter(delimiter)} ${times(usual)} each. If the names of the columns stand on line ${line}, give --skip-lines ${line - 1}. ${oneColumn}`,
    );
  }
  for (const delimiter of unusual) {
    const at = all.indexOf(delimiter);
    const count = countOf(header, at);
    if (count === 0 || !rows.every((row) => countOf(row, at) === count)) continue;
    return unclear(
      `it seems to have one column, but every line holds ${JSON.stringify(delimiter)} ${times(count)}. If that separates cells, give ${optionFor(delimiter)}. ${oneColumn}`,
    );
  }
  return take(",");
}

/** The share of the rows that has to agree. */
const consistent = 0.9;

function mostFrequent(counts: readonly number[]): number {
  const seen = new Map<number, number>();
  for (const count of counts) seen.set(count, (seen.get(count) ?? 0) + 1);
  const [[count] = [0]] = [...seen].toSorted(([, a], [, b]) => b - a);
  return count;
}

function countOf({ counts }: CountedRecord, at: number): number {
  return counts[at] ?? 0;
}

function take(delimiter: string): DetectedDelimiter {
  return { kind: "delimiter", delimiter };
}

function unclear(why: string): DetectedDelimiter {
  return { kind: "unclear", why };
}

function optionFor(delimiter: string): string {
  const name = nameOfDelimiter(delimiter);
  return `--delimiter ${/^[\w,:]+$/.test(name) ? name : `'${name}'`}`;
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

/** A record of which only its delimiters were counted. */
export interface CountedRecord {
  /** The physical line, from 1, on which it starts. */
  readonly line: number;
  readonly isBlank: boolean;
  /** How often each candidate stands in it outside of quotes, in their order. */
  readonly counts: readonly number[];
}

/**
 * Counts what may be delimiters in the first records of a text. A quote opens where a cell begins,
 * whichever of the candidates stands before it.
 *
 * @param isWhole whether the text ends there, so that its last record is complete
 */
function countDelimiters(
  text: string,
  quote: string,
  candidates: readonly string[],
  isWhole: boolean,
  maxRecords: number,
): CountedRecord[] {
  const records: CountedRecord[] = [];
  let counts = candidates.map(() => 0);
  let line = 1;
  let firstLine = line;
  let begin = 0;
  let isQuoted = false;
  let isCellStart = true;
  const end = (at: number) => {
    const isBlank = text.slice(begin, at).trim() === "";
    records.push({ line: firstLine, isBlank, counts });
    counts = candidates.map(() => 0);
    isCellStart = true;
  };
  for (let at = 0; at < text.length && records.length < maxRecords; at++) {
    const character = text[at] ?? "";
    const isBreak = character === "\n" || (character === "\r" && text[at + 1] !== "\n");
    if (isBreak) line++;
    if (character === quote && quote !== "" && (isQuoted || isCellStart)) {
      if (isQuoted && text[at + 1] === quote) at++;
      else isQuoted = !isQuoted;
      isCellStart = false;
      continue;
    }
    if (isQuoted) continue;
    if (isBreak) {
      end(at);
      begin = at + 1;
      firstLine = line;
      continue;
    }
    const found = candidates.indexOf(character);
    isCellStart = found >= 0;
    if (found >= 0) counts[found] = (counts[found] ?? 0) + 1;
  }
  const hasRest = begin < text.length && records.length < maxRecords;
  if (isWhole && hasRest && !isQuoted) end(text.length);
  return records;
}
