import { type Html, html } from "../model/look/html.ts";
import { duration, shortNumber, shortTime, sum } from "../model/quantities.ts";
import {
  type RunFigures,
  type SeriesName,
  seriesNames,
  type TimeSeries,
} from "../model/run-figures.ts";
import type { PauseReason } from "../model/sending-state.ts";
import type { Incident } from "./incidents.ts";

/** A chart; all are over the same time, one below the other. */
interface Panel {
  readonly title: string;
  /** Drawn in this order, one on top of the other. */
  readonly layers: readonly Layer[];
  readonly labelOf: (value: number) => string;
}

/** @returns undefined if there is no value */
type PointValue = (point: Point) => number | undefined;
/** The name gives it its colour (`style.ts`). */
type Layer = readonly [form: "area" | "line", name: string, label: string, value: PointValue];

/** The drawing is stretched to the space it gets, so its units are relative, and its words stand beside it. */
const width = 1000;
const height = 100;
const maxPoints = 120;

/** Rate, requests in flight and time to an answer over the same time, with what held them up. */
export function timeCharts(figures: RunFigures, incidents: readonly Incident[]): Html {
  const points = seriesPoints(figures.series, maxPoints);
  const endMs = points.at(-1)?.toMs ?? 1;
  const times = timeLabels(endMs);
  const across = (ms: number) => round((Math.min(ms, endMs) * width) / endMs);
  const vertical = (name: string, ms: number) =>
    html`<path class="${name}" d="M${across(ms)} 0V${height}"/>`;
  const behind = incidents.flatMap(({ reason, pauses }) =>
    pauses.map(({ at_ms, duration_ms }) => {
      const x = across(at_ms);
      // A short one is still to be seen.
      const wide = Math.max(2, round(across(at_ms + duration_ms) - x));
      return html`<rect class="${reason}" x="${x}" width="${wide}" height="${height}"/>`;
    }),
  );
  const began = figures.parts.slice(1).map(({ at_ms }) => vertical("part", at_ms));
  const axis = times.map(
    ({ ms, text }) => html`<text x="${round((100 * ms) / endMs)}%" y="14">${text}</text>`,
  );
  const key = (name: string, label: string) =>
    html`<li><span class="dot ${name}"></span>${label}</li>`;
  const reasons = [...new Set(incidents.map(({ reason }) => reason))];
  const held = reasons.map((reason) => key(reason, wordOfPause[reason]));
  const chart = ({ title, layers, labelOf }: Panel) => {
    const values = points.flatMap((point) => layers.map(([, , , value]) => value(point) ?? 0));
    const top = roundUp(Math.max(0, ...values));
    const drawn = layers.map(
      ([form, name, , value]) =>
        html`<path class="${form} ${name}" d="${pathOf(form, points, value, top, across)}"/>`,
    );
    return html`<div class="chart"><ul class="legend"><li><b>${title}</b></li>${layers.map(([, name, label]) => key(name, label))}${held}</ul>
<div class="y" aria-hidden="true">${[top, top / 2, 0].map((value) => html`<span>${labelOf(value)}</span>`)}</div>
<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${title} over ${duration(endMs)}">
${behind}${times.map(({ ms }) => vertical("grid", ms))}${drawn}${began}</svg>
<svg class="x" aria-hidden="true">${axis}</svg></div>
`;
  };
  const hasFailures = points.some((point) => failuresIn(point) > 0);
  return html`${panelsOf(hasFailures, figures.latency.answers > 0).map(chart)}`;
}

const wordOfPause: Record<PauseReason, string> = {
  asked: "the service asked to wait",
  outage: "outage",
};

function failuresIn({ not_succeeded, unsent }: Point): number {
  return Math.max(0, not_succeeded - unsent);
}

function panelsOf(hasFailures: boolean, hasAnswers: boolean): Panel[] {
  const settled: PointValue = (point) => perSecond(point, point.succeeded + failuresIn(point));
  const ifAnswered =
    (value: PointValue): PointValue =>
    (point) =>
      point.answered === 0 ? undefined : value(point);
  const failed: Layer[] = hasFailures ? [["area", "rejected", "did not succeed", settled]] : [];
  const rates: Panel = {
    title: "Events a second",
    layers: [
      ...failed,
      ["area", "succeeded", "delivered", (point) => perSecond(point, point.succeeded)],
    ],
    labelOf: shortNumber,
  };
  const flights: Panel = {
    title: "Requests in flight",
    layers: [
      ["area", "in-flight", "in flight", (point) => meanOver(point, point.in_flight_ms)],
      ["line", "allowed", "most that may be", (point) => meanOver(point, point.allowed_ms)],
    ],
    labelOf: shortNumber,
  };
  const answers: Panel = {
    title: "Time to an answer",
    layers: [
      ["line", "longest", "longest", ifAnswered((point) => point.longest_latency_ms)],
      ["line", "mean", "mean", ifAnswered((point) => point.latency_ms / point.answered)],
    ],
    labelOf: shortTime,
  };
  return hasAnswers ? [rates, flights, answers] : [rates, flights];
}

/** Steps from one value to the next. Where there is none, a line has a gap. */
function pathOf(
  form: Layer[0],
  points: readonly Point[],
  value: PointValue,
  top: number,
  across: (ms: number) => number,
): string {
  const isArea = form === "area";
  let isDrawn = isArea;
  const steps = points.map((point) => {
    const amount = value(point);
    const wasDrawn = isDrawn;
    isDrawn = amount !== undefined;
    if (amount === undefined) return "";
    const y = round(height - Math.min(1, Math.max(0, amount / top)) * height);
    return `${wasDrawn ? "" : `M${across(point.fromMs)} ${y}`}V${y}H${across(point.toMs)}`;
  });
  return isArea ? `M0 ${height}${steps.join("")}V${height}` : steps.join("");
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

export function roundUp(value: number): number {
  if (value <= 0) return 1;
  const unit = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 4, 6, 8, 10].find((factor) => factor * unit >= value) ?? 10;
  return step * unit;
}

/** Usual steps of a time axis, in seconds: a run of less than five of them has none. */
const steps = [
  ...[1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800],
  ...[3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800],
];
const maxTimeLabels = 6;

/** The labels of the time axis: round times at equal distances, from 0. */
function timeLabels(endMs: number): { readonly ms: number; readonly text: string }[] {
  const least = endMs / 1000 / maxTimeLabels;
  const step =
    (steps.find((seconds) => seconds >= least) ?? Math.ceil(least / 86_400) * 86_400) * 1000;
  return Array.from({ length: Math.floor(endMs / step) + 1 }, (_, at) => {
    const text = duration(at * step).replace(/\.0(?= s$)| 0 (?:min|s)$/, "");
    return { ms: at * step, text: at === 0 ? "0" : text };
  });
}

/** The figures of a stretch of time, as charts and tables show them. */
export type Point = {
  readonly fromMs: number;
  readonly toMs: number;
} & { readonly [name in SeriesName]: number };

/**
 * Merges the buckets of a series into at most `maxPoints` points. If the last point would be shorter than
 * half of the others, it is added to the one before: on its own it would look like a peak.
 */
export function seriesPoints(series: TimeSeries, maxPoints: number): Point[] {
  const { bucket_ms: bucketMs, duration_ms: durationMs } = series;
  const buckets = series.attempts.length;
  const each = Math.max(1, Math.ceil(buckets / maxPoints));
  const count = Math.max(1, Math.round(durationMs / (each * bucketMs)));
  return Array.from({ length: count }, (_, at) => {
    const first = at * each;
    const isLast = at === count - 1;
    const values = seriesNames.map((name) => {
      const part = series[name].slice(first, isLast ? buckets : first + each);
      return [name, name === "longest_latency_ms" ? Math.max(...part) : sum(part)];
    });
    const fromMs = first * bucketMs;
    const toMs = isLast ? Math.max(durationMs, fromMs + 1) : fromMs + each * bucketMs;
    return { fromMs, toMs, ...Object.fromEntries(values) } as Point;
  });
}

export function perSecond({ fromMs, toMs }: Point, amount: number): number {
  return (amount * 1000) / (toMs - fromMs);
}

function meanOver({ fromMs, toMs }: Point, amountMs: number): number {
  return amountMs / (toMs - fromMs);
}
