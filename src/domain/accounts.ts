import type { EndingCounts } from "./outcome.ts";

/** How the rows of a run add up. */
export interface Accounts {
  /** Rows of the input, also those not reached where a check has counted them. */
  readonly rowsRead: number;
  /** Rows of which every line has an outcome. */
  readonly rowsSettled: number;
  readonly rowsNotSettled: number;
  /** Lines in the results file. */
  readonly lines: number;
  /** Whether every row of the input stands in the results with its outcome. */
  readonly addsUp: boolean;
}

export interface WrittenRows {
  readonly rowsWritten: number;
  readonly rowsSettled: number;
  readonly linesWritten: number;
}

/** Compares what was read with what was written, two counts that come about in different places. */
export function reconcile(rows: number, written: WrittenRows, counts: EndingCounts): Accounts {
  const lines = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return {
    rowsRead: rows,
    rowsSettled: written.rowsSettled,
    rowsNotSettled: rows - written.rowsSettled,
    lines: written.linesWritten,
    addsUp:
      rows === written.rowsWritten &&
      rows === written.rowsSettled &&
      lines === written.linesWritten &&
      counts.not_sent === 0,
  };
}
