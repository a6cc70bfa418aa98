import type { OutcomeStatus } from "./outcome.ts";

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
