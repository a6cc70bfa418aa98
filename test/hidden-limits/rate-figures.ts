import { factorAt, type HiddenLimit } from "./hidden-limit.ts";
import type { Scenario } from "./scenarios.ts";
import { type Slice, sliceMs } from "./service-counts.ts";

/** What is left out at the beginning, and after a limit has changed. */
const settlingS = 10;

/** Shares are of 1; those without `_from_start` leave the first ten seconds out. */
export interface RateFigures {
  readonly used: number;
  /** From ten seconds after the limit has changed. */
  readonly used_after_change: number | undefined;
  readonly used_from_start: number;
  readonly refused: number;
  readonly refused_from_start: number;
  /** Mean time that the service took for a request that it did not refuse. */
  readonly latency_ms: number;
  /** Of what it takes where nothing stands in line. */
  readonly latency_multiple: number | undefined;
  readonly most_in_flight: number;
  readonly accepted: number;
}

/** Compares what a service saw with what it would have allowed. */
export function rateFigures(
  { limit }: Scenario,
  slices: readonly Slice[],
  seconds: number,
): RateFigures {
  const between = (fromS: number, toS: number) => {
    const part = slices.slice((fromS * 1000) / sliceMs, (toS * 1000) / sliceMs);
    const sum = (name: keyof Slice) => part.reduce((total, slice) => total + slice[name], 0);
    const meanLatencyMs = sum("latencySumMs") / sum("answered");
    return {
      used: sum("accepted") / allowedBetween(limit, fromS, toS, meanLatencyMs),
      refused: sum("received") === 0 ? 0 : sum("refused") / sum("received"),
      meanLatencyMs,
      mostInFlight: part.reduce((most, slice) => Math.max(most, slice.mostInFlight), 0),
    };
  };
  const all = between(0, seconds);
  const settled = between(settlingS, seconds);
  const changedAtS = limit.change?.atS;
  const afterChange =
    changedAtS === undefined || changedAtS + settlingS >= seconds
      ? undefined
      : between(changedAtS + settlingS, seconds);
  return {
    used: settled.used,
    used_after_change: afterChange?.used,
    used_from_start: all.used,
    refused: settled.refused,
    refused_from_start: all.refused,
    latency_ms: settled.meanLatencyMs,
    latency_multiple: limit.kind === "load" ? settled.meanLatencyMs / limit.latencyMs : undefined,
    most_in_flight: settled.mostInFlight,
    accepted: slices.reduce((total, { accepted }) => total + accepted, 0),
  };
}

function allowedBetween(
  limit: HiddenLimit,
  fromS: number,
  toS: number,
  meanLatencyMs: number,
): number {
  let allowed = 0;
  for (let atMs = fromS * 1000; atMs < toS * 1000; atMs += sliceMs) {
    allowed += (allowedPerSecond(limit, atMs, meanLatencyMs) * sliceMs) / 1000;
  }
  return allowed;
}

function allowedPerSecond(limit: HiddenLimit, atMs: number, meanLatencyMs: number): number {
  switch (limit.kind) {
    case "tokens":
    case "window":
      return limit.perSecond * factorAt(limit, atMs);
    // As long as a request takes its place is taken, and on a busy machine that is longer than told.
    case "in_flight":
      return (limit.places * factorAt(limit, atMs)) / (meanLatencyMs / 1000);
    case "load":
      return limit.servers / (limit.latencyMs / 1000);
    default:
      return limit satisfies never;
  }
}
