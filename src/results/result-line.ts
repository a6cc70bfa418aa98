import { goneEvent, goneEventText } from "../model/event.ts";
import { isEventStatus, type Outcome } from "../model/outcome.ts";
import type { EndedLine } from "../model/outcome-groups.ts";
import type { Place } from "../model/place.ts";
import { inputColumnsOf, type ResultsColumn, resultsColumnsOf } from "../model/results-columns.ts";
import type { Row } from "../model/row.ts";
import { cellsToCsv, cellToCsv, csvCells } from "./to-csv.ts";

/** What all lines of a part have in common. */
export interface LinesOfPart {
  /** First 16 hex digits of the input's SHA-256. */
  readonly inputId: string;
  /** Whether there is a column for the file that a row is from. */
  readonly hasSources: boolean;
  /** The number of the part, from 1. */
  readonly part: number;
}

/** A line of the results, and where eventload's own cells begin in it. */
export interface ResultLine {
  readonly text: string;
  readonly ownAt: number;
}

type OwnCell = (row: Row, outcome: Outcome, part: LinesOfPart) => string | number | undefined;

/** What eventload writes into each of its columns, as CSV. */
const ownCells: Readonly<Record<ResultsColumn, OwnCell>> = {
  import_row: ({ row }) => row,
  // A row that the input does not have stands on no line of it.
  import_line: ({ line, origin, isGone }) => (origin || isGone ? origin?.line : line),
  import_source: ({ source, origin }) => cellToCsv(origin?.source ?? source),
  import_event: (_, { event }) => (event === goneEvent ? goneEventText : event),
  import_status: (_, { status }) => (status === "not_sent" ? "" : status),
  import_http_status: (_, { httpStatus }) => httpStatus,
  import_attempts: (_, { attempts }) => attempts,
  import_unanswered: (_, { unanswered }) => unanswered,
  import_error_code: (_, { errorCode }) => cellToCsv(errorCode),
  import_error: (_, { error }) => cellToCsv(error),
  import_event_id: (_, { eventId }) => cellToCsv(eventId),
  import_input: ({ origin }, _, { inputId }) => cellToCsv(origin?.input ?? inputId),
  import_part: (_row, _outcome, { part }) => part,
  import_finished_at: (_, { finishedAt }) => cellToCsv(finishedAt),
};

const inColumnOrder = (hasSources: boolean) =>
  resultsColumnsOf(hasSources).map((name) => ownCells[name]);
const [withoutSource, withSource] = [inColumnOrder(false), inColumnOrder(true)];

/** The cells of the input, then those of eventload, as CSV with a line feed. */
export function resultLine(
  row: Row,
  cells: readonly string[],
  outcome: Outcome,
  part: LinesOfPart,
): ResultLine {
  const ofRow = `${cellsToCsv(cells)},`;
  const own = part.hasSources ? withSource : withoutSource;
  const ofEvent = own.map((cell) => cell(row, outcome, part)).join();
  return { text: `${ofRow}${ofEvent}\n`, ownAt: ofRow.length };
}

/** What eventload's cells of a line say. */
export interface OwnCells {
  /** `not_sent` where the run stopped before it had one. */
  readonly outcome: Outcome;
  readonly place: Place;
  /** Identity of the input that the row is from. */
  readonly input: string;
}

/**
 * Reads eventload's cells, the last of a line; what a file has no column for is blank.
 *
 * @param columns of the results
 * @returns for a line as eventload wrote it what it says, else undefined; counts that are no numbers are NaN
 */
export function ownCellsReader(columns: readonly string[]) {
  const own = columns.slice(inputColumnsOf(columns).length);
  const at: { readonly [Column in ResultsColumn]?: number } = Object.fromEntries(
    own.map((column, index) => [column, index]),
  );
  return (line: string): OwnCells | undefined => {
    const cells = csvCells(line).slice(-own.length);
    const cell = (index = own.length) => cells[index] ?? "";
    const status = cell(at.import_status);
    if (cells.length !== own.length || (status !== "" && !isEventStatus(status))) return undefined;
    const event = cell(at.import_event);
    return {
      outcome: {
        status: status || "not_sent",
        event: event === goneEventText ? goneEvent : Number(event) || undefined,
        attempts: countOf(cell(at.import_attempts)),
        unanswered: countOf(cell(at.import_unanswered)),
        httpStatus: Number(cell(at.import_http_status)) || undefined,
        eventId: cell(at.import_event_id) || undefined,
        errorCode: cell(at.import_error_code) || undefined,
        error: cell(at.import_error) || undefined,
        finishedAt: cell(at.import_finished_at) || undefined,
      },
      place: {
        row: Number(cell(at.import_row)),
        line: Number(cell(at.import_line)) || undefined,
        source: at.import_source === undefined ? undefined : cell(at.import_source),
      },
      input: cell(at.import_input),
    };
  };
}

/** NaN if it is not a whole number; blank is none. */
export function countOf(text: string): number {
  return /^\d*$/.test(text) ? Number(text) : Number.NaN;
}

export function endedLineOf({ outcome, place }: Pick<OwnCells, "outcome" | "place">): EndedLine {
  const { status, errorCode: code = "", error: message = "" } = outcome;
  return { status: status === "not_sent" ? "failed" : status, code, message, ...place };
}
