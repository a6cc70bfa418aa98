import type { LoadEvent } from "../domain/event.ts";
import type { Outcome } from "../domain/outcome.ts";
import type { EventRecord } from "../domain/run-record.ts";
import type { Clock } from "./clock.ts";
import type { Delivery, EventInHand } from "./deliver-event.ts";
import { createKeyedOrder } from "./keyed-order.ts";

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
  /** Holds back what comes after a row of an interrupted run that did not succeed. */
  block(orderKey: string, row: number): void;
}

/**
 * Sends the events of rows, keeping the order that the mapping asks for: with an order key, an
 * event leaves only when the one before it has its outcome. After one that failed or is unknown,
 * the later ones of that key are held back, because they would arrive out of order.
 */
export function createRowDelivery(delivery: Delivery, clock: Pick<Clock, "date">): RowDelivery {
  const order = createKeyedOrder();
  const blockedBy = new Map<string, number>();

  const inOrder = async (rowEvents: RowEvents, key: string): Promise<Outcome[]> => {
    const outcomes: Outcome[] = [];
    for (const event of rowEvents.events) {
      const blocker = blockedBy.get(key);
      const outcome =
        blocker === undefined
          ? await delivery.deliver(inHand(rowEvents, event))
          : blocked(event, blocker, clock.date());
      if (outcome.ending === "failed" || outcome.ending === "unknown") {
        blockedBy.set(key, rowEvents.row);
      }
      outcomes.push(outcome);
    }
    return outcomes;
  };

  return {
    deliverRow(rowEvents) {
      const { events, orderKey: key } = rowEvents;
      if (key !== undefined) return order.run(key, () => inOrder(rowEvents, key));
      return Promise.all(events.map((event) => delivery.deliver(inHand(rowEvents, event))));
    },
    block(key, row) {
      blockedBy.set(key, row);
    },
  };
}

function inHand({ row, rowOfRun, before }: RowEvents, event: LoadEvent): EventInHand {
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
