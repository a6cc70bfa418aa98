import { type PauseReason, pauseReasons } from "../model/sending-state.ts";
import { type Html, html } from "./html.ts";
import { roundMoments } from "./round-moments.ts";
import type { Point } from "./series-points.ts";

/** A chart over the time of a run. */
export interface TimeChart {
  readonly id: string;
  readonly title: string;
  /** What it shows, for those who do not see it. */
  readonly description: string;
  readonly points: readonly Point[];
  /** Drawn in this order, one over the other. */
  readonly layers: readonly Layer[];
  readonly scale: Scale;
  /** When the later parts of a run that was gone on with began. */
  readonly resumedAtMs: readonly number[];
  /** What is said of a stretch of time when the pointer is over it. */
  readonly tell: (point: Point) => string;
}

export interface Layer {
  readonly kind: "area" | "line";
  /** Names its colour in the style. */
  readonly look: string;
  readonly label: string;
  /** Nothing where there is nothing to show. */
  readonly value: (point: Point) => number | undefined;
  /** Absent where it always does; what does not is neither drawn nor named. */
  readonly occurs?: boolean;
}

/** Where a value stands between the bottom, 0, and the top, 1; and what is written at the side. */
export interface Scale {
  place(value: number): number;
  readonly labels: readonly { readonly at: number; readonly text: string }[];
}

export const pauseWords: Readonly<Record<PauseReason, string>> = {
  asked: "paused: the service asked to wait",
  outage: "paused: the service took nothing",
};

/** The drawing is stretched to its place, so its units are shares: 1000 to the right, 100 down. */
const width = 1000;
const height = 100;

export function timeChart(chart: TimeChart): Html {
  const { id, title, description, points, scale } = chart;
  const layers = chart.layers.filter(occurs);
  const endMs = points.at(-1)?.toMs ?? 1;
  const moments = roundMoments(endMs);
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
${moments.map(({ ms }) => html`<path class="grid" d="M${across(ms)} 0V${height}"/>`)}
${layers.map((layer) => drawLayer(layer, points, scale, across))}
${points.map((point) => throttleTick(point, across))}
${chart.resumedAtMs.map((ms) => html`<path class="resumed" d="M${across(ms)} 0V${height}"/>`)}
${points.map((point) => hoverArea(point, across, chart.tell))}
</svg>
<div class="foot" aria-hidden="true">${moments.map(
    ({ ms, text }) => html`<span class="from-${Math.round((ms * 100) / endMs)}">${text}</span>`,
  )}</div>
</div>
</figure>
`;
}

function occurs(layer: Layer): boolean {
  return layer.occurs !== false;
}

function legend({ layers, points, resumedAtMs }: TimeChart): Html {
  const reasons = pauseReasons.filter((reason) =>
    points.some((point) => point[`paused_${reason}_ms`] > 0),
  );
  const entry = (look: string, label: string) =>
    html`<li><span class="key ${look}"></span>${label}</li>`;
  return html`<ul class="legend">${layers.map(({ look, label }) => entry(look, label))}${
    points.some(({ throttled }) => throttled > 0)
      ? entry("throttled", "answered 429: too many requests")
      : undefined
  }${reasons.map((reason) => entry(`pause-${reason}`, pauseWords[reason]))}${
    resumedAtMs.length > 0 ? entry("resumed", "the run went on after a stop") : undefined
  }</ul>`;
}

type Across = (ms: number) => number;

/** Each value for the whole of its stretch, as nothing is known of what was within it. */
function drawLayer(
  { kind, look, value }: Layer,
  points: readonly Point[],
  { place }: Scale,
  across: Across,
): Html {
  let path = "";
  let isDrawing = false;
  for (const point of points) {
    const of = value(point);
    if (of === undefined) {
      if (kind === "area" && isDrawing) path += `V${height}`;
      isDrawing = false;
      continue;
    }
    const y = down(place(of));
    const x = across(point.fromMs);
    if (isDrawing) path += `V${y}`;
    else path += kind === "area" ? `M${x} ${height}V${y}` : `M${x} ${y}`;
    path += `H${across(point.toMs)}`;
    isDrawing = true;
  }
  if (kind === "area" && isDrawing) path += `V${height}`;
  return html`<path class="${kind} ${look}" d="${path}"/>`;
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

function hoverArea(point: Point, across: Across, tell: TimeChart["tell"]): Html {
  const [x, end] = [across(point.fromMs), across(point.toMs)];
  return html`<rect class="hover" x="${x}" y="0" width="${round(end - x)}" height="${height}"><title>${tell(point)}</title></rect>`;
}

function down(share: number): number {
  return round(height - Math.min(1, Math.max(0, share)) * height);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
