import { type Html, html } from "../model/look/html.ts";
import { duration, shortNumber, shortTime, sum } from "../model/quantities.ts";
import {
  type RunFigures,
  type SeriesName,
  seriesNames,
  type TimeSeries,
} from "../model/run-figures.ts";
import type { Incident } from "./incidents.ts";

/** One of the charts over the same time, one below the other. */
interface Panel {
  readonly title: string;
  /** Drawn in this order, one on top of the other. */
  readonly layers: readonly Layer[];
  /** The value at the top; 0 is at the bottom. */
  readonly top: number;
  readonly label: (value: number) => string;
}

interface Layer {
  readonly kind: "area" | "line";
  /** Gives it its colour (`style.ts`). */
  readonly className: string;
  readonly label: string;
  /** Undefined if there is no value. */
  readonly value: (point: Point) => number | undefined;
}

/** The drawing is stretched to the space it gets, so its units are relative. */
const width = 1000;
const height = 100;
const maxPoints = 120;
/** The shares of the height that have a line and a label. */
const labelled = [0, 0.5, 1];

/** Rate, requests in flight and latency over the same time, and the incidents once across all of them. */
export function timeCharts(figures: RunFigures, incidents: readonly Incident[]): Html {
  const points = seriesPoints(figures.series, maxPoints);
  const endMs = points.at(-1)?.toMs ?? 1;
  const times = timeLabels(endMs);
  const across = (ms: number) => round((Math.min(ms, endMs) * width) / endMs);
  const percent = (ms: number) => Math.round((Math.min(ms, endMs) * 100) / endMs);
  const resumed = figures.parts.slice(1).map(({ at_ms }) => at_ms);
  const plot = ({ title, layers, top, label: labelOf }: Panel) =>
    html`<p class="panel"><strong>${title}</strong>${layers.map(
      ({ className, label }) =>
        html` <span class="entry"><span class="key ${className}"></span>${label}</span>`,
    )}</p>
<div class="side" aria-hidden="true">${labelled.map(
      (at) => html`<span class="at-${at * 100}">${labelOf(top * at)}</span>`,
    )}</div>
<svg class="plot" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="${title}">
${labelled.map((at) => html`<path class="grid" d="M0 ${down(at)}H${width}"/>`)}
${times.map(({ ms }) => html`<path class="grid" d="M${across(ms)} 0V${height}"/>`)}
${layers.map((layer) => drawLayer(layer, points, top, across))}
</svg>`;
  return html`<div class="charts">
<div class="${incidents.length === 0 ? "no letters" : "letters"}" aria-hidden="true">${incidents.map(
    ({ letter, reason, pauses: [first] }) =>
      html`<span class="${reason} from-${percent((first?.at_ms ?? 0) + (first?.duration_ms ?? 0) / 2)}">${letter}</span>`,
  )}</div>
<svg class="across" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" aria-hidden="true">
${incidents.flatMap(({ reason, pauses }) =>
  pauses.map(({ at_ms, duration_ms }) => {
    const x = across(at_ms);
    // A short one is still to be seen.
    const wide = Math.max(2, round(across(at_ms + duration_ms) - x));
    return html`<rect class="${reason}" x="${x}" y="0" width="${wide}" height="${height}"/>`;
  }),
)}
${resumed.map((ms) => html`<path class="resumed" d="M${across(ms)} 0V${height}"/>`)}
</svg>
${panelsOf(points, figures).map(plot)}
<div class="foot" aria-hidden="true">${times.map(
    ({ ms, text }) => html`<span class="from-${percent(ms)}">${text}</span>`,
  )}</div>
</div>
${resumed.length > 0 && html`<p class="note">Dashed: a resume or a retry began; the time before it is left out.</p>`}
`;
}

function panelsOf(points: readonly Point[], { latency }: RunFigures): Panel[] {
  type Value = (point: Point) => number;
  const failures: Value = (point) => Math.max(0, point.not_succeeded - point.unsent);
  const succeeded: Value = (point) => perSecond(point, point.succeeded);
  const settled: Value = (point) => perSecond(point, point.succeeded + failures(point));
  const attempts: Value = (point) => perSecond(point, point.attempts);
  const allowed: Value = (point) => meanOver(point, point.allowed_ms);
  const inFlight: Value = (point) => meanOver(point, point.in_flight_ms);
  const ifAnswered = (value: Value) => (point: Point) =>
    point.answered === 0 ? undefined : value(point);
  const longest = ifAnswered((point) => point.longest_latency_ms);
  const mean = ifAnswered((point) => point.latency_ms / point.answered);
  const topOf = (...values: readonly Value[]) =>
    roundUp(Math.max(0, ...points.flatMap((point) => values.map((value) => value(point)))));
  const area = (className: string, label: string, value: Layer["value"]): Layer => {
    return { kind: "area", className, label, value };
  };
  const line: typeof area = (...of) => ({ ...area(...of), kind: "line" });
  const hasFailures = points.some((point) => failures(point) > 0);
  const rates = [
    ...(hasFailures ? [area("not-succeeded", "did not succeed", settled)] : []),
    ...[area("succeeded", "delivered", succeeded), line("attempts", "requests", attempts)],
  ];
  const flights = [area("in-flight", "in flight", inFlight), line("allowed", "allowed", allowed)];
  const latencies = [line("longest", "longest", longest), line("mean", "mean", mean)];
  const [ratesTop, flightsTop] = [topOf(settled, attempts), topOf(allowed, inFlight)];
  const top = roundUp(latency.max_ms);
  return [
    { title: "Events a second", layers: rates, top: ratesTop, label: shortNumber },
    { title: "Requests in flight", layers: flights, top: flightsTop, label: shortNumber },
    ...(latency.answers === 0
      ? []
      : [{ title: "Latency", layers: latencies, top, label: shortTime }]),
  ];
}

type Across = (ms: number) => number;

function drawLayer(
  { kind, className, value }: Layer,
  points: readonly Point[],
  top: number,
  across: Across,
): Html {
  let path = "";
  let isDrawing = false;
  const end = kind === "area" ? `V${height}` : "";
  for (const point of points) {
    const amount = value(point);
    if (amount === undefined) {
      if (isDrawing) path += end;
      isDrawing = false;
      continue;
    }
    const [x, y] = [across(point.fromMs), down(amount / top)];
    if (isDrawing) path += `V${y}`;
    else path += kind === "area" ? `M${x} ${height}V${y}` : `M${x} ${y}`;
    path += `H${across(point.toMs)}`;
    isDrawing = true;
  }
  if (isDrawing) path += end;
  return html`<path class="${kind} ${className}" d="${path}"/>`;
}

function down(share: number): number {
  return round(height - Math.min(1, Math.max(0, share)) * height);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** A round number that is not below the largest value. */
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

/** The mean of an amount that was multiplied by its duration. */
function meanOver({ fromMs, toMs }: Point, amountMs: number): number {
  return amountMs / (toMs - fromMs);
}
