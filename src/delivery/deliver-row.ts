import type { LoadEvent } from "../domain/event.ts";
import type { Outcome } from "../domain/outcome.ts";
import type { Clock } from "./clock.ts";
import type { Delivery } from "./deliver-event.ts";
import { createKeyedOrder } from "./keyed-order.ts";

export interface RowEvents {
  readonly row: number;
  readonly events: readonly LoadEvent[];
  /** Rows that agree here are sent one after another. */
  readonly orderKey?: string;
}

/**
 * Sends the events of rows, keeping the order that the mapping asks for: with an order key, an
 * event leaves only when the one before it has its outcome. After one that failed or is unknown,
 * the later ones of that key are held back, because they would arrive out of order.
 */
export function createRowDelivery(
  delivery: Delivery,
  clock: Pick<Clock, "date">,
): (row: RowEvents) => Promise<Outcome[]> {
  const order = createKeyedOrder();
  const blockedBy = new Map<string, number>();

  return ({ row, events, orderKey: key }) => {
    if (key === undefined) {
      return Promise.all(events.map((event) => delivery.deliver(event, row)));
    }
    return order.run(key, async () => {
      const outcomes: Outcome[] = [];
      for (const event of events) {
        const blocker = blockedBy.get(key);
        const outcome =
          blocker === undefined
            ? await delivery.deliver(event, row)
            : blocked(event, blocker, clock.date());
        if (outcome.ending === "failed" || outcome.ending === "unknown") blockedBy.set(key, row);
        outcomes.push(outcome);
      }
      return outcomes;
    });
  };
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
