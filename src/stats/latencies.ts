import { createRequire } from "node:module";
import type { LatencyFigures } from "../model/run-figures.ts";

const unitsPerMs = 10;
/** A day: an attempt may not take longer. */
const maxLatencyMs = 86_400_000;

/**
 * Measures how long answers took. Memory does not grow with their number.
 *
 * @param from the figures of earlier parts of the run, to continue, or of several runs, to merge
 */
export function createLatencies(...from: readonly (LatencyFigures | undefined)[]) {
  let made: ReturnType<typeof createHistogram> | undefined;
  const histogram = () => {
    made ??= createHistogram();
    return made;
  };
  let sumMs = 0;
  let minMs = Number.POSITIVE_INFINITY;
  let maxMs = 0;
  for (const earlier of from) {
    const decoded =
      earlier === undefined || earlier.answers === 0 ? undefined : decode(earlier.histogram);
    if (earlier === undefined || decoded === undefined) continue;
    histogram().add(decoded);
    sumMs += earlier.mean_ms * earlier.answers;
    minMs = Math.min(minMs, earlier.min_ms);
    maxMs = Math.max(maxMs, earlier.max_ms);
  }

  return {
    add(durationMs: number) {
      const ms = Math.min(maxLatencyMs, Math.max(0, durationMs));
      histogram().recordValue(Math.max(1, Math.round(ms * unitsPerMs)));
      sumMs += ms;
      if (ms < minMs) minMs = ms;
      if (ms > maxMs) maxMs = ms;
    },
    figures(): LatencyFigures {
      const answers = made?.totalCount ?? 0;
      // The histogram gives the upper end of a range, which may be above the maximum.
      const percentile = (share: number) =>
        toTenths(Math.min(maxMs, (made?.getValueAtPercentile(share) ?? 0) / unitsPerMs));
      return {
        answers,
        min_ms: answers === 0 ? 0 : toTenths(minMs),
        mean_ms: answers === 0 ? 0 : Math.round((sumMs / answers) * 1000) / 1000,
        p50_ms: percentile(50),
        p95_ms: percentile(95),
        p99_ms: percentile(99),
        max_ms: toTenths(maxMs),
        histogram: made === undefined ? "" : hdr().encodeIntoCompressedBase64(made),
      };
    },
  };
}

/** Loaded for the first answer: it takes an eighth of a start. */
function hdr(): typeof import("hdr-histogram-js") {
  return createRequire(import.meta.url)("hdr-histogram-js");
}

function createHistogram() {
  return hdr().build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: maxLatencyMs * unitsPerMs,
    numberOfSignificantValueDigits: 2,
    bitBucketSize: 32,
    useWebAssembly: false,
  });
}

function toTenths(ms: number): number {
  return Math.round(ms * 10) / 10;
}

/** Undefined if somebody has edited the manifest. */
function decode(text: string) {
  try {
    return hdr().decodeFromCompressedBase64(text, 32, false);
  } catch {
    return undefined;
  }
}
