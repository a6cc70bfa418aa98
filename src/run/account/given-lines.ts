import {
  type EarlierOutcome,
  openResultsFile,
  type ResultsFile,
} from "../../input/open-results-file.ts";
import type { InputSpec } from "../../input/read-bytes.ts";
import { type CannotStartError, cannotStart, InputDamagedError } from "../../model/errors.ts";
import type { Reading } from "../../model/reading.ts";

/** A line of a file that is given to be retried. */
export interface GivenLine {
  readonly row: number;
  /** The physical line, from 1, in the given file. */
  readonly line: number;
  /** Those of the input, in the order of the account's columns. */
  readonly cells: readonly string[];
  /** What the line says of its event, as far as somebody has left that. */
  readonly earlier: EarlierOutcome;
  /** Whether `import_error_code` was cleared: the line is sent as it stands, even if its cells are as they were. */
  readonly isSentAsItIs: boolean;
}

/** The lines of a row, each for another event. */
export interface GivenRow {
  readonly row: number;
  readonly lines: readonly GivenLine[];
}

/** The lines of a given file, those of each row together, in the order of the rows. */
export interface GivenLines {
  readonly name: string;
  rows(): AsyncGenerator<GivenRow>;
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
  const source = await openResultsFile(spec, reading);
  const places = placesOf(columns, source.columns);
  const lost = [
    ...columns.filter((_, at) => places[at] === undefined),
    ...source.missingColumns.filter((column) => neededColumns.has(column)),
  ];
  if (lost.length > 0) {
    await source.close();
    const why = `it has lost the columns ${lost.join(", ")}: put them back`;
    throw cannotStart("retry_refused", name, why);
  }

  const kept: GivenLine[] = [];
  let chars = 0;
  let isSorted = true;
  let last = 0;
  for await (const line of readLines(source, places)) {
    isSorted &&= line.row >= last;
    last = line.row;
    chars += 64 + line.cells.reduce((sum, cell) => sum + 8 + cell.length, 0);
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
    async *rows() {
      yield* byRow(isKept ? kept : readLines(await openResultsFile(spec, reading), places), name);
    },
  };
}

/** Refuses a line of a given file. */
export function refuseLine(name: string, { row, line }: GivenLine, why: string): CannotStartError {
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
  source: ResultsFile,
  places: readonly (number | undefined)[],
): AsyncGenerator<GivenLine> {
  const hasCodes = !source.missingColumns.includes("import_error_code");
  try {
    for await (const lines of source.batches) {
      for (const { line, cells, earlier, unusable = "" } of lines) {
        // Where somebody has cleared all cells of a line, the row was taken out.
        if (earlier?.row === undefined && cells.every((cell) => cell.trim() === "")) continue;
        if (earlier?.row === undefined || unusable !== "") {
          throw cannotStart("retry_refused", source.name, `line ${line}${unusable}`);
        }
        yield {
          row: earlier.row,
          line,
          earlier,
          cells: places.map((at) => cells[at ?? -1] ?? ""),
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
