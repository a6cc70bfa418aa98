import { goneEvent, goneEventText } from "../model/event.ts";
import type { Outcome } from "../model/outcome.ts";
import type { PendingRow } from "../model/pending-row.ts";
import type { Row } from "../model/row.ts";
import { toCsv } from "./to-csv.ts";

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
  if (lines === undefined) {
    return toCsv(outcomes.map((outcome) => resultLine(row, row.cells, outcome, part)));
  }
  let text = "";
  for (const line of lines) {
    if (line.kind === "kept") {
      text += line.text;
      continue;
    }
    const outcome =
      line.kind === "settled" ? line.outcome : outcomes.find(({ event }) => event === line.event);
    if (outcome !== undefined) text += toCsv([resultLine(row, line.cells, outcome, part)]);
  }
  return text;
}

/** The cells of a line of the results: those of the input, then its outcome in the order of `resultsColumnsOf`. */
export function resultLine(
  { row, line, source, earlier, isGone }: Row,
  cells: readonly string[],
  outcome: Outcome,
  { inputId, hasSources, part }: LinesOfPart,
): string[] {
  const { status } = outcome;
  const written = cells.slice();
  // A row that the input does not have stands on no line of it.
  const ofInput = earlier === undefined && isGone !== true ? line : earlier?.line;
  written.push(String(row), text(ofInput));
  if (hasSources) written.push(text(earlier?.source ?? source));
  written.push(
    outcome.event === goneEvent ? goneEventText : text(outcome.event),
    status === "not_sent" ? "" : status,
    text(outcome.httpStatus),
    String(outcome.attempts),
    String(outcome.unanswered),
    text(outcome.errorCode),
    text(outcome.error),
    text(outcome.eventId),
    earlier?.input ?? inputId,
    String(part),
    text(outcome.finishedAt),
  );
  return written;
}

function text(value: string | number | undefined): string {
  return value === undefined ? "" : String(value);
}
