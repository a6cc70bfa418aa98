import { duration } from "../../model/quantities.ts";
import type { Row } from "../../model/row.ts";
import type { PauseReason } from "../../model/sending-state.ts";
import type { StopCode } from "../../model/stop.ts";
import type { ImportNotice } from "../../run/options/run-events.ts";
import { differencesJson } from "./check-json.ts";

/** A line of the log without its time. */
export interface LogLine {
  readonly level: "info" | "warn" | "error";
  readonly kind: string;
  readonly [name: string]: unknown;
}

/**
 * @param hasCells whether it holds cells, and what the service says, which may repeat them
 */
export function logLine(notice: ImportNotice, hasCells: boolean): LogLine {
  const said = (message: string | undefined) => (hasCells ? { message } : {});
  const { kind } = notice;
  switch (kind) {
    case "invalid": {
      const { row, problem } = notice;
      const { code, column, value, message } = problem;
      return {
        ...{ level: "warn", kind, ...placeOf(row), code, column },
        ...(hasCells ? { value, message } : {}),
      };
    }
    case "not_succeeded": {
      const { row, outcome } = notice;
      const { status, event, httpStatus, attempts, unanswered, errorCode, eventId } = outcome;
      return {
        ...{ level: "warn", kind: status, ...placeOf(row), event, code: errorCode },
        ...{ http_status: httpStatus, attempts, unanswered, event_id: eventId },
        ...said(outcome.error),
      };
    }
    case "opened":
      return { level: "info", kind, name: notice.name, read_as: notice.dialect };
    case "checked": {
      const { rows, events, invalidRows, skippedRows, blankLines, problems } = notice.report;
      return {
        ...{ level: "info", kind, rows, events },
        invalid_rows: invalidRows,
        skipped_rows: skippedRows,
        blank_lines: blankLines,
        problems,
      };
    }
    case "selected": {
      const { changed, notFixed, ...counted } = notice.selection;
      const columns = changed.map(({ column, rows }) => ({ column, rows }));
      return { level: "info", kind, ...counted, not_fixed: notFixed, changed_columns: columns };
    }
    case "night":
      return { level: "info", kind, ...differencesJson(notice.differences) };
    case "stop": {
      const { code, message } = notice.reason;
      return { level: "error", kind, code, ...(maySayWhy(code) ? { message } : said(message)) };
    }
    case "retry": {
      const { row, event, attempts, delayMs, code, message } = notice;
      const place = { row, event, attempts };
      return {
        level: "info",
        kind,
        ...place,
        delay_ms: Math.round(delayMs),
        code,
        ...said(message),
      };
    }
    case "pause": {
      const { reason, durationMs, message } = notice;
      const pause = describePause(reason, durationMs);
      return {
        ...{ level: "warn", kind, reason, duration_ms: Math.round(durationMs) },
        message: hasCells ? `${pause}: ${message}` : pause,
      };
    }
    case "open":
      return {
        ...{ level: "info", kind, reason: notice.reason },
        paused_ms: Math.round(notice.pausedMs),
      };
    case "token_renewed":
      return { level: "info", kind };
    case "warning": {
      const { message, finding } = notice;
      if (finding === undefined) return { level: "warn", kind, message };
      const { kind: found, column, count } = finding;
      return { level: "warn", kind, finding: found, column, count, ...said(message) };
    }
    case "resumed":
      return {
        ...{ level: "info", kind, rows: notice.rows },
        ...{ perhaps_sent: notice.perhapsSent, in_flight: notice.inFlight },
      };
  }
}

/** What it waits for, and for how long. */
function describePause(reason: PauseReason, durationMs: number): string {
  const time = duration(durationMs);
  switch (reason) {
    case "asked":
      return `the service asked to wait, ${time} from now`;
    case "outage":
      return `the service is unavailable, next probe in ${time}`;
    default:
      return reason satisfies never;
  }
}

function placeOf({ row, line, source }: Pick<Row, "row" | "line" | "source">) {
  return { row, line, source };
}

/** Whether the sentence why a run stopped repeats what the service said, or a cell. */
const repeatsOthers: Record<StopCode, boolean> = {
  not_reconciled: false,
  files_changed: false,
  disk: false,
  forbidden: true,
  input_changed: false,
  input_damaged: true,
  interrupted: false,
  method_not_allowed: true,
  not_found: true,
  outage: true,
  redirected: true,
  throttled: true,
  too_many_errors: false,
  unauthorized: true,
  unreachable: true,
};

/** Whether the sentence that goes with a reason may stand in a log without the contents of cells. */
export function maySayWhy(reason: string): boolean {
  return !(repeatsOthers as Readonly<Record<string, boolean>>)[reason];
}
