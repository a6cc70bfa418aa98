import type { DeliveryMode } from "./run-settings.ts";

/** How an event ended, in the order of reports. The words stand in the results CSV, so they never change. */
export const eventStatuses = [
  "succeeded",
  "skipped",
  "rejected",
  "failed",
  "unknown",
  "invalid",
  "blocked",
] as const;
export type EventStatus = (typeof eventStatuses)[number];

/** An event's status, or `not_sent` where the run stopped before it had an outcome. */
export type OutcomeStatus = EventStatus | "not_sent";

/** How an event ended, as one line of the results CSV has it. */
export interface Outcome {
  readonly status: OutcomeStatus;
  /** Which of the mapping's events it was, from 1; absent for a row that gave none. */
  readonly event?: number | undefined;
  readonly eventId?: string | undefined;
  readonly httpStatus?: number | undefined;
  /** Attempts in all parts, also those that were not sent. */
  readonly attempts: number;
  /** Attempts that may have reached the service and were never answered. */
  readonly unanswered: number;
  readonly errorCode?: string | undefined;
  readonly error?: string | undefined;
  /** ISO 8601 instant at which it ended; absent where it did not, or is planned. */
  readonly finishedAt?: string | undefined;
}

export function isDone(status: OutcomeStatus): boolean {
  return status === "succeeded" || status === "skipped";
}

export type StatusCounts = Record<OutcomeStatus, number>;

export function noCounts(): StatusCounts {
  return Object.fromEntries(outcomeStatuses.map((status) => [status, 0])) as StatusCounts;
}

export function isEventStatus(text: string): text is EventStatus {
  return (eventStatuses as readonly string[]).includes(text);
}

export const statusMeanings: Readonly<
  Record<OutcomeStatus, { readonly meaning: string; readonly todo: string }>
> = {
  succeeded: { meaning: "the service accepted it", todo: "" },
  skipped: { meaning: "left out by the mapping, or by hand", todo: "" },
  rejected: {
    meaning: "the service refused it",
    todo: "Fix in the failed rows what the service refuses, then retry them.",
  },
  failed: {
    meaning: "all attempts were used up",
    todo: "Nothing has to be fixed: retry the failed rows when the service works again.",
  },
  unknown: {
    meaning: "may have arrived: an attempt went unanswered",
    todo: "Retry the failed rows: these are sent again, and may arrive twice.",
  },
  invalid: {
    meaning: "could not be mapped; nothing was sent",
    todo: "Fix the cells in the failed rows, or the mapping, then retry them.",
  },
  blocked: {
    meaning: "an earlier event of its row or ordering key did not succeed",
    todo: "Fix or retry the row or event that is named: these follow with the same retry.",
  },
  not_sent: {
    meaning: "rows not settled before the run stopped",
    todo: "Resume the run.",
  },
};

/** The code of a line whose account was closed: its cells are blank, so nobody can send it. */
export const closedCode = "closed";

export function todoOf(status: OutcomeStatus, delivery: DeliveryMode, code = ""): string {
  if (code === closedCode)
    return "Look it up in the service, then set it to skipped: its cells are gone, so no retry sends it.";
  if (code === "superseded") return "Set it to skipped, or import it in a file of its own.";
  if (status === "rejected" && /^http_(3|403)/.test(code))
    return "Check the address and the token, then the failed rows, and retry them.";
  return status === "unknown" && delivery === "at-most-once"
    ? "Look them up in the service: set import_status to skipped for those that arrived, or retry them with --delivery at-least-once if they may arrive twice."
    : statusMeanings[status].todo;
}

export const outcomeStatuses = [...eventStatuses, "not_sent"] as const;

export function wordOf(status: OutcomeStatus): string {
  return status.replaceAll("_", " ");
}

/** The words of a mapping file's `on_key_failure`. */
export const keyFailureWords = ["continue", "block"] as const;

/** What the mapping says about the later events of a key, or of a row, after one did not succeed. */
export type OnKeyFailure = (typeof keyFailureWords)[number] | "default";

/**
 * Whether an event with this status blocks the later events of its row. A rejected one does, too: once it is fixed, it
 * could not be sent behind them any more.
 */
export function holdsBackRow(status: OutcomeStatus, onKeyFailure: OnKeyFailure): boolean {
  return status === "rejected" ? onKeyFailure !== "continue" : holdsBackKey(status, onKeyFailure);
}

/**
 * Whether an event with this status blocks the later events of its key. By default, it does if `retry` may
 * still send it: the later events would arrive before it. A rejected or invalid event will never arrive, so
 * it blocks the others only if the mapping says `block`.
 */
export function holdsBackKey(status: OutcomeStatus, onKeyFailure: OnKeyFailure): boolean {
  switch (status) {
    case "failed":
    case "unknown":
      return onKeyFailure !== "continue";
    case "rejected":
    case "invalid":
      return onKeyFailure === "block";
    case "succeeded":
    case "blocked":
    case "skipped":
    case "not_sent":
      return false;
    default:
      return status satisfies never;
  }
}
