import { cannotStart } from "../model/errors.ts";
import { normalized } from "../model/normalized.ts";
import { mostRecordBytes, type Reading, usualRecordBytes } from "../model/reading.ts";
import {
  isResultsColumn,
  originalOfSafeCopy,
  type ResultsColumn,
  resultsColumns,
  sourceColumn,
} from "../model/results-columns.ts";
import type { Row } from "../model/row.ts";
import type { SourcePosition } from "../model/source-position.ts";
import { openSource } from "./open-source.ts";
import { raggedMark } from "./ragged-row.ts";
import type { InputSpec } from "./read-bytes.ts";
import {
  emptiedLine,
  findUnreadable,
  prefixOnce,
  type ResultsCell,
  readEarlier,
  unreadableLine,
} from "./read-earlier.ts";
import type { Source } from "./source.ts";

/** A results file as a source; its columns are those of the original input. */
export interface ResultsSource extends Source {
  /** Whether its lines say which of several inputs they are from. */
  readonly hasSources: boolean;
  /** The `import_` columns that it has lost. */
  readonly missingColumns: readonly ResultsColumn[];
}

/**
 * Opens a results or failed-rows file, also one that a person edited: the original columns become
 * the row's cells, and the `import_` columns tell what the earlier run made of it.
 *
 * @throws CannotStartError as {@link openSource}, and where it is no results file
 */
export async function openResultsFile(
  input: InputSpec,
  reading: Reading = {},
  from?: SourcePosition,
): Promise<ResultsSource> {
  const maxRecordBytes = growth * (reading.maxRecordBytes ?? usualRecordBytes);
  const source = await openSource(input, { ...reading, maxRecordBytes, mayHoldRows: true }, from);
  const copied = originalOfSafeCopy(source.columns);
  if (copied !== undefined) {
    await source.close();
    throw cannotStart("safe_copy_as_input", input.name, copied);
  }
  const places = new Map<ResultsColumn, number>();
  const originals: number[] = [];
  const doubled: ResultsColumn[] = [];
  source.columns.forEach((name, index) => {
    if (!isResultsColumn(name)) originals.push(index);
    else if (places.has(name)) doubled.push(name);
    else places.set(name, index);
  });
  const [twice] = doubled;
  if (twice !== undefined || !places.has(statusColumn)) {
    await source.close();
    throw twice === undefined
      ? cannotStart("not_a_results_file", input.name, statusColumn, alikeStatus(source.columns))
      : cannotStart("reserved_column", input.name, twice);
  }

  const sourcePlace = places.get(sourceColumn);
  const toOriginal = (row: Row): Row => {
    const cells = originals.map((index) => row.cells[index] ?? "");
    const { row: place, line } = row;
    const here = { line, cells, resultsFile: input.name };
    const isNul = row.problem?.code === "nul_character" && row.problem.mark === undefined;
    const nul = isNul ? row.problem : undefined;
    if (row.problem !== undefined && nul === undefined) {
      return { ...here, row: place, problem: unreadableLine(row.problem) };
    }
    if (places.has("import_row") && row.cells.every((text) => text.trim() === "")) {
      return { ...here, row: place, problem: emptiedLine };
    }
    const cell: ResultsCell = (column) => row.cells[places.get(column) ?? -1]?.trim() ?? "";
    const earlier = {
      ...readEarlier(cell),
      ...(sourcePlace === undefined ? {} : { source: row.cells[sourcePlace] ?? "" }),
    };
    const original = { ...here, row: earlier.row ?? place, earlier };
    const problem = findUnreadable(cell, earlier);
    if (problem !== undefined) return { ...original, problem };
    const isDone = earlier.status === "succeeded" || earlier.status === "skipped";
    if (!isDone && nul !== undefined && !isResultsColumn(nul.column ?? "")) {
      return { ...original, problem: nul };
    }
    const code = markedCodes.find((marked) => marked === earlier.errorCode);
    if (isDone || code === undefined || earlier.eventId !== raggedMark(cells)) return original;
    const message = prefixOnce(notMended, earlier.error);
    return { ...original, problem: { code, message, mark: earlier.eventId } };
  };

  return {
    ...source,
    columns: originals.map((index) => source.columns[index] ?? ""),
    hasSources: sourcePlace !== undefined,
    missingColumns: resultsColumns.filter((name) => !places.has(name)),
    batches: mapBatches(source.batches, toOriginal),
  };
}

const statusColumn = "import_status" satisfies ResultsColumn;

/** The column that somebody, or a program, may have given another form of the name. */
function alikeStatus(columns: readonly string[]): string | undefined {
  const plain = (name: string) =>
    normalized(name, "NFKC")
      .trim()
      .toLowerCase()
      .replace(/[\s-]+/g, "_");
  return columns.find((name) => plain(name) === statusColumn);
}

/** How much longer than a record of the input one may be that also tells what became of it. */
const growth = 8;

/** The results as they were written, which nobody had a chance to change. */
export const asWritten: Reading = {
  encoding: "utf-8",
  delimiter: ",",
  quote: '"',
  maxRecordBytes: mostRecordBytes / growth,
};

/** What is wrong with the cells themselves, and still is as long as they are the same. */
const markedCodes = ["ragged_row", "error_cell", "nul_character"] as const;

const notMended = "was not mended (mend it, or clear import_error_code to send it as it stands): ";

async function* mapBatches(
  batches: AsyncIterable<readonly Row[]>,
  convert: (row: Row) => Row,
): AsyncGenerator<readonly Row[]> {
  for await (const rows of batches) yield rows.map(convert);
}
