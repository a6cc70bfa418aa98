import { createHash } from "node:crypto";
import { encodingsOfPrograms } from "../../input/decode-bytes.ts";
import {
  type EarlierOutcome,
  openResultsFile,
  type ResultsFile,
} from "../../input/open-results-file.ts";
import type { FileSpec } from "../../input/read-bytes.ts";
import { CannotStartError, cannotStart, InputDamagedError } from "../../model/errors.ts";
import { isDone } from "../../model/outcome.ts";
import type { Reading } from "../../model/reading.ts";
import { type KnownLine, quote } from "../../model/row.ts";

export interface GivenLine {
  readonly row: number;
  /** The physical line, from 1, in the given file. */
  readonly line: number;
  /** The cells of the input, in the order of the account's columns; undefined in a column that the file lacks. */
  readonly cells: readonly (string | undefined)[];
  /** What the line says of its event, as far as somebody has left that. */
  readonly earlier: EarlierOutcome;
  /** Whether `import_error_code` was cleared: the line is sent as it stands, even if its cells are as they were. */
  readonly isSentAsItIs: boolean;
}

interface KnownRow {
  readonly lines: readonly Pick<KnownLine, "status" | "cells">[];
}

export interface GivenRow {
  readonly row: number;
  readonly lines: readonly GivenLine[];
}

/** The lines of a given file, those of each row together, in the order of the rows. */
export interface GivenLines {
  readonly name: string;
  /** The encoding that the account's cells explain, if the file is not UTF-8. */
  readonly encoding?: string;
  readonly lacks: readonly string[];
  /** What is left out of the file, as it is no line of an event: a sentence each. */
  readonly leftOut: readonly string[];
  rows(): AsyncGenerator<GivenRow>;
}

/** What is longer is not sorted in memory: about 40 MB. */
const maxSortedChars = 16 * 1024 * 1024;

/**
 * Reads a file that is given to be retried: failed rows, as they are or edited.
 *
 * @param columns those of the input, as the account has them
 * @param rowsOf gives the rows of the account, which tell in which encoding a program has saved the file
 * @throws CannotStartError naming the line that cannot be used, and what to do
 */
export async function openGivenLines(
  spec: FileSpec,
  reading: Reading,
  columns: readonly string[],
  rowsOf: () => AsyncIterable<KnownRow>,
): Promise<GivenLines> {
  try {
    return await readGivenLines(spec, reading, columns);
  } catch (error) {
    if (!(error instanceof CannotStartError) || reading.encoding !== undefined) throw error;
    const encoding = await encodingOf(spec, reading, rowsOf);
    if (encoding === undefined) throw error;
    return { ...(await readGivenLines(spec, { ...reading, encoding }, columns)), encoding };
  }
}

/**
 * The encoding in which most cells of a file that are not ASCII are those of the account.
 *
 * @returns undefined if none of them is in any
 * @throws CannotStartError if several explain as many, and differ in others
 */
async function encodingOf(
  spec: FileSpec,
  reading: Reading,
  rowsOf: () => AsyncIterable<KnownRow>,
): Promise<string | undefined> {
  const known = new Set<string>();
  for await (const { lines } of rowsOf()) {
    const notDone = lines.filter(({ status }) => status === undefined || !isDone(status));
    for (const cell of notDone.flatMap(({ cells }) => cells)) if (!isAscii(cell)) known.add(cell);
    if (known.size >= maxCompared) break;
  }
  const rereads: Awaited<ReturnType<typeof reread>>[] = [];
  for (const encoding of encodingsOfPrograms) {
    try {
      rereads.push(await reread(spec, { ...reading, encoding }, known));
    } catch (error) {
      if (!(error instanceof CannotStartError)) throw error;
    }
  }
  const most = Math.max(...rereads.map(({ same }) => same));
  const [best, ...others] = rereads.filter(({ same }) => same > 0 && same === most);
  const other = others.find(({ hash }) => hash !== best?.hash);
  if (best !== undefined && other !== undefined) {
    const [one, two] = [best, other].map(({ encoding, first }) => `${encoding} (${quote(first)})`);
    const why = `it may be in ${one} or ${two}: give --encoding with the one in which it reads right`;
    throw cannotStart("retry_refused", spec.name, why);
  }
  return best?.encoding;
}

/** The cells of a file beyond ASCII, as they read in an encoding: how many the account has, and the first it does not. */
async function reread(spec: FileSpec, reading: Reading, known: ReadonlySet<string>) {
  const hash = createHash("sha256");
  let same = 0;
  let first = "";
  const source = await openResultsFile(spec, reading);
  for await (const { cells } of readLines(source, [...source.columns.keys()])) {
    for (const cell of cells.flatMap((one = "") => (isAscii(one) ? [] : one))) {
      hash.update(`${cell}\n`);
      if (known.has(cell)) same++;
      else first ||= cell;
    }
  }
  return { encoding: reading.encoding, hash: hash.digest("hex"), same, first };
}

/** Cells of the account with letters beyond ASCII: more would not tell more about an encoding. */
const maxCompared = 1000;

function isAscii(text: string): boolean {
  return !/\P{ASCII}/u.test(text);
}

async function readGivenLines(
  spec: FileSpec,
  reading: Reading,
  columns: readonly string[],
): Promise<GivenLines> {
  const { name } = spec;
  const source = await openResultsFile(spec, reading);
  const places = placesOf(columns, source.columns);
  const lacks = columns.filter((_, at) => places[at] === undefined);
  const lost = source.missingColumns.filter((column) => neededColumns.has(column));
  // Beside a new column, one that is missing may have another name now, and fixes in it.
  const isRenamed = source.columns.length + lacks.length > columns.length;
  if (lost.length > 0 || (lacks.length > 0 && isRenamed)) {
    await source.close();
    const why = `it has lost the columns ${[...lacks, ...lost].join(", ")}: put them back`;
    throw cannotStart("retry_refused", name, why);
  }

  const kept: GivenLine[] = [];
  let chars = 0;
  let isSorted = true;
  let last = 0;
  for await (const line of readLines(source, places)) {
    isSorted &&= line.row >= last;
    last = line.row;
    chars += 64 + line.cells.reduce((sum: number, cell) => sum + 8 + (cell?.length ?? 0), 0);
    if (chars <= maxSortedChars) kept.push(line);
    else kept.length = 0;
  }
  const isKept = chars <= maxSortedChars;
  if (!isKept && !isSorted) {
    const why =
      "its rows are in another order than the results, and it is too large to be sorted here: sort it by import_row";
    throw cannotStart("retry_refused", name, why);
  }
  kept.sort((one, other) => one.row - other.row);
  return {
    name,
    lacks,
    leftOut: source.warnings,
    async *rows() {
      yield* byRow(isKept ? kept : readLines(await openResultsFile(spec, reading), places), name);
    },
  };
}

export function refuseLine(name: string, { row, line }: GivenLine, why: string): CannotStartError {
  return cannotStart("retry_refused", name, `line ${line} (row ${row}) ${why}`);
}

const neededColumns: ReadonlySet<string> = new Set(["import_row", "import_event"]);

/** Where each column is in another file: columns of one name in their order. */
function placesOf(columns: readonly string[], others: readonly string[]): (number | undefined)[] {
  const left = new Map<string, number[]>();
  others.forEach((written, at) => {
    const name = withLineFeeds(written);
    left.set(name, [...(left.get(name) ?? []), at]);
  });
  return columns.map((name) => left.get(withLineFeeds(name))?.shift());
}

/** Programs write line breaks in a cell their own way, which nobody sees. */
export function withLineFeeds(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n");
}

async function* readLines(
  source: ResultsFile,
  places: readonly (number | undefined)[],
): AsyncGenerator<GivenLine> {
  const hasCodes = !source.missingColumns.includes("import_error_code");
  try {
    for await (const lines of source.batches) {
      for (const { line, cells, earlier, unusable = "" } of lines) {
        if (earlier?.row === undefined || unusable !== "") {
          throw cannotStart("retry_refused", source.name, `line ${line}${unusable}`);
        }
        yield {
          row: earlier.row,
          line,
          earlier,
          cells: places.map((at) => (at === undefined ? undefined : (cells[at] ?? ""))),
          isSentAsItIs: earlier.errorCode === "" && hasCodes,
        };
      }
    }
  } catch (error) {
    if (!(error instanceof InputDamagedError)) throw error;
    throw cannotStart("retry_refused", source.name, error.message);
  } finally {
    await source.close();
  }
}

async function* byRow(
  all: Iterable<GivenLine> | AsyncIterable<GivenLine>,
  name: string,
): AsyncGenerator<GivenRow> {
  let row = 0;
  let lines: GivenLine[] = [];
  for await (const line of all) {
    if (line.row !== row) {
      if (lines.length > 0) yield { row, lines };
      lines = [];
    }
    row = line.row;
    const same = lines.find(({ earlier }) => earlier.event === line.earlier.event);
    if (same !== undefined) {
      throw refuseLine(name, line, `is for the same event as line ${same.line}: keep one of them`);
    }
    lines.push(line);
  }
  if (lines.length > 0) yield { row, lines };
}
