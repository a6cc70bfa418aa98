import { sum } from "../model/quantities.ts";
import { type SeriesName, seriesNames, type TimeSeries } from "../model/run-figures.ts";

/** A stretch of time as charts and tables show it. */
export type Point = {
  readonly fromMs: number;
  readonly toMs: number;
} & { readonly [name in SeriesName]: number };

/**
 * The same series in so many stretches at most, each of several neighbours. A rest that is shorter than
 * half of one belongs to the one before: what ends in its few milliseconds would look like a peak.
 */
export function seriesPoints(series: TimeSeries, most: number): Point[] {
  const { bucket_ms: bucketMs, duration_ms: durationMs } = series;
  const buckets = series.attempts.length;
  const each = Math.max(1, Math.ceil(buckets / most));
  const points: Point[] = [];
  for (let first = 0; first < buckets; ) {
    const restFrom = first + each;
    const isBeforeShortRest =
      restFrom < buckets &&
      restFrom + each >= buckets &&
      durationMs - restFrom * bucketMs < (each * bucketMs) / 2;
    const end = isBeforeShortRest ? buckets : Math.min(buckets, restFrom);
    const values = seriesNames.map((name) => {
      const part = series[name].slice(first, end);
      return [name, name === "longest_latency_ms" ? Math.max(...part) : sum(part)];
    });
    const toMs = Math.min(durationMs, end * bucketMs);
    const fromMs = first * bucketMs;
    // Where it ends just as a stretch begins, what happened in that moment belongs to it.
    points.push({
      fromMs,
      toMs: Math.max(toMs, fromMs + 1),
      ...Object.fromEntries(values),
    } as Point);
    first = end;
  }
  return points;
}

/** So many in a second. */
export function perSecond({ fromMs, toMs }: Point, amount: number): number {
  return (amount * 1000) / (toMs - fromMs);
}

/** The mean over the stretch of what is kept times how long. */
export function meanOver({ fromMs, toMs }: Point, amountMs: number): number {
  return amountMs / (toMs - fromMs);
}

export function pausedMs(point: Point): number {
  return point.paused_asked_ms + point.paused_outage_ms;
}
