import type { OutcomeStatus } from "./outcome.ts";

/** The words of a mapping file's `on_key_failure`. */
export const keyFailureWords = ["continue", "block"] as const;

/** What the mapping wants after an event that did not succeed, for the later ones of its key. */
export type OnKeyFailure = (typeof keyFailureWords)[number] | "default";

/**
 * Whether the later events of a key are held back after one that ended so. By default they are where
 * that one may still be sent: after it has been retried, they would have arrived out of order. What
 * was refused or cannot be mapped is taken to be missing for good, unless the mapping says `block`.
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
