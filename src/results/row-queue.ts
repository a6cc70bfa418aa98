import type { Outcome } from "../model/outcome.ts";
import type { PendingRow } from "../model/pending-row.ts";

/** A row that settled while one before it has not. Of it, only what is to be written is kept. */
export interface HeldRow {
  readonly rowOfRun: number;
  /** Its lines as they will stand in the results, and in the failed rows. */
  readonly lines: string;
  readonly failedLines: string;
  readonly outcomes: readonly Outcome[];
}

export type QueuedRow = PendingRow | HeldRow;

/** Rows in input order, from which those at the head are taken that have settled. */
export interface RowQueue {
  add(row: PendingRow): void;
  /** Whether a row is the oldest that has not been taken. */
  isNext(row: PendingRow): boolean;
  /** Keeps less of a row than all of it, until its turn comes. */
  hold(row: PendingRow, held: HeldRow): void;
  /** Takes what has settled at the head. */
  takeSettled(most: number): QueuedRow[];
  /** Whether the row at the head has settled. */
  readonly isReady: boolean;
  /** Every row that has not been taken, the oldest first. */
  rows(): Iterable<QueuedRow>;
}

export function createRowQueue(): RowQueue {
  let rows: (QueuedRow | undefined)[] = [];
  let head = 0;
  /** Number of the first of `rows`, as `rowOfRun` counts. */
  let base: number | undefined;

  const isSettled = (row: QueuedRow | undefined) =>
    row !== undefined && ("lines" in row || row.isSettled);

  return {
    add(row) {
      base ??= row.rowOfRun;
      rows.push(row);
    },
    isNext: (row) => rows[head] === row,
    hold(row, held) {
      rows[row.rowOfRun - (base ?? 0)] = held;
    },
    takeSettled(most) {
      const taken: QueuedRow[] = [];
      for (let row = rows[head]; isSettled(row) && taken.length < most; row = rows[head]) {
        taken.push(row as QueuedRow);
        rows[head++] = undefined; // or it would outlive the collections of young objects here
      }
      if (head > 1024 && head * 2 > rows.length) {
        rows = rows.slice(head);
        base = (base ?? 0) + head;
        head = 0;
      }
      return taken;
    },
    get isReady() {
      return isSettled(rows[head]);
    },
    *rows() {
      for (let at = head; at < rows.length; at++) yield rows[at] as QueuedRow;
    },
  };
}
