import { type Clock, endOfTurn, isoTime } from "../model/clock.ts";
import type { Outcome } from "../model/outcome.ts";
import type { AttemptsSoFar, Intent } from "../model/run-record.ts";
import type { StopSignal } from "../model/stop.ts";
import type { CircuitBreaker } from "./circuit-breaker.ts";
import type { ConcurrencyLimiter } from "./concurrency-limiter.ts";
import { Fifo } from "./fifo.ts";
import type { PendingEvent } from "./pending-event.ts";

/** Records what is about to be sent and what became of it, in batches. */
export interface DeliveryJournal {
  /** Adds to the next batch. */
  intend(intent: Intent): void;
  /** The attempt is over, and its event has no outcome yet. */
  attempted(soFar: AttemptsSoFar): void;
  settle(rowOfRun: number, outcome: Outcome): void;
  /** The service asks the run to wait until then, in epoch milliseconds. */
  waitUntil(epochMs: number): void;
  /**
   * Writes what was added since the last batch.
   *
   * @param hasIntents whether events wait for it
   * @returns whether those may be sent: not if the journal cannot be written, or has no room for more
   */
  write(hasIntents: boolean): Promise<boolean>;
}

/**
 * Stages events: puts their intents into batches of the journal, as far ahead as sending needs. While the events
 * of one batch are sent, the next batch is written.
 */
export interface Staging {
  /** Events whose intents are in the journal, so that they may be sent. */
  readonly staged: Fifo<PendingEvent>;
  /** Begins the next batch if few events are staged. */
  stageMore(): void;
  /** Something was added to the journal that no event waits for: it is written soon. */
  recordSoon(): void;
  /** Staged events are no longer sent, and the journal says so. */
  withdraw(): void;
  /** An attempt was sent. */
  sent(): void;
  /** One more attempt could be sent, and no event is staged. */
  starved(): void;
  /** Whether a batch is being written. */
  readonly isWriting: boolean;
  close(): void;
}

export interface StagingPorts {
  readonly clock: Clock;
  readonly stop: StopSignal;
  readonly journal: DeliveryJournal;
  readonly breaker: CircuitBreaker;
  readonly concurrency: ConcurrencyLimiter;
  /** Whether the service has answered: until then, one event is sent alone. */
  readonly isAnswered: () => boolean;
  /** How many attempts hold a concurrency permit, or wait for one. */
  readonly permits: () => number;
  /** Whether events wait to be staged. */
  readonly hasNext: () => boolean;
  /** Takes the next event to stage; undefined if none may be staged now. */
  readonly next: () => PendingEvent | undefined;
  /** More events are staged. */
  readonly onStaged: () => void;
  /** No batch is being written any more. */
  readonly onIdle: () => void;
}

/** A batch holds what is sent in this time: many small batches would cost more than they carry. */
const batchMs = 0.5;
/** Shorter writes cannot be timed. */
const minWriteMs = 0.05;
/** Outcomes that no event waits for are written after this long. */
const recordOutcomesMs = 10;

export function createStaging(ports: StagingPorts): Staging {
  const { clock, stop, journal, breaker, concurrency } = ports;
  const staged = new Fifo<PendingEvent>();
  /** Events of the batch that is being written. */
  let batch: readonly PendingEvent[] = [];
  let isWriting = false;
  /** Whether the next batch holds anything beside intents. */
  let hasOutcomes = false;
  let cancelOutcomeTimer: (() => void) | undefined;

  /** Attempts that were sent while the last batches were written, and how long that took. */
  let sentDuringWrite = 1;
  let writeMs = batchMs;
  let sentSinceStaged = 0;
  /** Whether an event could have been sent and none was staged. */
  let isStarved = false;

  /**
   * If fewer events are staged, the next batch begins: as many as are sent while it is written, but no more than
   * a quarter of what may be staged, as the batch would be small.
   */
  const lowWater = () =>
    Math.max(1, Math.min(Math.ceil(sentDuringWrite), Math.ceil(concurrency.allowed / 4)));

  /** As many as are sent while two batches are written, or while one is and a little longer. */
  const highWater = () => {
    const aBatch = sentDuringWrite * Math.max(1, batchMs / writeMs);
    return Math.min(Math.max(2, Math.ceil(sentDuringWrite + aBatch)), concurrency.allowed);
  };

  const mayStage = (): number => {
    if (stop.aborted) return 0;
    if (!breaker.isClosed) return breaker.allows() && staged.length === 0 ? 1 : 0;
    if (!ports.isAnswered()) return staged.length + ports.permits() === 0 ? 1 : 0;
    return staged.length < lowWater() ? highWater() - staged.length : 0;
  };

  const stageMore = () => {
    if (isWriting) return;
    if (mayStage() > 0 && ports.hasNext()) void writeBatches();
  };

  const writeBatches = async () => {
    isWriting = true;
    // Everything that is ready now goes into one batch. Otherwise the first event would get a write of its own,
    // and the others would wait for it.
    await endOfTurn();
    for (;;) {
      batch = nextBatch();
      if (batch.length === 0 && !hasOutcomes) break;
      hasOutcomes = false;
      sentSinceStaged = 0;
      isStarved = false;
      const startedMs = clock.now();
      const maySend = await journal.write(batch.length > 0);
      // If events could have been sent but none was staged, more would have been sent.
      if (batch.length > 0) {
        writeMs += (Math.max(clock.now() - startedMs, minWriteMs) - writeMs) / 4;
        sentDuringWrite += (sentSinceStaged * (isStarved ? 1.5 : 1) - sentDuringWrite) / 4;
      }
      for (const event of batch) staged.push(event);
      batch = [];
      // The journal may hold a batch that must not be sent: what is written stays written.
      if (!maySend || stop.aborted) withdraw();
      ports.onStaged();
      if (mayStage() === 0 || !ports.hasNext()) break;
    }
    isWriting = false;
    if (hasOutcomes) recordSoon();
    ports.onIdle();
  };

  /** Puts the intents of the next events into the journal's batch. */
  const nextBatch = (): readonly PendingEvent[] => {
    const count = mayStage();
    if (count <= 0) return [];
    const importedAt = isoTime(clock.date());
    const events: PendingEvent[] = [];
    while (events.length < count) {
      const event = ports.next();
      if (event === undefined) break;
      if (event.importedAt === "") event.importedAt = importedAt;
      event.isIntended = true;
      journal.intend({
        rowOfRun: event.row.rowOfRun,
        event: event.event.index,
        attempt: event.attempts + 1,
        unanswered: event.unanswered,
        importedAt: event.importedAt,
      });
      events.push(event);
    }
    return events;
  };

  const recordSoon = () => {
    hasOutcomes = true;
    if (isWriting || cancelOutcomeTimer !== undefined) return;
    cancelOutcomeTimer = clock.schedule(recordOutcomesMs, () => {
      cancelOutcomeTimer = undefined;
      if (hasOutcomes && !isWriting) void writeBatches();
    });
  };

  const withdraw = () => {
    if (staged.length === 0) return;
    for (const event of staged.drain()) {
      event.isIntended = false;
      journal.attempted(event.soFar());
    }
    recordSoon();
  };

  return {
    staged,
    stageMore,
    recordSoon,
    withdraw,
    sent() {
      sentSinceStaged++;
    },
    starved() {
      if (batch.length > 0) isStarved = true;
    },
    get isWriting() {
      return isWriting;
    },
    close() {
      cancelOutcomeTimer?.();
    },
  };
}
