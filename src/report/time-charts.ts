import { briefDuration, count, shortNumber, shortTime, sum } from "../model/quantities.ts";
import {
  type RunFigures,
  type SeriesName,
  seriesNames,
  type TimeSeries,
} from "../model/run-figures.ts";
import { type Html, html } from "./html.ts";
import type { Incident } from "./incidents.ts";

/** One of the charts over the same time, one below the other. */
interface Panel {
  readonly id: string;
  readonly title: string;
  /** What it shows, for screen readers. */
  readonly description: string;
  /** Drawn in this order, one on top of the other. */
  readonly layers: readonly Layer[];
  readonly scale: Scale;
}

interface Layer {
  readonly kind: "area" | "line";
  /** Gives it its colour (`style.ts`). */
  readonly className: string;
  readonly label: string;
  /** Undefined if there is no value. */
  readonly value: (point: Point) => number | undefined;
}

/** Places values between the bottom, 0, and the top, 1, and has the labels at the side. */
interface Scale {
  place(value: number): number;
  readonly labels: readonly { readonly at: number; readonly text: string }[];
}

/** The drawing is stretched to the space it gets, so its units are relative. */
const width = 1000;
const height = 100;
const maxPoints = 120;

/** Rate, requests in flight and latency over the same time, and the incidents once across all of them. */
export function timeCharts(figures: RunFigures, incidents: readonly Incident[]): Html {
  const points = seriesPoints(figures.series, maxPoints);
  const endMs = points.at(-1)?.toMs ?? 1;
  const times = timeLabels(endMs);
  const across = (ms: number) => round((Math.min(ms, endMs) * width) / endMs);
  const percent = (ms: number) => Math.round((Math.min(ms, endMs) * 100) / endMs);
  const resumed = figures.parts.slice(1).map(({ at_ms }) => at_ms);
  const plot = ({ id, title, description, layers, scale }: Panel) =>
    html`<p class="panel" id="${id}-name"><strong>${title}</strong>${layers.map(
      ({ className, label }) => html` <span class="key ${className}"></span>${label}`,
    )}</p>
<div class="side" aria-hidden="true">${scale.labels.map(
      ({ at, text }) => html`<span class="at-${Math.round(at * 100)}">${text}</span>`,
    )}</div>
<svg class="plot" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-labelledby="${id}-name ${id}-what">
<desc id="${id}-what">${description}</desc>
${scale.labels.map(({ at }) => html`<path class="grid" d="M0 ${down(at)}H${width}"/>`)}
${times.map(({ ms }) => html`<path class="grid" d="M${across(ms)} 0V${height}"/>`)}
${layers.map((layer) => drawLayer(layer, points, scale, across))}
</svg>`;
  return html`<div class="charts">
<div class="letters" aria-hidden="true">${incidents.map(
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
${points.map((point) => hoverArea(point, across))}
</svg>
${panelsOf(points, figures).map(plot)}
<div class="foot" aria-hidden="true">${times.map(
    ({ ms, text }) => html`<span class="from-${percent(ms)}">${text}</span>`,
  )}</div>
</div>
`;
}

function panelsOf(points: readonly Point[], { latency }: RunFigures): Panel[] {
  const highest = (value: (point: Point) => number) => Math.max(0, ...points.map(value));
  const failures = (point: Point) => Math.max(0, point.not_succeeded - point.unsent);
  const settled = (point: Point) => perSecond(point, point.succeeded + failures(point));
  const attempts = (point: Point) => perSecond(point, point.attempts);
  const ifAnswered = (value: (point: Point) => number) => (point: Point) =>
    point.answered === 0 ? undefined : value(point);
  const area = (className: string, label: string, value: Layer["value"]): Layer => {
    return { kind: "area", className, label, value };
  };
  const line: typeof area = (...of) => ({ ...area(...of), kind: "line" });
  const rate: Panel = {
    ...{ id: "rate", title: "Events a second" },
    description: `At most ${shortNumber(highest(settled))} a second.`,
    scale: linearScale(highest((point) => Math.max(settled(point), attempts(point)))),
    layers: [
      ...(points.some((point) => failures(point) > 0)
        ? [area("not-succeeded", "did not succeed", settled)]
        : []),
      area("succeeded", "delivered", (point) => perSecond(point, point.succeeded)),
      line("attempts", "requests", attempts),
    ],
  };
  const allowed = (point: Point) => meanOver(point, point.allowed_ms);
  const inFlight = (point: Point) => meanOver(point, point.in_flight_ms);
  const flight: Panel = {
    ...{ id: "in-flight", title: "Requests in flight" },
    description: `On average at most ${shortNumber(round(highest(inFlight)))}.`,
    scale: linearScale(highest((point) => Math.max(allowed(point), inFlight(point)))),
    layers: [area("in-flight", "in flight", inFlight), line("allowed", "allowed", allowed)],
  };
  if (latency.answers === 0) return [rate, flight];
  const times: Panel = {
    ...{ id: "latency", title: "Latency" },
    description: `From ${shortTime(latency.min_ms)} to ${shortTime(latency.max_ms)}, on a logarithmic scale.`,
    scale: logScale(latency.min_ms, latency.max_ms),
    layers: [
      line(
        "longest",
        "longest",
        ifAnswered((point) => point.longest_latency_ms),
      ),
      line(
        "mean",
        "mean",
        ifAnswered((point) => point.latency_ms / point.answered),
      ),
    ],
  };
  return [rate, flight, times];
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

function hoverArea(point: Point, across: Across): Html {
  const [x, end] = [across(point.fromMs), across(point.toMs)];
  const { fromMs, toMs, succeeded, attempts, throttled, answered } = point;
  const said = [
    `${briefDuration(fromMs)} to ${briefDuration(toMs)}`,
    `${shortNumber(perSecond(point, succeeded))}/s delivered`,
    `${shortNumber(perSecond(point, attempts))}/s requests`,
    `${shortNumber(round(meanOver(point, point.in_flight_ms)))} in flight`,
    ...(answered === 0 ? [] : [`${shortTime(point.latency_ms / answered)} on average`]),
    ...(throttled === 0 ? [] : [`${count(throttled, "answer")} 429`]),
  ];
  return html`<rect class="hover" x="${x}" y="0" width="${round(end - x)}" height="${height}"><title>${said.join(", ")}</title></rect>`;
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
