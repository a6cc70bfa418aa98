import { goneEvent, goneEventText } from "../model/event.ts";
import type { Outcome } from "../model/outcome.ts";
import type { PendingRow } from "../model/pending-row.ts";
import type { Row } from "../model/row.ts";
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

/** The lines of a row that has settled, as CSV. */
export function textOfRow({ row, lines, outcomes }: PendingRow, part: LinesOfPart): string {
  let text = "";
  if (lines === undefined) {
    for (const outcome of outcomes) text += resultLine(row, row.cells, outcome, part);
    return text;
  }
  for (const line of lines) {
    if (line.kind === "kept") {
      text += line.text;
      continue;
    }
    const outcome =
      line.kind === "settled" ? line.outcome : outcomes.find(({ event }) => event === line.event);
    if (outcome !== undefined) text += resultLine(row, line.cells, outcome, part);
  }
  return text;
}

/** A line of the results: the cells of the input, then its outcome in the order of `resultsColumnsOf`. */
export function resultLine(
  { row, line, source, earlier, isGone }: Row,
  cells: readonly string[],
  outcome: Outcome,
  { inputId, hasSources, part }: LinesOfPart,
): string {
  const { event, status, httpStatus = "", attempts, unanswered } = outcome;
  const { errorCode, error, eventId, finishedAt } = outcome;
  // A row that the input does not have stands on no line of it.
  const ofInput = (earlier === undefined && isGone !== true ? line : earlier?.line) ?? "";
  const ofSource = hasSources ? `,${cellToCsv(earlier?.source ?? source)}` : "";
  const place = `${row},${ofInput}${ofSource},${event === goneEvent ? goneEventText : (event ?? "")}`;
  const ended = `${status === "not_sent" ? "" : status},${httpStatus},${attempts},${unanswered}`;
  const failed = `${cellToCsv(errorCode)},${cellToCsv(error)}`;
  const id = `${cellToCsv(eventId)},${cellToCsv(earlier?.input ?? inputId)},${part},${cellToCsv(finishedAt)}`;
  return `${cellsToCsv(cells)},${place},${ended},${failed},${id}\n`;
}
