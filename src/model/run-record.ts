import type { Outcome, StatusCounts } from "./outcome.ts";
import type { SourcePosition } from "./source-position.ts";

/** Up to where the ordered results are on the disk, so that nothing before it is needed again. */
export interface Checkpoint {
  /** Rows of the run that stand in the results. */
  readonly rows: number;
  readonly resultsBytes: number;
  /** Undefined if no row has failed. */
  readonly failedBytes: number | null;
  readonly tally: Tally;
  /** Where to read on; nothing for the beginning. */
  readonly position: SourcePosition | null;
  /** Rows of the run before that position; those after it up to `rows` are in the results already. */
  readonly rowsBeforePosition: number;
  /**
   * The first rows of the run, so many, had their outcome in results that are gone: it is unknown what
   * became of their events. Undefined if no results were lost.
   */
  readonly rowsLost?: number;
}

/** What the lines of the results add up to. */
export interface Tally {
  readonly counts: StatusCounts;
  readonly events: number;
  /** Of these, those that were skipped. Journals of before do not tell. */
  readonly eventsSkipped?: number;
  /** Those of which more than one attempt may have arrived. Journals of before do not tell. */
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

/** Attempts that have ended without an outcome for their event; none of them is in the air. */
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
