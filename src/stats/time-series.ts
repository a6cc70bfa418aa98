import { sum } from "../model/quantities.ts";
import { maxBuckets, type SeriesName, seriesNames, type TimeSeries } from "../model/run-figures.ts";

/** What is counted in a bucket. */
export type Amounts = Record<SeriesName, number>;

export const narrowestMs = 100;
const nothing = Object.fromEntries(seriesNames.map((name) => [name, 0])) as Amounts;

/**
 * Amounts over time, which count from the beginning of the series. It takes the same memory however long it runs: when
 * all buckets are in use, they become twice as wide, and two neighbours become one.
 *
 * @param from a series to continue after its end
 */
export function createTimeSeries(
  from?: TimeSeries,
  firstBucketMs = narrowestMs,
  maxCount = maxBuckets,
) {
  let bucketMs = from?.bucket_ms ?? firstBucketMs;
  let buckets: Amounts[] = (from?.attempts ?? []).map((_, at) => {
    const amounts = { ...nothing };
    for (const name of seriesNames) amounts[name] = from?.[name][at] ?? 0;
    return amounts;
  });

  const widen = () => {
    const narrow = buckets;
    buckets = narrow.filter((_, at) => at % 2 === 0);
    buckets.forEach((one, at) => {
      const other = narrow[2 * at + 1] ?? nothing;
      const longest = Math.max(one.longest_latency_ms, other.longest_latency_ms);
      for (const name of seriesNames) one[name] += other[name];
      one.longest_latency_ms = longest; // all others are sums
    });
    bucketMs *= 2;
  };
  const at = (ms: number): Amounts => {
    while (ms >= bucketMs * maxCount) widen();
    const bucket = Math.floor(ms / bucketMs);
    while (buckets.length <= bucket) buckets.push({ ...nothing });
    return buckets[bucket] as Amounts;
  };

  return {
    /** The amounts of the bucket that a time is in; valid until a later time is asked for. */
    at,
    /** Calls `add` for each bucket between two times, with how much of that time is in it. */
    spread(fromMs: number, toMs: number, add: (amounts: Amounts, ms: number) => void) {
      at(toMs); // from here on, the buckets have their width
      for (let beginMs = fromMs; beginMs < toMs; ) {
        const endMs = Math.min(toMs, (Math.floor(beginMs / bucketMs) + 1) * bucketMs);
        add(at(beginMs), endMs - beginMs);
        beginMs = endMs;
      }
    },
    total: (name: SeriesName) => sum(buckets.map((amounts) => amounts[name])),
    copy(durationMs: number): TimeSeries {
      at(durationMs);
      const copies = seriesNames.map((name) => [
        name,
        buckets.map((amounts) => Math.round(amounts[name] * 10) / 10),
      ]);
      return { bucket_ms: bucketMs, duration_ms: durationMs, ...Object.fromEntries(copies) };
    },
  };
}
