import type { StatusCounts } from "../model/outcome.ts";
import type { Checkpoint } from "../model/run-record.ts";

/** How the rows of a run add up. */
export interface Reconciliation {
  /** Rows of the input, also those not reached where a check has counted them. */
  readonly rowsRead: number;
  /** Rows of which every event has its outcome. */
  readonly rowsSettled: number;
  readonly rowsNotSettled: number;
  /** Rows that stand in the results file. */
  readonly rowsWritten: number;
  /** Lines in the results file. */
  readonly lines: number;
  /** Whether every row of the input stands in the results with its outcome. */
  readonly addsUp: boolean;
}

/**
 * Compares what was read, what has ended and what was written: counts that come about in different
 * places.
 */
export function reconcile(
  rowsRead: number,
  rowsSettled: number,
  written: Pick<Checkpoint, "rows" | "tally"> | undefined,
  counts: StatusCounts,
): Reconciliation {
  const rowsWritten = written?.rows ?? 0;
  const lines = written?.tally.lines ?? 0;
  const isTheSame =
    written !== undefined &&
    Object.entries(written.tally.counts).every(
      ([status, count]) => counts[status as keyof StatusCounts] === count,
    );
  const sum = Object.values(counts).reduce((total, count) => total + count, 0);
  return {
    rowsRead,
    rowsSettled,
    rowsNotSettled: rowsRead - rowsSettled,
    rowsWritten,
    lines,
    addsUp:
      isTheSame &&
      rowsRead === rowsSettled &&
      rowsRead === rowsWritten &&
      sum === lines &&
      counts.not_sent === 0,
  };
}
