import { duration } from "../model/quantities.ts";
import type { Row } from "../model/row.ts";
import type { PauseReason } from "../model/sending-state.ts";
import type { StopCode } from "../model/stop.ts";
import type { ImportNotice } from "../run/import-options.ts";

/** What a line of the log says, but for when. */
export interface LogLine {
  readonly level: "info" | "warn" | "error";
  readonly kind: string;
  readonly [name: string]: unknown;
}

/**
 * @param hasCells whether what stands in cells, and what the service says and may repeat them, is told
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
      const { ending, event, httpStatus, attempts, unanswered, errorCode, eventId } = outcome;
      return {
        ...{ level: "warn", kind: ending, ...placeOf(row), event, code: errorCode },
        ...{ http_status: httpStatus, attempts, unanswered, event_id: eventId },
        ...said(outcome.error),
      };
    }
    case "opened":
      return { level: "info", kind, name: notice.name, read_as: notice.dialect };
    case "checked": {
      const { rows, events, invalidRows, skippedRows, unchangedRows, blankLines, problems } =
        notice.report;
      return {
        ...{ level: "info", kind, rows, events },
        invalid_rows: invalidRows,
        skipped_rows: skippedRows,
        unchanged_rows: unchangedRows,
        blank_lines: blankLines,
        problems,
      };
    }
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
      const told = describePause(reason, durationMs);
      return {
        ...{ level: "warn", kind, reason, duration_ms: Math.round(durationMs) },
        message: hasCells ? `${told}: ${message}` : told,
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
        ...{ perhaps_sent: notice.perhapsSent, on_their_way: notice.onTheirWay },
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
  accounts_differ: false,
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
