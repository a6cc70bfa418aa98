import { goneEvent, goneEventText } from "../model/event.ts";
import { isEventStatus, type Outcome } from "../model/outcome.ts";
import type { Place } from "../model/place.ts";
import { resultsColumnsOf, sourceColumn } from "../model/results-columns.ts";
import type { Row } from "../model/row.ts";
import { csvCells } from "./results-reader.ts";
import { cellsToCsv, cellToCsv } from "./to-csv.ts";

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

/** The cells of the input, then the outcome in the order of `resultsColumnsOf`, as CSV with a line feed. */
export function resultLine(
  { row, line, source, origin, isGone }: Row,
  cells: readonly string[],
  outcome: Outcome,
  { inputId, hasSources, part }: LinesOfPart,
): ResultLine {
  const { event, status, httpStatus, attempts, unanswered } = outcome;
  const { errorCode, error, eventId, finishedAt } = outcome;
  // A row that the input does not have stands on no line of it.
  const ofInput = (origin === undefined && isGone !== true ? line : origin?.line) ?? "";
  const own = [
    row,
    ofInput,
    event === goneEvent ? goneEventText : event,
    status === "not_sent" ? "" : status,
    httpStatus,
    attempts,
    unanswered,
    cellToCsv(errorCode),
    cellToCsv(error),
    cellToCsv(eventId),
    cellToCsv(origin?.input ?? inputId),
    part,
    cellToCsv(finishedAt),
  ];
  if (hasSources) own.splice(2, 0, cellToCsv(origin?.source ?? source));
  const ofRow = `${cellsToCsv(cells)},`;
  return { text: `${ofRow}${own.join()}\n`, ownAt: ofRow.length };
}

/** How an event ended, and its place in the input, from its line; undefined if eventload has not written that. */
export function readResultLine(
  { text, ownAt }: ResultLine,
  hasSources: boolean,
): { readonly outcome: Outcome; readonly place: Place } | undefined {
  const columns = resultsColumnsOf(hasSources);
  // A line that stays as it is has all cells.
  const cells = csvCells(text.slice(ownAt)).slice(-columns.length);
  if (cells.length !== columns.length) return undefined;
  const cell = (column: (typeof columns)[number]) => cells[columns.indexOf(column)] ?? "";
  const status = cell("import_status");
  if (!isEventStatus(status)) return undefined;
  const filled = (column: (typeof columns)[number]) => cell(column) || undefined;
  return {
    outcome: {
      status,
      event: eventOf(cell("import_event")),
      attempts: Number(cell("import_attempts")),
      unanswered: Number(cell("import_unanswered")),
      httpStatus: Number(cell("import_http_status")) || undefined,
      eventId: filled("import_event_id"),
      errorCode: filled("import_error_code"),
      error: filled("import_error"),
      finishedAt: filled("import_finished_at"),
    },
    place: {
      row: Number(cell("import_row")),
      line: Number(cell("import_line")) || undefined,
      ...(hasSources ? { source: cell(sourceColumn) } : {}),
    },
  };
}

/** The index of an event from a cell of the results; undefined if the row gave none. */
export function eventOf(text: string): number | undefined {
  return text === goneEventText ? goneEvent : Number(text) || undefined;
}
