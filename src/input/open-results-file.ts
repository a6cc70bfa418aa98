import { cannotStart } from "../model/errors.ts";
import { goneEvent, goneEventText } from "../model/event.ts";
import { eventStatuses, isEventStatus } from "../model/outcome.ts";
import { type Reading, usualRecordBytes } from "../model/reading.ts";
import {
  isResultsColumn,
  originalOfSafeCopy,
  type ResultsColumn,
  resultsColumns,
  sourceColumn,
} from "../model/results-columns.ts";
import type { EarlierOutcome, Row, RowProblem } from "../model/row.ts";
import { openSource } from "./open-source.ts";
import { raggedMark } from "./ragged-row.ts";
import type { InputSpec } from "./read-bytes.ts";
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
 * the row's cells, and the `import_` columns say how the earlier run ended for it.
 *
 * @throws CannotStartError as {@link openSource}, and where it is not a results file
 */
export async function openResultsFile(
  input: InputSpec,
  reading: Reading = {},
): Promise<ResultsSource> {
  const maxRecordBytes = growth * (reading.maxRecordBytes ?? usualRecordBytes);
  const source = await openSource(input, { ...reading, maxRecordBytes, rowsInCells: true });
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
      ? cannotStart("not_a_results_file", input.name, statusColumn)
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
    const message = prefixOnce(notFixed, earlier.error);
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

/** How much longer a record of the results may be than one of the input. */
const growth = 8;

/** Problems of the cells themselves, which stay as long as the cells are the same. */
const markedCodes = ["ragged_row", "stray_quote", "error_cell", "nul_character"] as const;

/** Whether a row is invalid for its cells themselves, and has the same cells still. */
export function isNotFixed(errorCode: string, eventId: string, cells: readonly string[]): boolean {
  if (errorCode === "nul_character") return cells.some((cell) => cell.includes("\0"));
  return markedCodes.some((code) => code === errorCode) && eventId === raggedMark(cells);
}

const notFixed = "was not fixed (fix it, or clear import_error_code to send it as it is): ";

async function* mapBatches(
  batches: AsyncIterable<readonly Row[]>,
  convert: (row: Row) => Row,
): AsyncGenerator<readonly Row[]> {
  for await (const rows of batches) yield rows.map(convert);
}

/** The cell of an `import_` column, without space around it; blank where the column was lost. */
type ResultsCell = (column: ResultsColumn) => string;

/** What the `import_` columns of a line say about the earlier run. */
function readEarlier(cell: ResultsCell): EarlierOutcome {
  const input = cell("import_input");
  const row = wholeNumber(cell("import_row"));
  const line = wholeNumber(cell("import_line"));
  const event = eventNumber(cell("import_event"));
  const status = cell("import_status").toLowerCase();
  return {
    ...(inputForm.test(input) ? { input } : {}),
    ...(row === undefined ? {} : { row }),
    ...(line === undefined ? {} : { line }),
    ...(event === undefined ? {} : { event }),
    ...(isEventStatus(status) ? { status } : {}),
    unanswered: wholeNumber(cell("import_unanswered")) ?? 0,
    errorCode: cell("import_error_code"),
    error: cell("import_error"),
    eventId: cell("import_event_id"),
  };
}

function eventNumber(text: string): number | undefined {
  if (!eventForm.test(text)) return undefined;
  return text.toLowerCase() === goneEventText ? goneEvent : wholeNumber(text);
}

function wholeNumber(text: string): number | undefined {
  return wholeForm.test(text) ? Number.parseInt(text, 10) : undefined;
}

/**
 * Why a line must not be sent as it stands. If it is not known whether or as which event it was sent,
 * reporting it is better than sending it twice.
 */
function findUnreadable(cell: ResultsCell, { status }: EarlierOutcome): RowProblem | undefined {
  if (status === undefined && cell("import_status") !== "") {
    const known = eventStatuses.join(", ");
    return unreadable(
      cell,
      "import_status",
      `is not one of ${known}; clear the cell to send the row`,
    );
  }
  if (status === "succeeded" || status === "skipped") return undefined;
  for (const [column, form] of forms) {
    const text = cell(column);
    if (text !== "" && !form.test(text)) return unreadable(cell, column, changed);
  }
  return undefined;
}

/** A line with a wrong number of cells: it is not known which of them is the status. */
function unreadableLine(ragged: RowProblem): RowProblem {
  return {
    code: "unknown_status",
    message: `${ragged.message}; so it is unclear whether it was sent: restore its cells`,
  };
}

/** A line whose cells were cleared instead of deleted; eventload never writes a blank line. */
const emptiedLine: RowProblem = {
  code: "unknown_status",
  message: "is blank from end to end: delete the line, or put back what stood there",
};

/** The same text however many times it comes back. */
function prefixOnce(prefix: string, text: string): string {
  return text.startsWith(prefix) ? text : prefix + text;
}

/** A spreadsheet program may write a whole number as `1.0`. */
const wholeForm = /^\d{1,15}(?:[.,]0+)?$/;
const eventForm = /^(?:gone|0*[1-9]\d{0,14}(?:[.,]0+)?)$/i;
const inputForm = /^[0-9a-f]{16}$/;

const forms = [
  ["import_row", wholeForm],
  ["import_event", eventForm],
  ["import_input", inputForm],
] as const;

const changed = "was changed, perhaps by a spreadsheet program: restore it";

function unreadable(cell: ResultsCell, column: ResultsColumn, message: string): RowProblem {
  return { code: "unknown_status", column, value: cell(column), message };
}
