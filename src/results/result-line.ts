import { goneEvent, goneEventText } from "../model/event.ts";
import type { Outcome } from "../model/outcome.ts";
import type { Row } from "../model/row.ts";

/** The cells of a line of the results: those of the row, then its outcome in the order of `resultsColumnsOf`. */
export function resultLine(
  row: Row,
  outcome: Outcome,
  inputId: string,
  hasSources: boolean,
): string[] {
  const { status } = outcome;
  const { earlier } = row;
  const line = row.cells.slice();
  // A row that the input does not have stands on no line of it.
  const isGone = row.isGone === true || earlier?.event === goneEvent;
  line.push(String(row.row), text(earlier?.line ?? (isGone ? undefined : row.line)));
  if (hasSources) line.push(text(earlier?.source ?? row.source));
  line.push(
    outcome.event === goneEvent ? goneEventText : text(outcome.event),
    // A line without an outcome has no status, and a retry sends it.
    status === "not_sent" ? "" : status,
    text(outcome.httpStatus),
    String(outcome.attempts),
    String(unansweredOf(row, outcome)),
    text(outcome.errorCode),
    text(outcome.error),
    text(outcome.eventId),
    earlier?.input ?? inputId,
    text(outcome.finishedAt),
  );
  return line;
}

/** Of all runs together: an event that may have arrived in an earlier run may have arrived twice now. */
function unansweredOf(
  { earlier }: Row,
  { attempts, unanswered, unansweredBefore = 0 }: Outcome,
): number {
  const before = Math.max(earlier?.unanswered ?? 0, unansweredBefore);
  return attempts === 0 ? before : before + unanswered;
}

function text(value: string | number | undefined): string {
  return value === undefined ? "" : String(value);
}
