import type { OutcomeStatus } from "../model/outcome.ts";
import type { EndedLine, OutcomeGroup } from "../model/outcome-groups.ts";
import type { RunFigures } from "../model/run-figures.ts";

/** What a report says of a run: what the manifest holds. */
export interface ReportedRun {
  readonly eventload: string;
  readonly kind: "import" | "retry";
  readonly input: InputFile & { readonly path: string | null };
  readonly inputs?: readonly (InputFile & { readonly path: string })[] | undefined;
  readonly mapping: { readonly path: string; readonly bytes: number; readonly sha256: string };
  readonly base_url: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** How each part was sent, of a run that was resumed. */
  readonly parts?: readonly Readonly<Record<string, unknown>>[] | undefined;
  readonly started_at: string;
  readonly finished_at: string;
  readonly elapsed_ms: number;
  readonly rows: number;
  readonly events: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly attempts: number;
  readonly unanswered: number;
  /** Events of which more than one attempt may have arrived; absent in older manifests. */
  readonly perhaps_twice?: number | undefined;
  readonly reconciliation: {
    readonly rows_read: number;
    readonly rows_settled: number;
    readonly rows_not_settled: number;
    readonly rows_written: number;
    readonly lines: number;
    readonly adds_up: boolean;
  };
  readonly exit_reason: string;
  readonly message: string | null;
  readonly results: string;
  readonly failed_rows: string | null;
  /** Absent where it was made by an eventload that took none. */
  readonly figures?: RunFigures | undefined;
}

interface InputFile {
  readonly name: string;
  readonly bytes: number | null;
  readonly sha256: string | null;
}

/** What the results file says, line by line. */
export interface ResultsAccount {
  readonly lines: number;
  readonly counts: Readonly<Record<OutcomeStatus, number>>;
  readonly problems: GroupedLines;
  readonly leftOut: GroupedLines;
  /** Events that succeeded, and of which an attempt went unanswered. */
  readonly perhapsTwice: { readonly count: number; readonly first: readonly EndedLine[] };
  /** Lines that cannot be read. */
  readonly unreadable: number;
  /** Why it could not be read to its end. */
  readonly problem?: string;
}

/** Why nothing is known of the results file. */
export interface UnreadResults {
  readonly problem: string;
  /** Whether there is no such file. */
  readonly isMissing: boolean;
}

export interface GroupedLines {
  readonly groups: readonly OutcomeGroup[];
  /** Lines in groups of which there were too many to keep. */
  readonly ungrouped: number;
}
