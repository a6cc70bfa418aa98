import type { BlockedKeys } from "../model/blocked-keys.ts";
import type { Outcome, OutcomeStatus } from "../model/outcome.ts";
import { holdsBackKey, holdsBackRow, type OnKeyFailure } from "../model/outcome.ts";
import { Fifo } from "./fifo.ts";
import type { PendingEvent, PendingRow } from "./pending-event.ts";

interface OrderingPorts {
  readonly blockedKeys: BlockedKeys;
  readonly onKeyFailure: OnKeyFailure;
  /** Sends an event, unless something blocks it. @returns its outcome, if that is known at once */
  readonly begin: (event: PendingEvent, blocker?: string) => Outcome | undefined;
}

/** The rows of a key that wait behind the current one; a number is a row that blocks the key when its turn comes. */
type RowsOfKey = Fifo<PendingRow | number>;

export type Ordering = ReturnType<typeof createOrdering>;

/**
 * Keeps the rows of each ordering key in file order, and the events of each row in the order of the mapping. It sends
 * one event of a key, or of a row without one, at a time. If one does not succeed, those after it may be blocked,
 * because they would arrive out of order.
 */
export function createOrdering({ blockedKeys, onKeyFailure, begin }: OrderingPorts) {
  /** A queue for each key with a pending row; for most keys, no row waits. */
  const lines = new Map<string, RowsOfKey | undefined>();

  const append = (key: string, next: PendingRow | number) => {
    const line = lines.get(key) ?? new Fifo();
    line.push(next);
    lines.set(key, line);
  };

  /** Sends the next event of the row, and then of those behind it: one at a time. */
  const sendNext = (row: PendingRow) => {
    const { orderingKey: key } = row;
    if (beginNextOf(row) || key === undefined) return;
    const line = lines.get(key);
    for (let next = line?.shift(); next !== undefined; next = line?.shift()) {
      if (typeof next === "number") blockedKeys.block(key, next);
      else if (beginNextOf(next)) return;
    }
    lines.delete(key);
  };

  /** @returns whether one of the row's events began; if not, all have their outcome */
  const beginNextOf = (row: PendingRow): boolean => {
    while (row.unsettled > 0) {
      const place = row.events.length - row.unsettled;
      const known = begin(row.events[place] as PendingEvent, blockerOf(row, place));
      if (known === undefined) return true;
      blockAfter(row, known.status);
    }
    return false;
  };

  const blockerOf = ({ orderingKey, outcomes }: PendingRow, place: number) => {
    const own = outcomes.find((one, at) => at < place && holdsBackRow(one.status, onKeyFailure));
    if (own !== undefined) return `event ${own.event} of its row`;
    const blocker = orderingKey === undefined ? undefined : blockedKeys.rowOf(orderingKey);
    return blocker === undefined ? undefined : `row ${blocker} of the same ordering key`;
  };

  const blockAfter = ({ row, orderingKey }: PendingRow, status: OutcomeStatus) => {
    if (orderingKey === undefined || !holdsBackKey(status, onKeyFailure)) return;
    blockedKeys.block(orderingKey, row.row);
  };

  return {
    /** Sends the events of a row when all earlier rows of its key, if it has one, have settled. */
    add(row: PendingRow) {
      const { orderingKey: key } = row;
      if (key !== undefined && lines.has(key)) return append(key, row);
      if (key !== undefined) lines.set(key, undefined);
      sendNext(row);
    },
    settled(row: PendingRow, status: OutcomeStatus) {
      // Nothing waits for the last event of a row without a key; most rows have one event.
      if (row.orderingKey === undefined && row.unsettled === 0) return;
      blockAfter(row, status);
      sendNext(row);
    },
    /** Whether a later row of its key would be sent if it were rejected: then it could never be sent again. */
    wouldBeOvertaken({ orderingKey: key }: PendingRow): boolean {
      if (key === undefined || holdsBackKey("rejected", onKeyFailure)) return false;
      return (lines.get(key)?.length ?? 0) > 0;
    },
    /** A row whose outcome is known without sending may block rows of its key after it, but not before it. */
    pass(key: string, row: number, status: OutcomeStatus) {
      if (!holdsBackKey(status, onKeyFailure)) return;
      if (lines.has(key)) append(key, row);
      else blockedKeys.block(key, row);
    },
  };
}
