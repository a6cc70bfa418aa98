import type { Outcome } from "../domain/outcome.ts";
import { charsOf, type Row } from "../domain/row.ts";

/** A row that is in memory until it is written or set aside. */
export interface QueuedRow {
  readonly row: Row;
  /** Its place in line, from 0. */
  readonly place: number;
  /** Nothing until all its events have ended. */
  outcomes: readonly Outcome[] | undefined;
  /** What it weighs while it waits behind another that has not ended; 0 where it does not. */
  heldChars: number;
}

/** Rows in line one after another whose lines have been set aside. */
export interface RowsAside {
  readonly kind: "aside";
  readonly first: number;
  count: number;
}

export type ReadyRows = { readonly kind: "rows"; readonly rows: QueuedRow[] } | RowsAside;

/** Rows in input order, from which those at the head are taken that have ended. */
export interface RowQueue {
  add(row: Row): QueuedRow;
  end(row: QueuedRow, outcomes: readonly Outcome[]): void;
  /** What can be written now, in order; it is in the queue no more. */
  takeReady(): ReadyRows[];
  /** Rows in memory, and stretches of rows set aside, that can be written now. */
  readonly ready: number;
  /** What is in memory and has ended, and waits for its turn. */
  readonly held: { readonly rows: number; readonly chars: number };
  heldRows(): QueuedRow[];
  /** Lets go of a row, to be asked for by its place when its turn comes; not where it has come. */
  setAside(row: QueuedRow): boolean;
}

const aside = "aside";

export function createRowQueue(): RowQueue {
  let waiting: (QueuedRow | typeof aside | undefined)[] = [];
  /** Place of the first of these. */
  let base = 0;
  let head = 0;
  let ready: ReadyRows[] = [];
  let readyCount = 0;
  const held = { rows: 0, chars: 0 };

  const makeReady = (row: QueuedRow | typeof aside, place: number) => {
    const last = ready.at(-1);
    if (row === aside) {
      if (last?.kind === "aside") last.count++;
      else {
        ready.push({ kind: "aside", first: place, count: 1 });
        readyCount++;
      }
      return;
    }
    if (row.heldChars > 0) {
      held.rows--;
      held.chars -= row.heldChars;
    }
    readyCount++;
    if (last?.kind === "rows") last.rows.push(row);
    else ready.push({ kind: "rows", rows: [row] });
  };

  const advance = () => {
    for (let row = waiting[head]; row !== undefined; row = waiting[head]) {
      if (row !== aside && row.outcomes === undefined) break;
      makeReady(row, base + head);
      waiting[head] = undefined; // or it would outlive the collections of young objects here
      head++;
    }
    if (head > 1024 && head * 2 > waiting.length) {
      waiting = waiting.slice(head);
      base += head;
      head = 0;
    }
  };

  return {
    held,
    get ready() {
      return readyCount;
    },
    add(row) {
      const place = base + waiting.length;
      const queued: QueuedRow = { row, place, outcomes: undefined, heldChars: 0 };
      waiting.push(queued);
      return queued;
    },
    end(row, outcomes) {
      row.outcomes = outcomes;
      if (row.place === base + head) return advance();
      row.heldChars = charsOf(row.row);
      held.rows++;
      held.chars += row.heldChars;
    },
    takeReady() {
      const taken = ready;
      ready = [];
      readyCount = 0;
      return taken;
    },
    heldRows() {
      const rows: QueuedRow[] = [];
      for (let at = head; at < waiting.length && rows.length < held.rows; at++) {
        const row = waiting[at];
        if (row !== undefined && row !== aside && row.outcomes !== undefined) rows.push(row);
      }
      return rows;
    },
    setAside(row) {
      if (row.place < base + head) return false;
      waiting[row.place - base] = aside;
      held.rows--;
      held.chars -= row.heldChars;
      return true;
    },
  };
}
