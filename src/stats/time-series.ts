import { type SeriesName, seriesNames, type TimeSeries } from "../model/run-figures.ts";

/** Adds up what happens over time, in a bounded number of buckets. Times are from its beginning. */
export interface RunningSeries {
  add(name: SeriesName, atMs: number, amount: number): void;
  /** Adds `weight` for each millisecond of a stretch of time. */
  spread(name: SeriesName, fromMs: number, toMs: number, weight: number): void;
  /** Keeps the largest of the bucket. */
  peak(name: SeriesName, atMs: number, value: number): void;
  /** What there is so far, rounded. */
  copy(durationMs: number): TimeSeries;
}

export interface SeriesSettings {
  readonly mostBuckets: number;
  readonly firstBucketMs: number;
  /** To continue, behind its end. */
  readonly from?: TimeSeries | undefined;
}

/** Nothing but this one is no sum. */
const isPeak = (name: SeriesName) => name === "longest_latency_ms";

/**
 * A series that takes the same memory however long it goes on: when all buckets are in use, they
 * become twice as wide, and two neighbours one.
 */
export function createTimeSeries({
  mostBuckets,
  firstBucketMs,
  from,
}: SeriesSettings): RunningSeries {
  const values = Object.fromEntries(
    seriesNames.map((name) => [name, new Float64Array(mostBuckets)]),
  ) as Record<SeriesName, Float64Array>;
  let bucketMs = from?.bucket_ms ?? firstBucketMs;
  for (const name of seriesNames) values[name].set(from?.[name] ?? []);

  const widen = () => {
    for (const name of seriesNames) {
      const of = values[name];
      for (let at = 0; at < mostBuckets; at++) {
        const [one, other] = [of[2 * at] ?? 0, of[2 * at + 1] ?? 0];
        of[at] = isPeak(name) ? Math.max(one, other) : one + other;
      }
    }
    bucketMs *= 2;
  };
  const bucketOf = (atMs: number) => {
    while (atMs >= bucketMs * mostBuckets) widen();
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
      const used = Math.min(mostBuckets, bucketOf(durationMs) + 1);
      const copies = seriesNames.map((name) => [
        name,
        Array.from(values[name].subarray(0, used), (value) => Math.round(value * 10) / 10),
      ]);
      return { bucket_ms: bucketMs, duration_ms: durationMs, ...Object.fromEntries(copies) };
    },
  };
}
