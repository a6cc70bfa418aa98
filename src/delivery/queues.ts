import TinyQueue from "tinyqueue";
import { type Clock, endOfTurn } from "../model/clock.ts";
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

/** A fraction of this that is left over must not set a timer again and again. */
const timerResolutionMs = 1;
/** Turns of the event loop in which sockets are read before a missed deadline counts; TLS takes two. */
const turnsOfGrace = 2;

/**
 * The attempts in flight. It calls back for each that is not over in time. All have the same time-out, so the oldest one
 * has the next deadline: one timer is enough for all, and most attempts never need it.
 *
 * @param onMissed ends the attempt
 * @param onChange is called with each attempt that begins or ends
 */
export function createDeadlines<Attempt extends Pick<PendingEvent, "connection" | "sentMs">>(
  clock: Clock,
  timeoutMs: number,
  onMissed: (attempt: Attempt) => void,
  onChange = () => {},
) {
  // No map: each time one makes room, it leaves its old table behind, whose attempts then look as if they were in use.
  const begun: (Attempt | undefined)[] = [];
  let count = 0;
  let cancel: (() => void) | undefined;

  const check = async () => {
    const checking = () => {};
    cancel = checking;
    const sentBefore = clock.now() - timeoutMs + timerResolutionMs;
    // An answer that is already in the socket wins: if the process was held up, it is read first.
    for (let turn = 0; turn < turnsOfGrace; turn++) await endOfTurn();
    for (const attempt of begun) {
      if (attempt !== undefined && attempt.sentMs < sentBefore) onMissed(attempt);
    }
    // Only now: when an attempt is missed, the next one may begin at once, with the same connection.
    let oldestMs = Number.POSITIVE_INFINITY;
    for (const attempt of begun) oldestMs = Math.min(oldestMs, attempt?.sentMs ?? oldestMs);
    // If all had ended, the next one has set a timer of its own.
    if (cancel !== checking) return;
    cancel = undefined;
    if (oldestMs < Number.POSITIVE_INFINITY) wakeAt(oldestMs + timeoutMs);
  };

  const wakeAt = (atMs: number) => {
    cancel = clock.schedule(Math.max(timerResolutionMs, atMs - clock.now()), () => void check());
  };

  return {
    get length() {
      return count;
    },
    /** Attempts that were sent before, the oldest first. */
    sentBefore: (ms: number): Attempt[] =>
      begun
        .filter((attempt): attempt is Attempt => attempt !== undefined && attempt.sentMs < ms)
        .sort((one, other) => one.sentMs - other.sentMs),
    begin(attempt: Attempt) {
      begun[attempt.connection] = attempt;
      count++;
      onChange();
      if (cancel === undefined) wakeAt(attempt.sentMs + timeoutMs);
    },
    end(attempt: Attempt) {
      begun[attempt.connection] = undefined;
      onChange();
      if (--count > 0) return;
      cancel?.();
      cancel = undefined;
    },
  };
}
