import type { CannotStartCode } from "../../model/errors.ts";
import { inSnakeCase } from "../../model/escape-text.ts";
import { placeOf } from "../../model/place.ts";
import type { ImportNotice } from "../../model/run-events.ts";
import type { StopCode } from "../../model/stop.ts";

export interface LogLine {
  readonly level: "info" | "warn" | "error";
  readonly kind: string;
  readonly [name: string]: unknown;
}

/** What a log says of a notice: neither cells nor what the service says, as that may repeat them. */
export function logLine(notice: ImportNotice): LogLine {
  const { kind } = notice;
  const [info, warn] = [{ level: "info", kind } as const, { level: "warn", kind } as const];
  switch (kind) {
    case "invalid":
      return { ...warn, ...harmlessOf({ ...notice.problem, ...placeOf(notice.row) }) };
    case "not_succeeded": {
      const { outcome } = notice;
      const said = { ...placeOf(notice.row), ...outcome, code: outcome.errorCode };
      return { level: "warn", kind: outcome.status, ...harmlessOf(said) };
    }
    case "opened":
      return { ...info, name: notice.name, read_as: notice.dialect };
    case "checked":
      return { ...info, ...harmlessOf(notice.report) };
    case "selected":
      return { ...info, ...harmlessOf(notice.selection) };
    case "night":
      return { ...info, ...harmlessOf(notice.differences) };
    case "stop": {
      const { code, message } = notice.reason;
      return { level: "error", kind, code, ...(maySayWhy(code) && { message }) };
    }
    case "warning": {
      const { message, finding } = notice;
      if (finding === undefined) return { ...warn, message };
      return { ...warn, finding: finding.kind, ...harmlessOf(finding) };
    }
    case "pause":
      return { ...warn, ...harmlessOf(notice) };
    default:
      return { ...info, ...harmlessOf(notice) };
  }
}

const harmlessTexts = ["code", "column", "eventId", "reason", "source"];

/** Numbers, and texts that are no cell and that no service says. */
function harmlessOf(members: object): Record<string, unknown> {
  const harmless = Object.entries(members).filter(
    ([name, value]) => typeof value === "number" || harmlessTexts.includes(name),
  );
  return Object.fromEntries(
    harmless.map(([name, value]) => [
      inSnakeCase(name),
      typeof value === "number" ? Math.round(value) : value,
    ]),
  );
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
