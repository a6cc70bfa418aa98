import type { Finding } from "./finding.ts";
import type { FilesLeft } from "./next-step.ts";
import { noCounts, type Outcome, type StatusCounts } from "./outcome.ts";
import type { OutcomeGroup } from "./outcome-groups.ts";
import type { Place } from "./place.ts";
import type { Dialect, FilesReadAs } from "./reading.ts";
import type { Row, RowProblem } from "./row.ts";
import type { DeliveryMode } from "./run-settings.ts";
import type { DeliveryNotice, LimitedBy, SendingFigures, SendingState } from "./sending-state.ts";
import type { Shard } from "./shard.ts";
import type { StopReason } from "./stop.ts";

export interface CheckProgress {
  readonly phase: "check";
  readonly rows: number;
  readonly invalidRows: number;
  readonly bytesRead: number;
  /** Undefined if the size is not known in advance. */
  readonly totalBytes: number | undefined;
}

/** What a pass over all rows found, without sending anything. */
export interface CheckReport {
  readonly rows: number;
  /** Events that an import would send. */
  readonly events: number;
  readonly invalidRows: number;
  /** Rows from which nothing would be sent, because of a condition or an earlier success. */
  readonly skippedRows: number;
  /** Lines without a filled cell, which are no rows. */
  readonly blankLines: number;
  readonly problems: number;
  /** How the input was read: what was given, and what was detected. */
  readonly dialect: Dialect;
  /** If several files are read in different ways, each way; `dialect` is what they share. */
  readonly readAs?: readonly FilesReadAs[];
}

/** What a retry selected, by lines. */
export interface SelectedLines {
  /** Rows that the retry writes again. */
  readonly rows: number;
  /** Lines of the given file that have succeeded or were skipped, and are left out. */
  readonly done: number;
  /** Lines that the given file sets to `skipped`. */
  readonly skipped: number;
  /** Unknown ones that are not sent again under at-most-once. */
  readonly unknown: number;
  /** Invalid ones whose cells are as they were. */
  readonly notFixed: number;
  /** The columns in which cells were changed, the most changed first. */
  readonly changed: readonly ChangedColumn[];
  /** Where the account's cells are put back in place of what a program rewrote: a sentence for each column. */
  readonly restored: readonly string[];
}

/** What a retry selects, with what is decided of the lines that are to be sent. */
export interface Selection extends SelectedLines {
  readonly events: number;
  /** Lines that are not sent because a later row of their key has arrived. */
  readonly superseded: number;
  /** Lines that are not sent because one before them did not succeed and is not sent. */
  readonly blocked: number;
}

/** A column in which cells are others than before. */
export interface ChangedColumn {
  readonly column: string;
  readonly rows: number;
  /** The first change; long cells are cut. */
  readonly first: { readonly place: Place; readonly before: string; readonly after: string };
}

/** How many keys of a night changed by a member of their event. */
export interface ChangedMember {
  /** `profile.first_name` */
  readonly member: string;
  readonly keys: number;
}

/** How the keys of tonight's input differ from what the service has. */
export interface Differences {
  readonly new: number;
  readonly changed: number;
  readonly open: number;
  readonly unchanged: number;
  /** Keys with an invalid row, and keys that the mapping leaves out: they keep what they had. */
  readonly invalid: number;
  readonly left_out: number;
  /** Keys that are gone from the input and get a gone event. */
  readonly gone: number;
  /** Whether the mapping makes an event for a gone key. */
  readonly makesGoneEvents: boolean;
  /** Keys that the input does not have. */
  readonly missing: number;
  /** How many of the missing keys the last input had. */
  readonly newlyMissing: number;
  /** Events of the keys that are sent, without those of gone keys. */
  readonly events: number;
  /** Rows whose key cannot be read. Each may be of a key that seems to be missing, so none is gone. */
  readonly unreadableRows: number;
  /** Lines without a filled cell that stand between rows: they may have been rows of any key, so none is gone. */
  readonly blankLinesBetween: number;
  /** Keys of the last input of which the service has something, or may have. */
  readonly before: number;
  /** By which members keys changed, as far as that was seen: of the first 10,000, of one event each. */
  readonly changedBy?: readonly ChangedMember[];
}

export type ImportProgress = CheckProgress | SendProgress;

export interface SendProgress {
  readonly phase: "send";
  /** Rows whose events all have an outcome. */
  readonly rowsEnded: number;
  /** Undefined if no check has counted them. */
  readonly rowsTotal: number | undefined;
  /** Lines of the results so far, by status. */
  readonly counts: Readonly<StatusCounts>;
  /** The largest groups of what did not succeed. */
  readonly problems: readonly OutcomeGroup[];
  /** All events to send; undefined if no check has counted them. */
  readonly eventsTotal: number | undefined;
  readonly sending: SendingState;
  readonly attemptsSoFar: Readonly<Record<"attempts" | "retries" | "unanswered", number>>;
}

export type ImportNotice =
  | DeliveryNotice
  | {
      readonly kind: "warning";
      readonly message: string;
      /** What the warning is about, if it repeats cells of the input. */
      readonly finding?: Pick<Finding, "kind" | "column" | "count">;
    }
  /** The input is open, and this is how it is read: one notice for each way, if there are several. */
  | { readonly kind: "opened"; readonly name: string; readonly dialect: Dialect }
  | { readonly kind: "invalid"; readonly row: Row; readonly problem: RowProblem }
  /** An event has an outcome other than succeeded or skipped. */
  | {
      readonly kind: "not_succeeded";
      readonly row: Place;
      readonly outcome: Outcome;
    }
  /**
   * An interrupted run resumes: after how many rows, and with how many events that may have been sent. Some of
   * those were in flight when it was killed: at most twice as many as may be in flight.
   */
  | {
      readonly kind: "resumed";
      readonly rows: number;
      readonly perhapsSent: number;
      readonly inFlight: number;
    }
  | { readonly kind: "checked"; readonly report: CheckReport }
  /** What a retry selected, before anything is sent. */
  | { readonly kind: "selected"; readonly selection: Selection }
  /** How the input of a night differs from what the service has, before anything is sent. */
  | {
      readonly kind: "night";
      readonly differences: Differences;
      /** The differences as sentences, for people. */
      readonly sentences: readonly string[];
    }
  | { readonly kind: "stop"; readonly reason: StopReason };

export type ExitReason = "complete" | StopReason["code"];

/** What a part of an account did, with its resumes. */
export interface PartSummary {
  /** From 1, as lines have it. */
  readonly number: number;
  readonly rows: number;
  readonly counts: StatusCounts;
}

export interface RunSummary extends FilesLeft {
  readonly exitReason: ExitReason;
  /** Whether the account was complete already, so that nothing was sent now. */
  readonly wasComplete?: boolean;
  /** Whether nothing is left to be resumed; absent if nothing was written. */
  readonly isOver?: boolean;
  /** The part of the account that this was: its number, its rows, and its lines by status; absent if none began. */
  readonly part?: PartSummary;
  /** Why the run stopped and what to do; absent if it is complete. */
  readonly message?: string;
  readonly delivery: DeliveryMode;
  /**
   * Rows of the account or, if the part stopped, those of the part, including those not reached if a check has
   * counted them. Events, counts and problems are of the same rows, and attempts of all parts of the account.
   */
  readonly rows: number;
  readonly events: number;
  /** Lines of the results by status, and as `not_sent` the rows that had not settled when the run stopped. */
  readonly counts: StatusCounts;
  readonly attempts: number;
  /** Attempts that may have reached the service and were never answered. */
  readonly unanswered: number;
  /** Events for which more than one attempt of this run may have reached the service. */
  readonly perhapsTwice: number;
  readonly elapsedMs: number;
  /** Lines that a retry does not send, as a later event of their key has arrived; by status. */
  readonly superseded?: number;
  /** Lines that no retry sends, as the account was closed and their cells are gone. */
  readonly closed?: number;
  /** Rows that were never begun, as the account was closed before; absent if there are none, null if nobody knows. */
  readonly neverBegun?: number | null;
  /** How sending went, including earlier parts of the run; absent if it never began. */
  readonly sending?: SendingFigures;
  /** The part of the rows that the run took; absent if it took all. */
  readonly shard?: Shard;
  /** Of a merge: how many runs made it, from the beginning of the first to the end of the last. */
  readonly shards?: number;
  /** Of a night: how its input differs from what the service has. */
  readonly differences?: Differences;
  /** Of a night: rows of keys that do not differ, or that the mapping leaves out. They are not in the results. */
  readonly unchangedRows?: number;
  /** What limited the speed of this part of the run; absent if only this program did. */
  readonly limitedBy?: LimitedBy;
  /** What did not succeed, grouped by column and reason, the largest group first. */
  readonly problems: readonly OutcomeGroup[];
  /** Problems of lines that did not succeed, in none of these groups. */
  readonly ungroupedProblems: number;
}

export function noFigures() {
  return {
    rows: 0,
    events: 0,
    counts: noCounts(),
    attempts: 0,
    unanswered: 0,
    perhapsTwice: 0,
    problems: [],
    ungroupedProblems: 0,
  };
}
