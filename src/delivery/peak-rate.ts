/**
 * The highest rate seen so far. While the traffic still grows, a mean over it would tell of what it
 * was, and not of what the service has just taken.
 */
export interface PeakRate {
  count(now: number): void;
  /** A second. */
  perSecond(now: number): number;
}

const bucketMs = 100;
/** Before a first bucket is full, a handful that ended at once would look like a high rate. */
const leastMs = 250;

export function createPeakRate(): PeakRate {
  let bucketStartMs: number | undefined;
  let counted = 0;
  let peak: number | undefined;

  const close = (now: number) => {
    bucketStartMs ??= now;
    const elapsedMs = now - bucketStartMs;
    if (elapsedMs < bucketMs) return;
    peak = Math.max(peak ?? 0, (counted * 1000) / elapsedMs);
    bucketStartMs = now;
    counted = 0;
  };

  return {
    count(now) {
      close(now);
      counted++;
    },
    perSecond(now) {
      close(now);
      return peak ?? (counted * 1000) / Math.max(leastMs, now - (bucketStartMs ?? now));
    },
  };
}
