import type { Outcome } from "../domain/outcome.ts";
import { type ResultsColumn, resultsColumnsOf } from "../domain/results-columns.ts";
import type { Row } from "../domain/row.ts";

/** The cells of one line of the results: those of the row as they were, then what became of it. */
export function resultLine(
  row: Row,
  outcome: Outcome,
  inputId: string,
  hasSources: boolean,
): string[] {
  const { ending } = outcome;
  const cells: Record<ResultsColumn, string> = {
    import_row: String(row.row),
    import_line: String(row.earlier?.line ?? row.line),
    import_source: text(row.earlier?.source ?? row.source),
    import_event: text(outcome.event),
    // No outcome is no status: a retry sends such a line.
    import_status: ending === "not_sent" ? "" : ending,
    import_http_status: text(outcome.httpStatus),
    import_attempts: String(outcome.attempts),
    import_unanswered: String(unansweredOf(row, outcome)),
    import_error_code: text(outcome.errorCode),
    import_error: text(outcome.error),
    import_event_id: text(outcome.eventId),
    import_input: row.earlier?.input ?? inputId,
    import_finished_at: text(outcome.finishedAt),
  };
  return [...row.cells, ...resultsColumnsOf(hasSources).map((column) => cells[column])];
}

/** Over all runs: an event that may have arrived in an earlier one may have arrived twice now. */
function unansweredOf({ earlier }: Row, { attempts, unanswered }: Outcome): number {
  const before = earlier?.unanswered ?? 0;
  return attempts === 0 ? before : before + unanswered;
}

function text(value: string | number | undefined): string {
  return value === undefined ? "" : String(value);
}
