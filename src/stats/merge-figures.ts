import { sum } from "../model/quantities.ts";
import { type RunFigures, seriesNames } from "../model/run-figures.ts";
import { createAnswerCounts, createKindCounts } from "./answer-counts.ts";
import { createLatencies } from "./latencies.ts";
import { longestOf } from "./pauses.ts";
import { createTimeSeries, narrowestMs } from "./time-series.ts";

/**
 * Merges the figures of runs that sent side by side, such as the shards of an import. Amounts are added over
 * wall-clock time, from the beginning of the first run to the end of the last: those of a bucket where it begins. A
 * run that was resumed counts nothing while it stood still.
 */
export function mergeFigures(runs: readonly RunFigures[]): RunFigures {
  const starts = runs.map(({ parts }) => Date.parse(parts[0]?.started_at ?? ""));
  const originMs = Math.min(...starts);
  const clocks = runs.map((run) => wallClockOf(run, originMs));
  const endMs = Math.max(0, ...runs.map((run, at) => clocks[at]?.(run.series.duration_ms) ?? 0));

  // Narrower than those of a run, buckets would show what nobody measured.
  const firstBucketMs = Math.max(narrowestMs, ...runs.map(({ series }) => series.bucket_ms));
  const merged = createTimeSeries(undefined, firstBucketMs);
  runs.forEach(({ series }, at) => {
    series.attempts.forEach((_, bucket) => {
      const amounts = merged.at(clocks[at]?.(bucket * series.bucket_ms) ?? 0);
      for (const name of seriesNames) {
        const value = series[name][bucket] ?? 0;
        if (name === "longest_latency_ms") amounts[name] = Math.max(amounts[name], value);
        // Of runs side by side, each is a part of what stands still.
        else amounts[name] += name.startsWith("paused_") ? value / runs.length : value;
      }
    });
  });

  const first = runs[starts.indexOf(originMs)]?.parts[0]?.started_at ?? "";
  return {
    parts: [{ started_at: first, at_ms: 0 }],
    series: merged.copy(Math.round(endMs)),
    latency: createLatencies(...runs.map(({ latency }) => latency)).figures(),
    pauses: {
      count: sum(runs.map(({ pauses }) => pauses.count)),
      longest: longestOf(
        runs.flatMap(({ pauses }, at) =>
          pauses.longest.map((pause) => ({
            ...pause,
            at_ms: Math.round(clocks[at]?.(pause.at_ms) ?? pause.at_ms),
          })),
        ),
      ),
    },
    answers: createAnswerCounts(...runs.map(({ answers }) => answers)).figures(),
    kinds: createKindCounts(...runs.map(({ kinds }) => kinds)).figures(),
  };
}

/** Turns a time of a run's figures, which leave out where it stood still, into one since the origin. */
function wallClockOf({ parts }: RunFigures, originMs: number): (ms: number) => number {
  const starts = parts.map(({ started_at, at_ms }) => ({
    fromMs: at_ms,
    wallMs: Date.parse(started_at) - originMs,
  }));
  return (ms) => {
    const part = starts.findLast(({ fromMs }) => fromMs <= ms) ?? starts[0];
    return part === undefined ? ms : Math.max(0, part.wallMs + ms - part.fromMs);
  };
}
