import { shortNumber, shortTime, sum } from "../model/quantities.ts";
import { type SeriesName, seriesNames, type TimeSeries } from "../model/run-figures.ts";
import { type PauseReason, pauseReasons } from "../model/sending-state.ts";
import { type Html, html } from "./html.ts";

/** A chart over the time of a run. */
export interface TimeChart {
  readonly id: string;
  readonly title: string;
  /** What it shows, for screen readers. */
  readonly description: string;
  readonly points: readonly Point[];
  /** Drawn in this order, one on top of the other. */
  readonly layers: readonly Layer[];
  readonly scale: Scale;
  /** When the later parts of a resumed run started. */
  readonly resumedAtMs: readonly number[];
  readonly tooltip: (point: Point) => string;
}

export interface Layer {
  readonly kind: "area" | "line";
  /** Gives it its colour (`style.ts`). */
  readonly className: string;
  readonly label: string;
  /** Undefined if there is no value. */
  readonly value: (point: Point) => number | undefined;
  /** A layer without values is not drawn and not in the legend. Default true. */
  readonly hasValues?: boolean;
}

/** Places values between the bottom, 0, and the top, 1, and has the labels at the side. */
export interface Scale {
  place(value: number): number;
  readonly labels: readonly { readonly at: number; readonly text: string }[];
}

export const pauseWords: Readonly<Record<PauseReason, string>> = {
  asked: "paused: the service asked to wait",
  outage: "paused: the service accepted nothing",
};

/** The drawing is stretched to the space it gets, so its units are relative. */
const width = 1000;
const height = 100;

export function timeChart(chart: TimeChart): Html {
  const { id, title, description, points, scale } = chart;
  const layers = chart.layers.filter(({ hasValues = true }) => hasValues);
  const endMs = points.at(-1)?.toMs ?? 1;
  const times = timeLabels(endMs);
  const across = (ms: number) => round((ms * width) / endMs);
  return html`<figure class="chart" id="${id}">
<figcaption><h3>${title}</h3>${legend({ ...chart, layers })}</figcaption>
<div class="plot">
<div class="side" aria-hidden="true">${scale.labels.map(
    ({ at, text }) => html`<span class="at-${Math.round(at * 100)}">${text}</span>`,
  )}</div>
<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-labelledby="${id}-name ${id}-what">
<title id="${id}-name">${title}</title><desc id="${id}-what">${description}</desc>
${pauseBands(points, across)}
${scale.labels.map(({ at }) => html`<path class="grid" d="M0 ${down(at)}H${width}"/>`)}
${times.map(({ ms }) => html`<path class="grid" d="M${across(ms)} 0V${height}"/>`)}
${layers.map((layer) => drawLayer(layer, points, scale, across))}
${points.map((point) => throttleTick(point, across))}
${chart.resumedAtMs.map((ms) => html`<path class="resumed" d="M${across(ms)} 0V${height}"/>`)}
${points.map((point) => hoverArea(point, across, chart.tooltip))}
</svg>
<div class="foot" aria-hidden="true">${times.map(
    ({ ms, text }) => html`<span class="from-${Math.round((ms * 100) / endMs)}">${text}</span>`,
  )}</div>
</div>
</figure>
`;
}

function legend({ layers, points, resumedAtMs }: TimeChart): Html {
  const reasons = pauseReasons.filter((reason) =>
    points.some((point) => point[`paused_${reason}_ms`] > 0),
  );
  const entry = (className: string, label: string) =>
    html`<li><span class="key ${className}"></span>${label}</li>`;
  return html`<ul class="legend">${layers.map(({ className, label }) => entry(className, label))}${
    points.some(({ throttled }) => throttled > 0)
      ? entry("throttled", "answered 429: too many requests")
      : undefined
  }${reasons.map((reason) => entry(`pause-${reason}`, pauseWords[reason]))}${
    resumedAtMs.length > 0 ? entry("resumed", "the run was resumed") : undefined
  }</ul>`;
}

type Across = (ms: number) => number;

/** Draws each value as a horizontal line over its time. */
function drawLayer(
  { kind, className, value }: Layer,
  points: readonly Point[],
  { place }: Scale,
  across: Across,
): Html {
  let path = "";
  let isDrawing = false;
  for (const point of points) {
    const amount = value(point);
    if (amount === undefined) {
      if (kind === "area" && isDrawing) path += `V${height}`;
      isDrawing = false;
      continue;
    }
    const y = down(place(amount));
    const x = across(point.fromMs);
    if (isDrawing) path += `V${y}`;
    else path += kind === "area" ? `M${x} ${height}V${y}` : `M${x} ${y}`;
    path += `H${across(point.toMs)}`;
    isDrawing = true;
  }
  if (kind === "area" && isDrawing) path += `V${height}`;
  return html`<path class="${kind} ${className}" d="${path}"/>`;
}

function pauseBands(points: readonly Point[], across: Across): Html[] {
  return points.flatMap((point) =>
    pauseReasons.map((reason) => {
      const share = point[`paused_${reason}_ms`] / (point.toMs - point.fromMs);
      if (share <= 0) return html``;
      const [x, end] = [across(point.fromMs), across(point.toMs)];
      const opacity = round(0.1 + 0.22 * Math.min(1, share));
      return html`<rect class="pause-${reason}" x="${x}" y="0" width="${round(end - x)}" height="${height}" fill-opacity="${opacity}"/>`;
    }),
  );
}

function throttleTick({ throttled, fromMs, toMs }: Point, across: Across): Html {
  if (throttled === 0) return html``;
  const x = across(fromMs);
  return html`<rect class="throttled" x="${x}" y="0" width="${round(across(toMs) - x)}" height="4"/>`;
}

function hoverArea(point: Point, across: Across, tooltip: TimeChart["tooltip"]): Html {
  const [x, end] = [across(point.fromMs), across(point.toMs)];
  return html`<rect class="hover" x="${x}" y="0" width="${round(end - x)}" height="${height}"><title>${tooltip(point)}</title></rect>`;
}

function down(share: number): number {
  return round(height - Math.min(1, Math.max(0, share)) * height);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** From 0 to a round number that is not below the largest value. */
export function linearScale(largest: number): Scale {
  const top = roundUp(largest);
  return {
    place: (value) => value / top,
    labels: [0, 0.5, 1].map((at) => ({ at, text: shortNumber(top * at) })),
  };
}

/** From a power of ten to another. */
export function logScale(smallestMs: number, largestMs: number): Scale {
  const low = Math.floor(Math.log10(Math.max(0.1, smallestMs)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(0.1, largestMs))));
  const steps = high - low;
  const every = steps > 4 ? 2 : 1;
  const labels = Array.from({ length: Math.floor(steps / every) + 1 }, (_, step) => ({
    at: (step * every) / steps,
    text: shortTime(10 ** (low + step * every)),
  }));
  return { place: (ms) => (Math.log10(Math.max(0.01, ms)) - low) / steps, labels };
}

function roundUp(value: number): number {
  if (value <= 0) return 1;
  const unit = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 4, 6, 8, 10].find((factor) => factor * unit >= value) ?? 10;
  return step * unit;
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** Usual steps of a time axis, in milliseconds. */
const steps = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * second),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * minute),
  ...[1, 2, 3, 6, 12, 24, 48].map((hours) => hours * hour),
];
const maxTimeLabels = 6;

/** The labels of the time axis: round times at equal distances, from 0. */
function timeLabels(endMs: number): { readonly ms: number; readonly text: string }[] {
  const longest = steps.at(-1) ?? 1;
  const step =
    steps.find((ms) => endMs / ms <= maxTimeLabels) ??
    Math.ceil(endMs / maxTimeLabels / longest) * longest;
  return Array.from({ length: Math.floor(endMs / step) + 1 }, (_, at) => {
    const ms = at * step;
    return { ms, text: ms === 0 ? "0" : textOf(ms, endMs) };
  });
}

/** A time in units that suit the end of the axis. */
function textOf(ms: number, endMs: number): string {
  if (endMs < second) return `${ms} ms`;
  if (ms < minute) return `${ms / second} s`;
  const parts = [
    [Math.floor(ms / hour), "h"],
    [Math.floor((ms % hour) / minute), "min"],
    [(ms % minute) / second, "s"],
  ] as const;
  return parts.flatMap(([amount, unit]) => (amount === 0 ? [] : [`${amount} ${unit}`])).join(" ");
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
    // A run may end just as a bucket begins, and then the bucket has no duration.
    points.push({
      fromMs,
      toMs: Math.max(toMs, fromMs + 1),
      ...Object.fromEntries(values),
    } as Point);
    first = end;
  }
  return points;
}

/** The rate per second. */
export function perSecond({ fromMs, toMs }: Point, amount: number): number {
  return (amount * 1000) / (toMs - fromMs);
}

/** The mean of an amount that was multiplied by its duration. */
export function meanOver({ fromMs, toMs }: Point, amountMs: number): number {
  return amountMs / (toMs - fromMs);
}

export function pausedMs(point: Point): number {
  return point.paused_asked_ms + point.paused_outage_ms;
}
