import type { LoadEvent } from "../domain/event.ts";
import { holdsBackKey, type OnKeyFailure } from "../domain/key-failure.ts";
import type { Ending, Outcome } from "../domain/outcome.ts";
import type { EventRecord } from "../domain/run-record.ts";
import { createBlockedKeys } from "./blocked-keys.ts";
import type { Clock } from "./clock.ts";
import type { Delivery, EventInHand } from "./deliver-event.ts";
import { createKeyedOrder, type Turn } from "./keyed-order.ts";

export interface RowEvents {
  /** Number of the row in the input, for messages. */
  readonly row: number;
  /** Number of the row in the run. */
  readonly rowOfRun: number;
  readonly events: readonly LoadEvent[];
  /** Rows that agree here are sent one after another. */
  readonly orderKey?: string;
  /** What an interrupted run put on record of the events. */
  readonly before?: readonly EventRecord[];
}

export interface RowDelivery {
  deliverRow(row: RowEvents): Promise<Outcome[]>;
  /**
   * A row whose outcome is known without sending takes its place in the order of its key: it may
   * hold back what comes after it, and not what comes before it.
   */
  pass(orderKey: string, row: number, ending: Ending): void;
  /** Holds back what comes after a row of an interrupted run that did not succeed. */
  block(orderKey: string, row: number): void;
}

/**
 * Sends the events of rows, keeping the order that the mapping asks for: with an order key, an
 * event leaves only when the one before it has its outcome. After one that did not succeed, the
 * later ones of that key may be held back, because they would arrive out of order.
 */
export function createRowDelivery(
  delivery: Pick<Delivery, "deliver">,
  clock: Pick<Clock, "date">,
  onKeyFailure: OnKeyFailure,
): RowDelivery {
  const order = createKeyedOrder();
  const blockedKeys = createBlockedKeys();

  const inOrder = async (rowEvents: RowEvents, key: string, turn: Turn): Promise<Outcome[]> => {
    const outcomes: Outcome[] = [];
    const lastEvent = rowEvents.events.at(-1);
    for (const event of rowEvents.events) {
      const inHand = eventInHand(rowEvents, event);
      const blocker = blockedKeys.rowOf(key);
      const holdsBack = () => event !== lastEvent || turn.isWaitedFor();
      const outcome =
        // What an interrupted run has settled stays as it was.
        blocker === undefined || inHand.before?.kind === "outcome"
          ? await delivery.deliver({ ...inHand, holdsBack })
          : blocked(event, blocker, clock.date());
      if (holdsBackKey(outcome.ending, onKeyFailure)) blockedKeys.block(key, rowEvents.row);
      outcomes.push(outcome);
    }
    return outcomes;
  };

  return {
    async deliverRow(rowEvents) {
      const { events, orderKey: key } = rowEvents;
      if (key !== undefined) return order.run(key, (turn) => inOrder(rowEvents, key, turn));
      const [first] = events;
      if (first !== undefined && events.length === 1) {
        return [await delivery.deliver(eventInHand(rowEvents, first))];
      }
      return Promise.all(events.map((event) => delivery.deliver(eventInHand(rowEvents, event))));
    },
    pass(key, row, ending) {
      if (!holdsBackKey(ending, onKeyFailure)) return;
      order.after(key, () => blockedKeys.block(key, row));
    },
    block: blockedKeys.block,
  };
}

function eventInHand({ row, rowOfRun, before }: RowEvents, event: LoadEvent): EventInHand {
  const record = before?.find((known) => eventOf(known) === event.index);
  return record === undefined ? { event, row, rowOfRun } : { event, row, rowOfRun, before: record };
}

function eventOf(record: EventRecord): number | undefined {
  return record.kind === "outcome" ? record.outcome.event : record.event;
}

function blocked(event: LoadEvent, blocker: number, now: Date): Outcome {
  return {
    ending: "blocked",
    event: event.index,
    eventId: event.id,
    attempts: 0,
    unanswered: 0,
    errorCode: "blocked",
    error: `held back, because row ${blocker} of the same order_by key did not succeed`,
    finishedAt: now.toISOString(),
  };
}
