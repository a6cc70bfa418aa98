import { eventStatuses, isEventStatus } from "../model/outcome.ts";
import type { ResultsColumn } from "../model/results-columns.ts";
import type { EarlierOutcome, RowProblem } from "../model/row.ts";

/** The cell of an `import_` column, without space around it; blank where the column was lost. */
export type ResultsCell = (column: ResultsColumn) => string;

/** What the `import_` columns of a line tell of the earlier run. */
export function readEarlier(cell: ResultsCell): EarlierOutcome {
  const input = cell("import_input");
  const row = wholeNumber(cell("import_row"));
  const line = wholeNumber(cell("import_line"));
  const event = wholeNumber(cell("import_event"));
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

function wholeNumber(text: string): number | undefined {
  return wholeForm.test(text) ? Number(text) : undefined;
}

/**
 * Why a line must not be sent as it stands. Where it cannot be told whether its event was sent, or
 * as which, sending it twice is worse than saying so.
 */
export function findUnreadable(
  cell: ResultsCell,
  { status, errorCode, error }: EarlierOutcome,
): RowProblem | undefined {
  if (status === undefined && cell("import_status") !== "") {
    const known = eventStatuses.join(", ");
    return unreadable(
      cell,
      "import_status",
      `is not one of ${known}; clear the cell to send the row`,
    );
  }
  if (status === "succeeded" || status === "skipped") return undefined;
  if (status === "invalid" && errorCode === "unknown_status") {
    const message = prefixOnce("was not settled, clear import_status to send the row: ", error);
    return { code: "unknown_status", message };
  }
  if (isBent(cell("import_row"), wholeForm)) {
    return unreadable(cell, "import_row", bent("send the row under a new event id"));
  }
  if (isBent(cell("import_event"), wholeForm)) {
    return unreadable(
      cell,
      "import_event",
      bent("send the row, where the mapping makes one event of it"),
    );
  }
  if (isBent(cell("import_input"), inputForm)) {
    return unreadable(cell, "import_input", bent("send the row under a new event id"));
  }
  return undefined;
}

/** A line with a wrong number of cells: which of them is the status is anybody's guess. */
export function unreadableLine(ragged: RowProblem): RowProblem {
  return {
    code: "unknown_status",
    message: `${ragged.message}; whether it was sent cannot be told: mend it in the file that was retried`,
  };
}

/** Cells that were cleared instead of deleted; eventload writes a number into each line. */
export const emptiedLine: RowProblem = {
  code: "unknown_status",
  message: "is blank from end to end: delete the line, or put back what stood there",
};

/** The same text however many times it comes back. */
export function prefixOnce(prefix: string, text: string): string {
  return text.startsWith(prefix) ? text : prefix + text;
}

const wholeForm = /^\d{1,15}$/;
const inputForm = /^[0-9a-f]{16}$/;

function isBent(text: string, form: RegExp): boolean {
  return text !== "" && !form.test(text);
}

function bent(otherwise: string): string {
  return `is not what was written there, perhaps a spreadsheet program changed it: put it back, or clear the cell to ${otherwise}`;
}

function unreadable(cell: ResultsCell, column: ResultsColumn, message: string): RowProblem {
  return { code: "unknown_status", column, value: cell(column), message };
}
