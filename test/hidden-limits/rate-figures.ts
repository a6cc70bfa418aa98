import { factorAt, type HiddenLimit } from "./hidden-limit.ts";
import type { Contender, Scenario } from "./scenarios.ts";
import { type Slice, sliceMs } from "./service-counts.ts";

/** What is left out at the beginning, and after a limit has changed. */
const settlingS = 10;
const leastUsed = 0.9;
const mostRefused = 0.03;

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
  readonly meets_target: boolean;
  /** The same with what was refused in the first ten seconds. */
  readonly meets_target_from_start: boolean;
}

export interface RateRow {
  readonly scenario: Scenario;
  readonly contender: Contender;
  readonly figures: RateFigures;
  /** Why the run ended before its time, where it did. */
  readonly stopped?: string | undefined;
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
  const isUsed =
    settled.used >= leastUsed && (afterChange === undefined || afterChange.used >= leastUsed);
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
    meets_target: isUsed && settled.refused <= mostRefused,
    meets_target_from_start: isUsed && all.refused <= mostRefused,
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

const columns: readonly (readonly [string, (row: RateRow) => string])[] = [
  ["hidden limit", ({ scenario }) => scenario.title],
  ["sent by", ({ contender }) => contender.title],
  ["used", ({ figures }) => percent(figures.used)],
  ["used after change", ({ figures }) => percent(figures.used_after_change)],
  ["used from start", ({ figures }) => percent(figures.used_from_start)],
  ["refused", ({ figures }) => percent(figures.refused)],
  ["refused from start", ({ figures }) => percent(figures.refused_from_start)],
  ["latency", ({ figures }) => latency(figures)],
  ["most in flight", ({ figures }) => String(figures.most_in_flight)],
  ["target", ({ figures, stopped }) => stopped ?? target(figures)],
];

/** A table for people; `used` and `refused` are those after the first ten seconds. */
export function rateTable(rows: readonly RateRow[]): string {
  const lines = [
    columns.map(([title]) => title),
    ...rows.map((row) => columns.map(([, cell]) => cell(row))),
  ];
  const widths = columns.map((_, column) =>
    Math.max(...lines.map((line) => (line[column] ?? "").length)),
  );
  const shown = lines.map((line) =>
    line
      .map((cell, column) =>
        column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  "),
  );
  return `${shown.join("\n")}\n`;
}

/** What a service saw in each second. */
export function rateTrace(slices: readonly Slice[]): string {
  const perSecond = 1000 / sliceMs;
  const lines = ["second  accepted  refused  most in flight"];
  for (let second = 0; second * perSecond < slices.length; second++) {
    const part = slices.slice(second * perSecond, (second + 1) * perSecond);
    const sum = (name: keyof Slice) => part.reduce((total, slice) => total + slice[name], 0);
    const most = part.reduce((most, slice) => Math.max(most, slice.mostInFlight), 0);
    const cells = [String(second).padStart(6), String(sum("accepted")).padStart(8)];
    cells.push(String(sum("refused")).padStart(7), String(most).padStart(14));
    lines.push(cells.join("  "));
  }
  return `${lines.join("\n")}\n`;
}

function percent(share: number | undefined): string {
  return share === undefined ? "" : `${(share * 100).toFixed(1)} %`;
}

function latency({ latency_ms, latency_multiple }: RateFigures): string {
  if (!Number.isFinite(latency_ms)) return "";
  const multiple = latency_multiple === undefined ? "" : ` (x${latency_multiple.toFixed(1)})`;
  return `${latency_ms.toFixed(1)} ms${multiple}`;
}

function target({ meets_target, meets_target_from_start }: RateFigures): string {
  if (meets_target_from_start) return "met";
  return meets_target ? "met after 10 s" : "missed";
}
