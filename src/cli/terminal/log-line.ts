import type { CannotStartCode } from "../../model/errors.ts";
import type { Place } from "../../model/place.ts";
import type { StopCode } from "../../model/stop.ts";
import type { ImportNotice } from "../../run/options/run-events.ts";
import { differences } from "./printed.ts";

/** A line of the log without its time. */
export interface LogLine {
  readonly level: "info" | "warn" | "error";
  readonly kind: string;
  readonly [name: string]: unknown;
}

/** What a log says of a notice: neither cells nor what the service says, as that may repeat them. */
export function logLine(notice: ImportNotice): LogLine {
  const { kind } = notice;
  const info = { level: "info", kind } as const;
  switch (kind) {
    case "invalid": {
      const { code, column } = notice.problem;
      return { level: "warn", kind, ...placeOf(notice.row), code, column };
    }
    case "not_succeeded": {
      const { status, event, httpStatus, attempts, unanswered, errorCode, eventId } =
        notice.outcome;
      return {
        level: "warn",
        kind: status,
        ...placeOf(notice.row),
        event,
        code: errorCode,
        http_status: httpStatus,
        attempts,
        unanswered,
        event_id: eventId,
      };
    }
    case "opened":
      return { ...info, name: notice.name, read_as: notice.dialect };
    case "checked": {
      const { rows, events, invalidRows, skippedRows, blankLines, problems } = notice.report;
      const left = { skipped_rows: skippedRows, blank_lines: blankLines };
      return { ...info, rows, events, invalid_rows: invalidRows, ...left, problems };
    }
    case "selected": {
      const { changed, restored: _, notFixed, ...counted } = notice.selection;
      const columns = changed.map(({ column, rows }) => ({ column, rows }));
      return { ...info, ...counted, not_fixed: notFixed, changed_columns: columns };
    }
    case "night":
      return { ...info, ...differences.parse(notice.differences) };
    case "stop": {
      const { code, message } = notice.reason;
      return { level: "error", kind, code, ...(maySayWhy(code) && { message }) };
    }
    case "retry": {
      const { row, event, attempts, delayMs, code } = notice;
      return { ...info, row, event, attempts, delay_ms: Math.round(delayMs), code };
    }
    case "pause": {
      const { reason, durationMs } = notice;
      return { level: "warn", kind, reason, duration_ms: Math.round(durationMs) };
    }
    case "pause_over":
      return { ...info, reason: notice.reason, paused_ms: Math.round(notice.pausedMs) };
    case "wait_ignored":
      return { ...info, duration_ms: Math.round(notice.forMs) };
    case "token_renewed":
      return info;
    case "warning": {
      const { message, finding } = notice;
      if (finding === undefined) return { level: "warn", kind, message };
      const { kind: found, column, count } = finding;
      return { level: "warn", kind, finding: found, column, count };
    }
    case "resumed": {
      const { rows, perhapsSent, inFlight } = notice;
      return { ...info, rows, perhaps_sent: perhapsSent, in_flight: inFlight };
    }
  }
}

function placeOf({ row, line, source }: Place) {
  return { row, line, source };
}

/** Reasons of which the sentence repeats what the service said, or a cell. */
const repeatsOthers: ReadonlySet<string> = new Set<StopCode | CannotStartCode>([
  ...(["forbidden", "input_damaged", "method_not_allowed", "not_found", "outage"] as const),
  ...(["redirected", "throttled", "unauthorized", "unreachable"] as const),
  ...(["cells_altered", "header_further_down", "header_missing"] as const),
  ...(["headers_differ", "input_no_header", "mapping_invalid", "not_a_table"] as const),
  ...(["reserved_column", "retry_refused", "rows_invalid", "too_many_invalid"] as const),
]);

/** Whether the sentence that goes with a reason may stand in a log. */
export function maySayWhy(reason: string): boolean {
  return !repeatsOthers.has(reason);
}
