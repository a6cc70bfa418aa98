import TinyQueue from "tinyqueue";
import type { Clock } from "../model/clock.ts";
import { createDeadlines } from "./deadlines.ts";
import { Fifo } from "./fifo.ts";
import type { PendingEvent } from "./pending-event.ts";

export type Queues = ReturnType<typeof createQueues>;

/**
 * Where events wait that may be sent and have no outcome:
 *
 *     ready ─► batch ─► staged ─► in flight ─► settled
 *                ▲                  │  ▲
 *              retries ◄─ backoff ◄─┴─ held
 *
 * @param wake is called with each event that is put into a queue, or is in flight no longer: so whoever moves an event
 *   sets no timer, and need not know what has become possible
 * @param onMissed ends an attempt that is not over in time
 */
export function createQueues(
  clock: Clock,
  timeoutMs: number,
  onMissed: (event: PendingEvent) => void,
  wake: () => void,
) {
  const waiting = new TinyQueue<PendingEvent>([], (one, other) => one.dueMs - other.dueMs);
  const retries = new Fifo<PendingEvent>(wake);
  let held: readonly PendingEvent[] = [];
  return {
    /** Events that have no outcome and do not wait for an earlier one. */
    sendable: 0,
    ready: new Fifo<PendingEvent>(wake),
    /** Their intents are in the batch of the journal that is being written. */
    batch: new Fifo<PendingEvent>(),
    /** Their intents are in the journal: they may be sent. */
    staged: new Fifo<PendingEvent>(wake),
    inFlight: createDeadlines<PendingEvent>(clock, timeoutMs, onMissed, wake),
    backoff: {
      get length() {
        return waiting.length;
      },
      push(event: PendingEvent, delayMs: number) {
        event.dueMs = clock.now() + delayMs;
        waiting.push(event);
        wake();
      },
      /** Milliseconds until the first one is over; infinite if there is none. */
      dueInMs: () => (waiting.peek()?.dueMs ?? Number.POSITIVE_INFINITY) - clock.now(),
      /** Those that are over become retries. */
      advance() {
        while (this.dueInMs() <= 0) retries.push(waiting.pop() as PendingEvent);
      },
    },
    /** Their backoff is over. */
    retries,
    held: {
      get events() {
        return held;
      },
      push(event: PendingEvent) {
        held = [...held, event];
        wake();
      },
      /** Those are held no longer. */
      release(isReleased: (event: PendingEvent) => boolean): readonly PendingEvent[] {
        const released = held.filter(isReleased);
        held = held.filter((event) => !released.includes(event));
        return released;
      },
    },
  };
}
