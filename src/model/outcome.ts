/** How an event ended. The words stand in the results CSV, so they never change. */
export const eventStatuses = [
  "succeeded",
  "rejected",
  "failed",
  "unknown",
  "invalid",
  "blocked",
  "skipped",
] as const;
export type EventStatus = (typeof eventStatuses)[number];

/** An event's status, or `not_sent` where the run stopped before it had an outcome. */
export type Ending = EventStatus | "not_sent";

/** How an event ended, as one line of the results CSV tells it. */
export interface Outcome {
  readonly ending: Ending;
  /** Which of the mapping's events it was, from 1; absent for a row that gave none. */
  readonly event?: number;
  readonly eventId?: string;
  /** Status of the last answer. */
  readonly httpStatus?: number;
  /** POSTs tried in this run, also those that never left. */
  readonly attempts: number;
  /** Attempts that may have reached the service and were never answered. */
  readonly unanswered: number;
  readonly errorCode?: string;
  readonly error?: string;
  /** ISO 8601 instant at which it ended; absent where it did not. */
  readonly finishedAt?: string;
}

/** Whether the run may count the event as done with. */
export function isDone(ending: Ending): boolean {
  return ending === "succeeded" || ending === "skipped";
}

/** Counts of lines by how they ended. */
export type EndingCounts = Record<Ending, number>;

export function noEndings(): EndingCounts {
  return {
    succeeded: 0,
    rejected: 0,
    failed: 0,
    unknown: 0,
    invalid: 0,
    blocked: 0,
    skipped: 0,
    not_sent: 0,
  };
}

/** Whether a status read from a file is one of ours. */
export function isEventStatus(text: string): text is EventStatus {
  return (eventStatuses as readonly string[]).includes(text);
}
