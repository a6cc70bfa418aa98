import { openResultsFile, type ResultsSource } from "../../input/open-results-file.ts";
import type { InputSpec } from "../../input/read-bytes.ts";
import { cannotStart, InputDamagedError } from "../../model/errors.ts";
import type { Reading } from "../../model/reading.ts";
import type { EarlierOutcome, Row } from "../../model/row.ts";

/** A line of a file that is given to be retried. */
export interface GivenLine {
  readonly row: number;
  /** The physical line, from 1, in the given file. */
  readonly line: number;
  /** In the order of the account's columns; undefined where the file has lost the column. */
  readonly cells: readonly (string | undefined)[];
  /** What the line says of its event, as far as somebody has left that. */
  readonly earlier: EarlierOutcome;
  /** Whether `import_error_code` was cleared: the line is sent as it stands, even if its cells are as they were. */
  readonly isSentAsItIs: boolean;
}

export interface GivenRow {
  readonly row: number;
  /** Each for another event. */
  readonly lines: readonly GivenLine[];
}

/** The lines of a given file, those of each row together, in the order of the rows. */
export interface GivenLines {
  readonly name: string;
  rows(): AsyncGenerator<GivenRow>;
  /** Columns of the account that the file has lost. */
  readonly lostColumns: readonly string[];
}

/** More is not sorted in memory: about 40 MB. */
const maxSortedChars = 16 * 1024 * 1024;

/**
 * Reads a file that is given to be retried: failed rows, as they are or edited.
 *
 * @param columns those of the input, as the account has them
 * @throws CannotStartError naming the line that cannot be used, and what to do
 */
export async function openGivenLines(
  spec: Extract<InputSpec, { kind: "file" }>,
  reading: Reading,
  columns: readonly string[],
): Promise<GivenLines> {
  const { name } = spec;
  const refuse = (why: string) => cannotStart("retry_refused", name, why);
  const open = () => openResultsFile(spec, reading);
  const source = await open();
  const lost = source.missingColumns.filter((column) => neededColumns.has(column));
  if (lost.length > 0) {
    await source.close();
    throw refuse(
      `it has lost the columns ${lost.join(", ")}, which say which event a line is for: put them back`,
    );
  }
  const places = placesOf(columns, source.columns);
  const lostColumns = columns.filter((_, at) => places[at] === undefined);
  const linesOf = (from: ResultsSource) => readLines(from, places, refuse);

  const kept: GivenLine[] = [];
  let chars = 0;
  let isSorted = true;
  let last = 0;
  for await (const line of linesOf(source)) {
    isSorted &&= line.row >= last;
    last = line.row;
    chars += 64 + line.cells.reduce((sum, cell) => sum + 8 + (cell?.length ?? 0), 0);
    if (chars <= maxSortedChars) kept.push(line);
    else kept.length = 0;
  }
  if (chars <= maxSortedChars) {
    kept.sort((one, other) => one.row - other.row);
    return { name, lostColumns, rows: () => byRow(kept, name) };
  }
  if (!isSorted) {
    throw refuse(
      `its rows are in another order than the results, and it is too large to be sorted here: sort it by import_row`,
    );
  }
  return {
    ...{ name, lostColumns },
    async *rows() {
      yield* byRow(linesOf(await open()), name);
    },
  };
}

/** Refuses a line of a given file. */
export function refuseLine(name: string, { row, line }: GivenLine, why: string) {
  return cannotStart("retry_refused", name, `line ${line} (row ${row}) ${why}`);
}

const neededColumns: ReadonlySet<string> = new Set(["import_row", "import_event"]);

/** Where each column is in another file: columns of one name in their order. */
function placesOf(columns: readonly string[], others: readonly string[]): (number | undefined)[] {
  const left = new Map<string, number[]>();
  others.forEach((name, at) => {
    left.set(name, [...(left.get(name) ?? []), at]);
  });
  return columns.map((name) => left.get(name)?.shift());
}

async function* readLines(
  source: ResultsSource,
  places: readonly (number | undefined)[],
  refuse: (why: string) => Error,
): AsyncGenerator<GivenLine> {
  const hasCodes = !source.missingColumns.includes("import_error_code");
  try {
    for await (const rows of source.batches) {
      for (const row of rows) {
        const line = toLine(row, places, hasCodes, refuse);
        if (line !== undefined) yield line;
      }
    }
  } catch (error) {
    if (!(error instanceof InputDamagedError)) throw error;
    throw refuse(error.message);
  } finally {
    await source.close();
  }
}

/** @returns undefined for a line whose cells were all cleared: the row was taken out */
function toLine(
  { row, line, cells, earlier, problem }: Row,
  places: readonly (number | undefined)[],
  hasCodes: boolean,
  refuse: (why: string) => Error,
): GivenLine | undefined {
  if (cells.every((cell) => cell.trim() === "") && earlier?.row === undefined) return undefined;
  if (problem?.code === "unknown_status") {
    const { column, value, message } = problem;
    const where = column === undefined ? "" : `, column ${column}`;
    const what = value === undefined ? "" : `${JSON.stringify(value)} `;
    throw refuse(`line ${line}${where}: ${what}${message}`);
  }
  if (earlier?.row === undefined) {
    throw refuse(
      `line ${line} has no import_row: import rows that were added in a file of their own`,
    );
  }
  return {
    ...{ row, line, earlier },
    cells: places.map((at) => (at === undefined ? undefined : (cells[at] ?? ""))),
    isSentAsItIs: earlier.errorCode === "" && hasCodes,
  };
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
