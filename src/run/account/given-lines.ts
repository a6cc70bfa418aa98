import { openResultsFile, type ResultsSource } from "../../input/open-results-file.ts";
import type { InputSpec } from "../../input/read-bytes.ts";
import { cannotStart, InputDamagedError } from "../../model/errors.ts";
import type { EventStatus } from "../../model/outcome.ts";
import type { Reading } from "../../model/reading.ts";
import type { Row } from "../../model/row.ts";

/** A line of a file that is given to be retried. */
export interface GivenLine {
  readonly row: number;
  /** The physical line, from 1, in the given file. */
  readonly line: number;
  /** Which of the row's events it is for; undefined for a row that gave none. */
  readonly event: number | undefined;
  /** Identity of the input, 16 hex digits; undefined if that was lost. */
  readonly input: string | undefined;
  readonly status: EventStatus | undefined;
  /** In the order of the account's columns; undefined where the file has lost the column. */
  readonly cells: readonly (string | undefined)[];
  /** Whether `import_error_code` was cleared: the line is sent as it stands, even if its cells are as they were. */
  readonly isSentAsItIs: boolean;
}

/** More is not sorted in memory: about 40 MB. */
const maxSortedChars = 16 * 1024 * 1024;

/** The lines of a given file, those of each row together, in the order of the rows. */
export interface GivenLines {
  rows(): AsyncGenerator<readonly GivenLine[]>;
  /** Columns of the account that the file has lost. */
  readonly lostColumns: readonly string[];
}

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
  const refuse = (why: string) => cannotStart("retry_refused", spec.name, why);
  const open = () => openResultsFile(spec, reading);
  const source = await open();
  const lost = source.missingColumns.filter((name) => neededColumns.has(name));
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
    return { lostColumns, rows: () => byRow(kept) };
  }
  if (!isSorted) {
    throw refuse(
      `its rows are in another order than the results, and it is too large to be sorted here: sort it by import_row`,
    );
  }
  return {
    lostColumns,
    async *rows() {
      yield* byRow(linesOf(await open()));
    },
  };
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
    throw refuse(error.message.replace(/\.$/, ""));
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
    throw refuse(
      `line ${line}${where}: ${value === undefined ? "" : `${JSON.stringify(value)} `}${message}`,
    );
  }
  if (earlier?.row === undefined) {
    throw refuse(
      `line ${line} has no import_row: import rows that were added in a file of their own`,
    );
  }
  return {
    ...{ row, line, event: earlier.event, input: earlier.input, status: earlier.status },
    cells: places.map((at) => (at === undefined ? undefined : (cells[at] ?? ""))),
    isSentAsItIs: earlier.errorCode === "" && hasCodes,
  };
}

async function* byRow(
  lines: Iterable<GivenLine> | AsyncIterable<GivenLine>,
): AsyncGenerator<readonly GivenLine[]> {
  let ofRow: GivenLine[] = [];
  for await (const line of lines) {
    if (ofRow[0] !== undefined && ofRow[0].row !== line.row) {
      yield ofRow;
      ofRow = [];
    }
    ofRow.push(line);
  }
  if (ofRow.length > 0) yield ofRow;
}
