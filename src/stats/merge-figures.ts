import { sum } from "../model/quantities.ts";
import { type RunFigures, type SeriesName, seriesNames } from "../model/run-figures.ts";
import { addAnswers, createKindCounts } from "./answer-counts.ts";
import { createLatencies } from "./latencies.ts";
import { longestOf } from "./pauses.ts";
import { createTimeSeries } from "./time-series.ts";

const maxBuckets = 600;
const minBucketMs = 100;

/**
 * Merges the figures of runs that sent side by side, such as the shards of an import. Amounts are added over
 * wall-clock time, from the beginning of the first run to the end of the last. A run that was resumed counts
 * nothing while it stood still.
 *
 * @returns undefined if there is none, or a time cannot be read
 */
export function mergeFigures(runs: readonly RunFigures[]): RunFigures | undefined {
  const starts = runs.map(({ parts }) => Date.parse(parts[0]?.started_at ?? ""));
  const originMs = Math.min(...starts);
  const clocks = runs.map((run) => wallClockOf(run, originMs));
  const endMs = Math.max(0, ...runs.map((run, at) => clocks[at]?.(run.series.duration_ms) ?? 0));
  if (!Number.isFinite(originMs) || !Number.isFinite(endMs)) return undefined;

  // Narrower than those of a run, buckets would show what nobody measured.
  let bucketMs = Math.max(minBucketMs, ...runs.map(({ series }) => series.bucket_ms));
  while (endMs >= bucketMs * maxBuckets) bucketMs *= 2;
  const merged = createTimeSeries({ maxBuckets, firstBucketMs: bucketMs });
  runs.forEach(({ series, parts }, at) => {
    const clock = clocks[at] ?? ((ms: number) => ms);
    const boundaries = parts.map(({ at_ms }) => at_ms);
    series.attempts.forEach((_, bucket) => {
      const shares = sharesOf(
        bucket * series.bucket_ms,
        Math.min(series.duration_ms, (bucket + 1) * series.bucket_ms),
        boundaries,
        clock,
        bucketMs,
      );
      for (const name of seriesNames) {
        const value = series[name][bucket] ?? 0;
        if (value === 0) continue;
        if (name === "longest_latency_ms") {
          for (const { atMs } of shares) {
            const amounts = merged.at(atMs);
            amounts[name] = Math.max(amounts[name], value);
          }
        } else {
          // Of runs side by side, each is a part of what stands still.
          const amount = name.startsWith("paused_") ? value / runs.length : value;
          divide(amount, shares, isCount(name), (atMs, part) => {
            merged.at(atMs)[name] += part;
          });
        }
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
    answers: addAnswers(runs.map(({ answers }) => answers)),
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

/** Which share of a bucket's amounts belongs to a bucket of the merged series. */
interface Share {
  /** The beginning of that bucket. */
  readonly atMs: number;
  readonly share: number;
}

/** @param boundaries at which the run was resumed: there, its bucket falls apart */
function sharesOf(
  fromMs: number,
  toMs: number,
  boundaries: readonly number[],
  clock: (ms: number) => number,
  bucketMs: number,
): Share[] {
  const bucketOf = (ms: number) => Math.floor(ms / bucketMs) * bucketMs;
  // A run may end just as a bucket begins.
  if (toMs <= fromMs) return [{ atMs: bucketOf(clock(fromMs)), share: 1 }];
  const shares: Share[] = [];
  const cuts = [fromMs, ...boundaries.filter((ms) => ms > fromMs && ms < toMs), toMs];
  for (let at = 0; at + 1 < cuts.length; at++) {
    const [begin = 0, end = 0] = [cuts[at], cuts[at + 1]];
    let wallMs = clock(begin);
    const endMs = wallMs + end - begin;
    while (wallMs < endMs) {
      const atMs = bucketOf(wallMs);
      const until = Math.min(endMs, atMs + bucketMs);
      shares.push({ atMs, share: (until - wallMs) / (toMs - fromMs) });
      wallMs = until;
    }
  }
  return shares;
}

/** Divides an amount so that its parts add up to it, those of a count being whole. */
function divide(
  amount: number,
  shares: readonly Share[],
  isWhole: boolean,
  add: (atMs: number, part: number) => void,
): void {
  let [shared, given] = [0, 0];
  shares.forEach(({ atMs, share }, at) => {
    shared += share;
    const reached = at === shares.length - 1 ? amount : amount * shared;
    const part = (isWhole ? Math.round(reached) : reached) - given;
    given += part;
    if (part !== 0) add(atMs, part);
  });
}

function isCount(name: SeriesName): boolean {
  return !name.endsWith("_ms");
}
