/** A batch holds what is sent in this time: many small batches would cost more than they carry. */
const batchMs = 2;
/** Shorter writes cannot be timed. */
const minWriteMs = 0.05;

/**
 * Decides how many events the next batch of the journal takes: as many as are expected to be sent while a batch and a
 * half are written, so that events seldom wait for the disk and a kill leaves few that were perhaps sent.
 */
export function createBatchSize() {
  /** Attempts that were sent while the last batches were written, and how long that took. */
  let sentDuringWrite = 1;
  let writeMs = batchMs;
  /** Attempts that were sent since the last batch was written, and when that was. */
  let sent = 0;
  let sinceMs = Number.NEGATIVE_INFINITY;
  let isStarved = false;

  return {
    /** How many events to stage now; 0 if enough are staged. */
    wanted(staged: number, allowed: number): number {
      // The batch would be small if more than a quarter of what may be sent were staged.
      const low = Math.min(Math.ceil(sentDuringWrite), Math.ceil(allowed / 4));
      if (staged >= Math.max(1, low)) return 0;
      const aBatch = sentDuringWrite * Math.max(1, batchMs / writeMs);
      const wanted = Math.max(2, Math.ceil(sentDuringWrite / 2 + aBatch));
      return Math.max(1, Math.min(wanted, allowed) - staged);
    },
    sent() {
      sent++;
    },
    /** While a batch was being written, one more attempt could have been sent, and no event was staged. */
    starved() {
      isStarved = true;
    },
    written(beganMs: number, endedMs: number) {
      const durationMs = Math.max(endedMs - beganMs, minWriteMs);
      writeMs += (durationMs - writeMs) / 4;
      const measured = sent * Math.min(1, durationMs / Math.max(minWriteMs, endedMs - sinceMs));
      // One slow write says little about the next: larger batches would only be perhaps sent for longer.
      const during = Math.min(measured, 1.5 * sentDuringWrite + 1);
      // If events could have been sent but none was staged, more would have been sent.
      sentDuringWrite += (during * (isStarved ? 1.5 : 1) - sentDuringWrite) / 4;
      sinceMs = endedMs;
      sent = 0;
      isStarved = false;
    },
  };
}
