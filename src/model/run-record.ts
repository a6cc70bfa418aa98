import type { Manifest } from "./manifest.ts";
import type { Outcome, StatusCounts } from "./outcome.ts";
import type { SourcePosition } from "./place.ts";

/** How far the results are on disk: nothing before that is needed again. */
export interface Checkpoint {
  /** Rows of the run that stand in the results. */
  readonly rows: number;
  readonly resultsBytes: number;
  readonly tally: Tally;
  /** Where to continue reading; null for the beginning. */
  readonly position: SourcePosition | null;
  /** Rows of the run before that position; those after it up to `rows` are in the results already. */
  readonly rowsBeforePosition: number;
}

/** What the lines of the results add up to. */
export interface Tally {
  readonly counts: StatusCounts;
  readonly events: number;
  /** Those of which more than one attempt may have arrived. */
  readonly perhapsTwice: number;
  readonly lines: number;
  /** Further lines of the same rows that stay as an earlier part wrote them. */
  readonly kept: number;
  readonly attempts: number;
  readonly unanswered: number;
}

/** An attempt is about to leave. */
export interface Intent {
  readonly kind: "intent";
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

/** The end of a part: all new files are on the disk, and only their names are left to be changed. */
export interface AccountEnd {
  /** The name of the file with the new results, in the folder of the results. */
  readonly from: string;
  /** The new manifest, sealed: it says what the new files are. */
  readonly manifest: Manifest;
}

/** What the journal knows of an event that is not in the results yet. */
export type EventRecord =
  /** Perhaps sent: an intent is on record, and nothing after it. */
  | Intent
  /** Attempts have ended without an outcome for their event; none of them is in flight. */
  | {
      readonly kind: "attempted";
      readonly rowOfRun: number;
      readonly event: number;
      readonly attempts: number;
      readonly unanswered: number;
      readonly importedAt: string;
      readonly httpStatus?: number;
    }
  | { readonly kind: "outcome"; readonly rowOfRun: number; readonly outcome: Outcome };

/** Size and hash of a file, by which it is recognized. */
export interface Fingerprint {
  readonly bytes: number;
  /** Hex SHA-256. */
  readonly sha256: string;
}
