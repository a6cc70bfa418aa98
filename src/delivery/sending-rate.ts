/**
 * Measures a rate as the AWS SDKs do: counts in half seconds, of which the latest weighs most. Where
 * nothing happens for a while, the next count is over all of that time, so that rates below one a
 * second come out right too.
 */
export interface SendingRate {
  count(now: number): void;
  /** A second; at first over the time since the first one. */
  perSecond(now: number): number;
}

const bucketMs = 500;
const weightOfLatest = 0.8;
/** Over less than this, a handful that left at once would look like a high rate. */
const leastMs = 250;

export function createSendingRate(): SendingRate {
  let startedMs: number | undefined;
  let bucketStartMs = 0;
  let counted = 0;
  let smoothed: number | undefined;

  const close = (now: number) => {
    const elapsedMs = now - bucketStartMs;
    if (elapsedMs < bucketMs) return;
    const latest = (counted * 1000) / elapsedMs;
    smoothed =
      smoothed === undefined ? latest : latest * weightOfLatest + smoothed * (1 - weightOfLatest);
    bucketStartMs = now;
    counted = 0;
  };

  return {
    count(now) {
      if (startedMs === undefined) {
        startedMs = now;
        bucketStartMs = now;
      }
      close(now);
      counted++;
    },
    perSecond(now) {
      close(now);
      if (smoothed !== undefined) return smoothed;
      return (counted * 1000) / Math.max(leastMs, now - bucketStartMs);
    },
  };
}
