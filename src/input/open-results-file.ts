import { cannotStart } from "../model/errors.ts";
import { goneEvent, goneEventText } from "../model/event.ts";
import { type EventStatus, eventStatuses, isEventStatus } from "../model/outcome.ts";
import { type Reading, usualRecordBytes } from "../model/reading.ts";
import {
  isResultsColumn,
  type ResultsColumn,
  resultsColumns,
  sourceColumn,
} from "../model/results-columns.ts";
import { type Origin, problemText, type Row } from "../model/row.ts";
import { raggedMark } from "./make-rows.ts";
import { openSource } from "./open-source.ts";
import type { InputSpec } from "./read-bytes.ts";
import type { Source } from "./source.ts";

/** A results file, also one that a person edited. */
export interface ResultsFile extends Pick<Source, "name" | "warnings" | "close"> {
  readonly columns: readonly string[];
  readonly hasSources: boolean;
  readonly missingColumns: readonly ResultsColumn[];
  /** To be read once. @throws InputDamagedError after the last line before a place that cannot be parsed */
  readonly batches: AsyncIterable<readonly ResultsLine[]>;
}

export interface ResultsLine {
  readonly line: number;
  readonly cells: readonly string[];
  /** What the others say of its event; absent where it is not known which cell is of which column. */
  readonly earlier?: EarlierOutcome;
  /** Why the line must not be sent as it stands: the end of a sentence that begins with it. */
  readonly unusable?: string;
}

export interface EarlierOutcome extends Origin {
  readonly row?: number;
  /** The place of the event in the mapping, from 1; absent where the row had given no event. */
  readonly event?: number;
  /** Absent where the run stopped before the event had an outcome. */
  readonly status?: EventStatus;
  readonly unanswered: number;
  readonly errorCode: string;
  readonly error: string;
  readonly eventId: string;
}

/** Opens a results or failed-rows file, also one that a person edited. @throws CannotStartError */
export async function openResultsFile(
  input: InputSpec,
  reading: Reading = {},
): Promise<ResultsFile> {
  const maxRecordBytes = recordGrowth * (reading.maxRecordBytes ?? usualRecordBytes);
  // The account knows which cells were errors before.
  const given = { ...reading, maxRecordBytes, rowsInCells: true, errorsAsText: "all" } as const;
  const source = await openSource(input, given);
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
  const toLine = ({ line, cells: all, problem }: Row): ResultsLine => {
    const cells = originals.map((index) => all[index] ?? "");
    // A NUL is in a cell; other problems are of the line.
    if (problem !== undefined && (problem.code !== "nul_character" || problem.mark !== undefined)) {
      return { line, cells, unusable: `: ${problemText(problem)}; ${unclear}` };
    }
    const cell: ResultsCell = (column) => all[places.get(column) ?? -1]?.trim() ?? "";
    const source = sourcePlace === undefined ? {} : { source: all[sourcePlace] ?? "" };
    const earlier = { ...readEarlier(cell), ...source };
    const unusable = whyUnusable(cell, earlier);
    return { line, cells, earlier, ...(unusable === undefined ? {} : { unusable }) };
  };

  return {
    name: source.name,
    warnings: source.warnings,
    close: source.close,
    columns: originals.map((index) => source.columns[index] ?? ""),
    hasSources: sourcePlace !== undefined,
    missingColumns: resultsColumns.filter((name) => !places.has(name)),
    batches: mapBatches(source.batches, toLine),
  };
}

const unclear = "so it is unclear whether it was sent: restore its cells";

const statusColumn = "import_status" satisfies ResultsColumn;

/** How much longer a record of the results may be than one of the input. */
const recordGrowth = 8;

/** Problems of the cells themselves, which stay as long as the cells are the same. */
const markedCodes = ["ragged_row", "stray_quote", "error_cell", "nul_character"] as const;

/** Whether a row is invalid for its cells themselves, and has the same cells still. */
export function isNotFixed(errorCode: string, eventId: string, cells: readonly string[]): boolean {
  if (errorCode === "nul_character") return cells.some((cell) => cell.includes("\0"));
  return markedCodes.some((code) => code === errorCode) && eventId === raggedMark(cells);
}

async function* mapBatches(
  batches: AsyncIterable<readonly Row[]>,
  convert: (row: Row) => ResultsLine,
): AsyncGenerator<readonly ResultsLine[]> {
  for await (const rows of batches) yield rows.map(convert);
}

/** The cell of an `import_` column, without space around it; blank where the column was lost. */
type ResultsCell = (column: ResultsColumn) => string;

function readEarlier(cell: ResultsCell): EarlierOutcome {
  const input = cell("import_input");
  const row = readWhole(cell("import_row"));
  const line = readWhole(cell("import_line"));
  const event = eventNumber(cell("import_event"));
  const status = cell("import_status").toLowerCase();
  return {
    ...(inputForm.test(input) ? { input } : {}),
    ...(row === undefined ? {} : { row }),
    ...(line === undefined ? {} : { line }),
    ...(event === undefined ? {} : { event }),
    ...(isEventStatus(status) ? { status } : {}),
    unanswered: readWhole(cell("import_unanswered")) ?? 0,
    errorCode: cell("import_error_code"),
    error: cell("import_error"),
    eventId: cell("import_event_id"),
  };
}

function eventNumber(text: string): number | undefined {
  if (!eventForm.test(text)) return undefined;
  return text.toLowerCase() === goneEventText ? goneEvent : readWhole(text);
}

function readWhole(text: string): number | undefined {
  return wholeForm.test(text) ? Number.parseInt(text, 10) : undefined;
}

/** A line of which nobody knows whether, or as which event, it was sent is refused: better than sending it twice. */
function whyUnusable(cell: ResultsCell, { status, row }: EarlierOutcome): string | undefined {
  const changed = (column: ResultsColumn, why: string) =>
    `, column ${column}: ${JSON.stringify(cell(column))} ${why}`;
  if (status === undefined && cell("import_status") !== "") {
    const known = eventStatuses.join(", ");
    return changed("import_status", `is not one of ${known}; clear the cell to send the row`);
  }
  const isDone = status === "succeeded" || status === "skipped";
  for (const [column, form] of isDone ? [] : formsOfColumns) {
    const text = cell(column);
    if (text !== "" && !form.test(text)) {
      return changed(column, "was changed, perhaps by a spreadsheet program: restore it");
    }
  }
  return row === undefined
    ? " has no import_row: import rows that were added in a file of their own"
    : undefined;
}

/** A spreadsheet program may write a whole number as `1.0`. */
const wholeForm = /^\d{1,15}(?:[.,]0+)?$/;
const eventForm = /^(?:gone|0*[1-9]\d{0,14}(?:[.,]0+)?)$/i;
const inputForm = /^[0-9a-f]{16}$/;

const formsOfColumns = [
  ["import_row", wholeForm],
  ["import_event", eventForm],
  ["import_input", inputForm],
] as const;
