import { type SeriesName, seriesNames, type TimeSeries } from "../model/run-figures.ts";

/** Amounts over time in a bounded number of buckets. Times count from the beginning of the series. */
export interface RunningSeries {
  add(name: SeriesName, atMs: number, amount: number): void;
  /** Adds `weight` for each millisecond from one time to another. */
  spread(name: SeriesName, fromMs: number, toMs: number, weight: number): void;
  /** Keeps the largest value of a bucket. */
  peak(name: SeriesName, atMs: number, value: number): void;
  /** The series so far, rounded. */
  copy(durationMs: number): TimeSeries;
}

export interface SeriesSettings {
  readonly maxBuckets: number;
  readonly firstBucketMs: number;
  /** A series to continue after its end. */
  readonly from?: TimeSeries | undefined;
}

/** All others are sums. */
const isPeak = (name: SeriesName) => name === "longest_latency_ms";

/**
 * Creates a series that takes the same memory however long it runs: when all buckets are in use, they
 * become twice as wide, and two neighbours become one.
 */
export function createTimeSeries({
  maxBuckets,
  firstBucketMs,
  from,
}: SeriesSettings): RunningSeries {
  const values = Object.fromEntries(
    seriesNames.map((name) => [name, new Float64Array(maxBuckets)]),
  ) as Record<SeriesName, Float64Array>;
  let bucketMs = from?.bucket_ms ?? firstBucketMs;
  for (const name of seriesNames) values[name].set(from?.[name] ?? []);

  const widen = () => {
    for (const name of seriesNames) {
      const buckets = values[name];
      for (let at = 0; at < maxBuckets; at++) {
        const [one, other] = [buckets[2 * at] ?? 0, buckets[2 * at + 1] ?? 0];
        buckets[at] = isPeak(name) ? Math.max(one, other) : one + other;
      }
    }
    bucketMs *= 2;
  };
  const bucketOf = (atMs: number) => {
    while (atMs >= bucketMs * maxBuckets) widen();
    return Math.floor(atMs / bucketMs);
  };
  const add = (name: SeriesName, bucket: number, amount: number) => {
    values[name][bucket] = (values[name][bucket] ?? 0) + amount;
  };

  return {
    add: (name, atMs, amount) => add(name, bucketOf(atMs), amount),
    spread(name, fromMs, toMs, weight) {
      const last = bucketOf(toMs);
      let at = fromMs;
      for (let bucket = bucketOf(fromMs); bucket <= last; bucket++) {
        const until = Math.min(toMs, (bucket + 1) * bucketMs);
        add(name, bucket, (until - at) * weight);
        at = until;
      }
    },
    peak(name, atMs, value) {
      const bucket = bucketOf(atMs);
      values[name][bucket] = Math.max(values[name][bucket] ?? 0, value);
    },
    copy(durationMs) {
      const used = Math.min(maxBuckets, bucketOf(durationMs) + 1);
      const copies = seriesNames.map((name) => [
        name,
        Array.from(values[name].subarray(0, used), (value) => Math.round(value * 10) / 10),
      ]);
      return { bucket_ms: bucketMs, duration_ms: durationMs, ...Object.fromEntries(copies) };
    },
  };
}
