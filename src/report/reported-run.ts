import type { NextStep } from "../model/next-step.ts";
import { sum } from "../model/quantities.ts";
import type { RunFigures } from "../model/run-figures.ts";
import type { DeliveryMode } from "../model/run-settings.ts";
import type { FailedRows } from "./failed-rows.ts";
import type { Moments } from "./moments.ts";

/** What a report is made of. */
export interface Reported {
  readonly run: ReportedRun;
  /** Undefined if there are no failed rows, or they are missing. */
  readonly failed: FailedRows | undefined;
  readonly moments: Moments;
  readonly next: NextStep | undefined;
  /** Names of files of the account that are missing. */
  readonly missing: readonly string[];
  /** What is damaged or not in the report, a sentence. */
  readonly damage: string | undefined;
  /** Whether cells, keys, ids, and the messages that may quote them, are left out. */
  readonly isMasked: boolean;
}

/** What a report takes from the manifest of an account. Its files are called by their names alone. */
export interface ReportedRun {
  readonly eventload: string;
  readonly input: InputFile;
  readonly inputs?: readonly InputFile[] | undefined;
  readonly mapping: { readonly path: string; readonly bytes: number; readonly sha256: string };
  readonly base_url: string;
  readonly options: Readonly<Record<string, unknown>> & { readonly delivery: DeliveryMode };
  /** What each import, resume and retry did, and how it sent. */
  readonly parts: readonly ReportedPart[];
  readonly unchanged_rows?: number | undefined;
  readonly started_at: string;
  readonly finished_at: string;
  readonly elapsed_ms: number;
  readonly rows: number;
  readonly events: number;
  readonly counts: Counts;
  readonly attempts: number;
  readonly unanswered: number;
  /** Events of which more than one attempt may have arrived. */
  readonly perhaps_twice: number;
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
  readonly results_file: Sums | null;
  readonly failed_rows_file: Sums | null;
  /** Absent if the manifest has none, or damaged ones. */
  readonly figures?: RunFigures | undefined;
}

export type Counts = Readonly<Record<string, number>>;

export interface ReportedPart extends Readonly<Record<string, unknown>> {
  /** 1 for the import, and one more for each retry. */
  readonly part: number;
  readonly command: "import" | "resume" | "retry";
  readonly started_at: string;
  /** Null if it was killed, or met a full disk: it has left no figures then. */
  readonly finished_at: string | null;
  readonly rows: number;
  readonly attempts: number;
  readonly unanswered: number;
  readonly counts: Counts;
  readonly exit_reason: string | null;
}

interface InputFile extends Partial<Sums> {
  readonly name: string;
}

interface Sums {
  readonly bytes: number | null;
  readonly sha256: string | null;
}

export function isComplete({ exit_reason }: Pick<ReportedRun, "exit_reason">): boolean {
  return exit_reason === "complete";
}

/** How many lines did not succeed and were not skipped. */
export function openOf(counts: Counts): number {
  const { succeeded = 0, skipped = 0 } = counts;
  return settledOf(counts) - succeeded - skipped;
}

/** How many lines have a status: rows that have not settled have none yet. */
export function settledOf(counts: Counts): number {
  return sum(Object.values(counts)) - (counts.not_sent ?? 0);
}

/** Whether the figures lack a part that was killed, or met a disk too full for its manifest. */
export function hasLostPart({ parts }: Pick<ReportedRun, "parts">): boolean {
  return parts.some(({ finished_at: at }) => at === null);
}
