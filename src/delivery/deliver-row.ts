import type { LoadEvent } from "../domain/event.ts";
import { holdsBackKey, type OnKeyFailure } from "../domain/key-failure.ts";
import type { Ending, Outcome } from "../domain/outcome.ts";
import type { EventRecord } from "../domain/run-record.ts";
import { createBlockedKeys } from "./blocked-keys.ts";
import type { Clock } from "./clock.ts";
import type { Delivery } from "./deliver-event.ts";
import type { EventInHand } from "./event-under-way.ts";
import { createKeyedOrder } from "./keyed-order.ts";

export interface RowEvents {
  /** Number of the row in the input, for messages. */
  readonly row: number;
  /** Number of the row in the run. */
  readonly rowOfRun: number;
  readonly events: readonly LoadEvent[];
  /** Rows that agree here are sent one after another. */
  readonly orderKey?: string | undefined;
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

  const inOrder = async (rowEvents: RowEvents, key: string): Promise<Outcome[]> => {
    const { events } = rowEvents;
    const outcomes: Outcome[] = [];
    const turn = order.enter(key);
    if (turn !== undefined) await turn;
    try {
      for (const event of events) {
        const holdsBack = () => event !== events.at(-1) || order.isWaitedFor(key);
        const inHand = eventInHand(rowEvents, event, holdsBack);
        const blocker = blockedKeys.rowOf(key);
        const outcome =
          // What an interrupted run has settled stays as it was.
          blocker === undefined || inHand.before?.kind === "outcome"
            ? await delivery.deliver(inHand)
            : blocked(event, blocker, clock.date());
        if (holdsBackKey(outcome.ending, onKeyFailure)) blockedKeys.block(key, rowEvents.row);
        outcomes.push(outcome);
      }
      return outcomes;
    } finally {
      order.leave(key);
    }
  };

  return {
    deliverRow(rowEvents) {
      const { events, orderKey: key } = rowEvents;
      if (key !== undefined) return inOrder(rowEvents, key);
      const [first] = events;
      if (first !== undefined && events.length === 1) {
        return delivery.deliver(eventInHand(rowEvents, first, holdsNothingBack)).then(alone);
      }
      return Promise.all(
        events.map((event) => delivery.deliver(eventInHand(rowEvents, event, holdsNothingBack))),
      );
    },
    pass(key, row, ending) {
      if (!holdsBackKey(ending, onKeyFailure)) return;
      order.after(key, () => blockedKeys.block(key, row));
    },
    block: blockedKeys.block,
  };
}

const holdsNothingBack = () => false;
const alone = (outcome: Outcome) => [outcome];

function eventInHand(
  { row, rowOfRun, before }: RowEvents,
  event: LoadEvent,
  holdsBack: () => boolean,
): EventInHand {
  const known = before?.find((record) => eventOf(record) === event.index);
  return { event, row, rowOfRun, before: known, holdsBack };
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
