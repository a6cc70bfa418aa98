import type { Outcome } from "../model/outcome.ts";
import type { PendingRow } from "../model/pending-row.ts";

/** A row that settled before an earlier row. Only the text of its lines and its outcomes are kept. */
export interface HeldRow {
  readonly rowOfRun: number;
  /** Its lines. */
  readonly text: string;
  /** Of the events that were sent. */
  readonly outcomes: readonly Outcome[];
  /** Those that were known without sending. */
  readonly settledBefore: readonly Outcome[];
  /** Lines that stay as an earlier part wrote them. */
  readonly kept: number;
}

export type QueuedRow = PendingRow | HeldRow;

/** Rows in input order. Rows that have settled are taken from the head. */
export interface RowQueue {
  add(row: PendingRow): void;
  /** Whether a row is at the head. */
  isNext(row: PendingRow): boolean;
  /** Replaces a row by its text. */
  hold(row: PendingRow, held: HeldRow): void;
  /** Takes settled rows from the head. */
  takeSettled(maxRows: number): QueuedRow[];
  /** Whether the row at the head has settled. */
  readonly isReady: boolean;
  /** All rows in the queue, the head first. */
  rows(): Iterable<QueuedRow>;
}

export function createRowQueue(): RowQueue {
  let rows: (QueuedRow | undefined)[] = [];
  let head = 0;
  /** `rowOfRun` of the first of `rows`. */
  let base: number | undefined;

  const isSettled = (row: QueuedRow | undefined) =>
    row !== undefined && ("text" in row || row.isSettled);

  return {
    add(row) {
      base ??= row.rowOfRun;
      rows.push(row);
    },
    isNext: (row) => rows[head] === row,
    hold(row, held) {
      rows[row.rowOfRun - (base ?? 0)] = held;
    },
    takeSettled(maxRows) {
      const taken: QueuedRow[] = [];
      for (let row = rows[head]; isSettled(row) && taken.length < maxRows; row = rows[head]) {
        taken.push(row as QueuedRow);
        rows[head++] = undefined; // or the row stays in memory until the array is cut
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
