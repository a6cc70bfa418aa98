/**
 * Decides how many events the next batch of the journal takes: as many as are expected to be sent while a batch or two
 * are written, so that events seldom wait for the disk and a kill leaves few of them in doubt.
 */
export interface BatchSize {
  /** How many events to stage now; 0 if enough are staged. */
  wanted(staged: number, allowed: number): number;
  /** An attempt was sent. */
  sent(): void;
  /** While a batch was being written, one more attempt could have been sent, and no event was staged. */
  starved(): void;
  /** Writing the batch took so long. */
  written(durationMs: number): void;
}

/** A batch holds what is sent in this time: many small batches would cost more than they carry. */
const batchMs = 0.5;
/** Shorter writes cannot be timed. */
const minWriteMs = 0.05;

export function createBatchSize(): BatchSize {
  /** Attempts that were sent from one batch to the next, and how long writing took. */
  let sentPerBatch = 1;
  let writeMs = batchMs;
  /** Attempts that were sent since the last batch was written. */
  let sent = 0;
  let isStarved = false;

  return {
    wanted(staged, allowed) {
      // The batch would be small if more than a quarter of what may be sent were staged.
      const low = Math.min(Math.ceil(sentPerBatch), Math.ceil(allowed / 4));
      if (staged >= Math.max(1, low)) return 0;
      const aBatch = sentPerBatch * Math.max(1, batchMs / writeMs);
      return Math.min(Math.max(2, Math.ceil(sentPerBatch + aBatch)), allowed) - staged;
    },
    sent() {
      sent++;
    },
    starved() {
      isStarved = true;
    },
    written(durationMs) {
      writeMs += (Math.max(durationMs, minWriteMs) - writeMs) / 4;
      // If events could have been sent but none was staged, more would have been sent.
      sentPerBatch += (sent * (isStarved ? 1.5 : 1) - sentPerBatch) / 4;
      sent = 0;
      isStarved = false;
    },
  };
}
