import { sum } from "../model/quantities.ts";
import type { RunFigures } from "../model/run-figures.ts";
import type { DeliveryMode } from "../model/run-settings.ts";

/** What a report takes from the manifest of a run. */
export interface ReportedRun {
  readonly eventload: string;
  readonly input: InputFile & { readonly path: string | null };
  readonly inputs?: readonly (InputFile & { readonly path: string })[] | undefined;
  readonly mapping: { readonly path: string; readonly bytes: number; readonly sha256: string };
  readonly base_url: string;
  readonly options: Readonly<Record<string, unknown>> & { readonly delivery: DeliveryMode };
  /** What each import, resume and retry did, and how it sent. */
  readonly parts: readonly ReportedPart[];
  readonly started_at: string;
  readonly finished_at: string;
  readonly elapsed_ms: number;
  readonly rows: number;
  readonly events: number;
  readonly counts: Readonly<Record<string, number>>;
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
  /** Absent if the manifest has none, or damaged ones. */
  readonly figures?: RunFigures | undefined;
}

interface ReportedPart extends Readonly<Record<string, unknown>> {
  /** 1 for the import, and one more for each retry. */
  readonly part: number;
  readonly started_at: string;
  /** Null if it was killed, or met a full disk: it has left no figures then. */
  readonly finished_at: string | null;
}

interface InputFile {
  readonly name: string;
  readonly bytes: number | null;
  readonly sha256: string | null;
}

export function isComplete({ exit_reason }: Pick<ReportedRun, "exit_reason">): boolean {
  return exit_reason === "complete";
}

/** How many lines did not succeed and were not skipped. */
export function notSucceeded({ counts }: Pick<ReportedRun, "counts">): number {
  const { succeeded = 0, skipped = 0, not_sent = 0 } = counts;
  return sum(Object.values(counts)) - succeeded - skipped - not_sent;
}
