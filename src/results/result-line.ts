import type { Outcome } from "../model/outcome.ts";
import type { Row } from "../model/row.ts";

/**
 * The cells of one line of the results: those of the row as they were, then what became of it, in the
 * order of `resultsColumnsOf`.
 */
export function resultLine(
  row: Row,
  outcome: Outcome,
  inputId: string,
  hasSources: boolean,
): string[] {
  const { status } = outcome;
  const { earlier } = row;
  const line = row.cells.slice();
  line.push(String(row.row), String(earlier?.line ?? row.line));
  if (hasSources) line.push(text(earlier?.source ?? row.source));
  line.push(
    text(outcome.event),
    // No outcome is no status: a retry sends such a line.
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

/** Over all runs: an event that may have arrived in an earlier one may have arrived twice now. */
function unansweredOf({ earlier }: Row, { attempts, unanswered }: Outcome): number {
  const before = earlier?.unanswered ?? 0;
  return attempts === 0 ? before : before + unanswered;
}

function text(value: string | number | undefined): string {
  return value === undefined ? "" : String(value);
}
