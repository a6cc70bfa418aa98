import type { Outcome, StatusCounts } from "./outcome.ts";
import type { SourcePosition } from "./source-position.ts";

/** How far the results are on disk: nothing before that is needed again. */
export interface Checkpoint {
  /** Rows of the run that stand in the results. */
  readonly rows: number;
  readonly resultsBytes: number;
  /** Null if no row has failed. */
  readonly failedBytes: number | null;
  readonly tally: Tally;
  /** Where to continue reading; null for the beginning. */
  readonly position: SourcePosition | null;
  /** Rows of the run before that position; those after it up to `rows` are in the results already. */
  readonly rowsBeforePosition: number;
  /**
   * How many of the first rows had their outcomes in results that are lost: what became of their
   * events is unknown. Undefined if no results were lost.
   */
  readonly rowsLost?: number;
}

/** What the lines of the results add up to. */
export interface Tally {
  readonly counts: StatusCounts;
  readonly events: number;
  /** Those of which more than one attempt may have arrived. Absent in older journals. */
  readonly perhapsTwice?: number;
  readonly lines: number;
  readonly attempts: number;
  readonly unanswered: number;
}

/** An attempt about to leave. */
export interface Intent {
  /** Number of the row in the run, from 1. */
  readonly rowOfRun: number;
  /** Which of the mapping's events, from 1. */
  readonly event: number;
  /** Which attempt it is, from 1. */
  readonly attempt: number;
  /** Attempts before it that were never answered. */
  readonly unanswered: number;
  /** The time that every attempt of the event carries. */
  readonly importedAt: string;
}

/** Attempts that have ended without an outcome for their event; none of them is in flight. */
export interface AttemptsSoFar {
  readonly rowOfRun: number;
  readonly event: number;
  readonly attempts: number;
  readonly unanswered: number;
  readonly importedAt: string;
  readonly httpStatus?: number;
}

/** What the journal knows of an event that is not in the results yet. */
export type EventRecord =
  /** Perhaps sent: an intent is on record, and nothing after it. */
  | ({ readonly kind: "intent" } & Intent)
  | ({ readonly kind: "attempted" } & AttemptsSoFar)
  | { readonly kind: "outcome"; readonly rowOfRun: number; readonly outcome: Outcome };
