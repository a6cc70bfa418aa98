import TinyQueue from "tinyqueue";
import type { Clock } from "../model/clock.ts";
import { createDeadlines } from "./deadlines.ts";
import { Fifo } from "./fifo.ts";
import type { PendingEvent } from "./pending-event.ts";

export type Queues = ReturnType<typeof createQueues>;

/**
 * Where events wait that may be sent and have no outcome:
 *
 *     ready ───┬─► batch ─► staged ─► in flight ─► settled
 *     retries ─┘                        │
 *        ▲──────────────────────────────┴─► held
 *
 * Each queue has one way in, and each event that comes in wakes the loop: so whoever moves an event sets no timer, and
 * need not know what has become possible.
 *
 * @param onMissed ends an attempt that is not over in time
 */
export function createQueues(
  clock: Clock,
  timeoutMs: number,
  onMissed: (event: PendingEvent) => void,
  wake: () => void,
) {
  const backoff = new TinyQueue<PendingEvent>([], (one, other) => one.dueMs - other.dueMs);
  const held = new Set<PendingEvent>();
  return {
    /** Events that have no outcome and do not wait for an earlier one. */
    sendable: 0,
    /** Whether no more rows come. */
    isInputOver: false,
    ready: new Fifo<PendingEvent>(wake),
    /** Events whose intents are in the batch of the journal that is being written. */
    batch: new Fifo<PendingEvent>(),
    /** Events whose intents are in the journal: they may be sent. */
    staged: new Fifo<PendingEvent>(wake),
    inFlight: createDeadlines<PendingEvent>(clock, timeoutMs, onMissed, wake),
    /** Events that may be sent again when their backoff is over. */
    retries: {
      get length() {
        return backoff.length;
      },
      push(event: PendingEvent, delayMs: number) {
        event.dueMs = clock.now() + delayMs;
        backoff.push(event);
        wake();
      },
      shift: () => backoff.pop(),
      /** Milliseconds until the first backoff is over; 0 or less if it is, infinite if there is none. */
      dueInMs() {
        const first = backoff.peek();
        return first === undefined ? Number.POSITIVE_INFINITY : first.dueMs - clock.now();
      },
    },
    /** Events of which it is not known whether they have failed. */
    held: {
      events: held as ReadonlySet<PendingEvent>,
      push(event: PendingEvent) {
        held.add(event);
        wake();
      },
      remove: (event: PendingEvent) => held.delete(event),
    },
  };
}
