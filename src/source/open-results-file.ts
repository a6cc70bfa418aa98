import { cannotStart } from "../domain/errors.ts";
import { eventStatuses, isEventStatus } from "../domain/outcome.ts";
import { isResultsColumn, type ResultsColumn, resultsColumns } from "../domain/results-columns.ts";
import type { EarlierOutcome, Row, RowProblem } from "../domain/row.ts";
import { openSource, raggedMark } from "./open-source.ts";
import type { InputSpec } from "./read-bytes.ts";
import type { Source } from "./source.ts";

/** A results file as a source; its columns are those of the original input. */
export interface ResultsSource extends Source {
  /** The `import_` columns that it has lost. */
  readonly missingColumns: readonly ResultsColumn[];
}

/**
 * Opens a results or failed-rows file, also one that a person edited: the original columns become
 * the row's cells, and the `import_` columns tell what the earlier run made of it.
 *
 * @throws CannotStartError as {@link openSource}, and where it is no results file
 */
export async function openResultsFile(input: InputSpec): Promise<ResultsSource> {
  const source = await openSource(input);
  const places = new Map<ResultsColumn, number>();
  const originals: number[] = [];
  source.columns.forEach((name, index) => {
    if (isResultsColumn(name) && !places.has(name)) places.set(name, index);
    else originals.push(index);
  });
  if (!places.has("import_status")) {
    await source.close();
    throw cannotStart("not_a_results_file", input.name, "import_status");
  }
  const read = (row: Row, column: ResultsColumn): string => {
    const place = places.get(column);
    return place === undefined ? "" : (row.cells[place] ?? "").trim();
  };

  const toOriginal = (row: Row): Row => {
    const cells = originals.map((index) => row.cells[index] ?? "");
    const earlier = readEarlier((column) => read(row, column));
    const number = wholeNumber(read(row, "import_row")) ?? row.row;
    const original = { row: number, line: row.line, cells, earlier };
    if (row.problem !== undefined) return { ...original, problem: row.problem };
    const status = read(row, "import_status");
    if (status !== "" && earlier.status === undefined) {
      return { ...original, problem: unknownStatus(status) };
    }
    if (earlier.errorCode !== "ragged_row" || raggedMark(cells) !== earlier.eventId)
      return original;
    const message = `was not mended: ${earlier.error}`;
    return { ...original, problem: { code: "ragged_row", message, mark: earlier.eventId } };
  };

  return {
    ...source,
    columns: originals.map((index) => source.columns[index] ?? ""),
    missingColumns: resultsColumns.filter((name) => !places.has(name)),
    batches: mapBatches(source.batches, toOriginal),
  };
}

/** Whether the event was sent cannot be told, and sending it twice is worse than saying so. */
function unknownStatus(status: string): RowProblem {
  return {
    code: "unknown_status",
    column: "import_status",
    value: status,
    message: `is not one of ${eventStatuses.join(", ")}; clear the cell to send the row`,
  };
}

function readEarlier(cell: (column: ResultsColumn) => string): EarlierOutcome {
  const input = cell("import_input");
  const line = wholeNumber(cell("import_line"));
  const event = wholeNumber(cell("import_event"));
  const status = cell("import_status").toLowerCase();
  return {
    ...(/^[0-9a-f]{16}$/.test(input) ? { input } : {}),
    ...(line === undefined ? {} : { line }),
    ...(event === undefined ? {} : { event }),
    ...(isEventStatus(status) ? { status } : {}),
    unanswered: wholeNumber(cell("import_unanswered")) ?? 0,
    errorCode: cell("import_error_code"),
    error: cell("import_error"),
    eventId: cell("import_event_id"),
  };
}

function wholeNumber(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

async function* mapBatches(
  batches: AsyncIterable<readonly Row[]>,
  convert: (row: Row) => Row,
): AsyncGenerator<readonly Row[]> {
  for await (const rows of batches) yield rows.map(convert);
}
