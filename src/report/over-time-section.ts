import { briefDuration, count, grouped, shortNumber, shortTime, sum } from "../model/quantities.ts";
import type { LatencyFigures, RunFigures } from "../model/run-figures.ts";
import { dataElement, type Html, html, shareBar } from "./html.ts";
import {
  linearScale,
  logScale,
  meanOver,
  type Point,
  pausedMs,
  perSecond,
  seriesPoints,
  timeChart,
} from "./time-chart.ts";

const maxPointsInChart = 120;
const maxRowsInTable = 30;

/** Charts of how the run sent over time, and the same as a table. */
export function overTimeSection(figures: RunFigures): Html {
  const points = seriesPoints(figures.series, maxPointsInChart);
  const resumedAtMs = figures.parts.slice(1).map(({ at_ms }) => at_ms);
  const common = { points, resumedAtMs };
  const highest = (value: (point: Point) => number) => Math.max(0, ...points.map(value));
  const failures = (point: Point) => Math.max(0, point.not_succeeded - point.unsent);
  const settled = (point: Point) => perSecond(point, point.succeeded + failures(point));
  const meanLatency = (point: Point) =>
    point.answered === 0 ? undefined : point.latency_ms / point.answered;
  const { latency } = figures;

  return html`<section aria-labelledby="over-time"><h2 id="over-time">Over time</h2>
<p class="note">From the first row on, ${briefDuration(figures.series.duration_ms)} in all; each step of the lines is ${stretch(points)}. ${resumed(figures)}</p>
${timeChart({
  ...common,
  id: "throughput",
  title: "Events and attempts per second",
  description: `How many sent events settled per second, at most ${shortNumber(highest(settled))}. A line shows the attempts. The table below has the numbers.`,
  scale: linearScale(
    Math.max(
      highest(settled),
      highest((point) => perSecond(point, point.attempts)),
    ),
  ),
  layers: [
    {
      kind: "area",
      className: "not-succeeded",
      label: "sent without success",
      value: settled,
      hasValues: points.some((point) => failures(point) > 0),
    },
    {
      kind: "area",
      className: "succeeded",
      label: "succeeded",
      hasValues: sum(figures.series.succeeded) > 0,
      value: (point) => perSecond(point, point.succeeded),
    },
    {
      kind: "line",
      className: "attempts",
      label: "attempts",
      value: (point) => perSecond(point, point.attempts),
    },
  ],
  tooltip: (point) =>
    `${span(point)}: ${shortNumber(perSecond(point, point.succeeded))}/s succeeded, ${shortNumber(perSecond(point, failures(point)))}/s did not, ${shortNumber(perSecond(point, point.attempts))}/s attempts${troubleIn(point)}`,
})}
${timeChart({
  ...common,
  id: "concurrency",
  title: "Requests in flight",
  description:
    "How many requests were in flight, and how many eventload allowed. The table below has the numbers.",
  scale: linearScale(
    highest((point) => meanOver(point, Math.max(point.allowed_ms, point.in_flight_ms))),
  ),
  layers: [
    {
      kind: "area",
      className: "in-flight",
      label: "in flight (mean)",
      value: (point) => meanOver(point, point.in_flight_ms),
    },
    {
      kind: "line",
      className: "allowed",
      label: "allowed",
      value: (point) => meanOver(point, point.allowed_ms),
    },
  ],
  tooltip: (point) =>
    `${span(point)}: ${meanCount(point, point.in_flight_ms)} in flight of ${meanCount(point, point.allowed_ms)} allowed${troubleIn(point)}`,
})}
${
  latency.answers === 0
    ? undefined
    : timeChart({
        ...common,
        id: "latency-over-time",
        title: "Time to an answer",
        description:
          "The mean and the longest time that answers took, on a logarithmic scale. The table below has the numbers.",
        scale: logScale(latency.min_ms, latency.max_ms),
        layers: [
          {
            kind: "line",
            className: "longest",
            label: "longest",
            value: (point) => (point.answered === 0 ? undefined : point.longest_latency_ms),
          },
          { kind: "line", className: "mean", label: "mean", value: meanLatency },
        ],
        tooltip: (point) =>
          point.answered === 0
            ? `${span(point)}: no answer`
            : `${span(point)}: ${shortTime(meanLatency(point) ?? 0)} on average, ${shortTime(point.longest_latency_ms)} at most`,
      })
}
${table(figures)}
</section>
`;
}

/** In place of the charts if nothing was sent. */
export const nothingSentSection = html`<section aria-labelledby="over-time"><h2 id="over-time">Over time</h2>
<p>Nothing was sent, so there are no charts and no times of answers.</p></section>
`;

/** In place of the charts if the manifest has no figures. */
export const noFiguresSection = html`<section aria-labelledby="over-time"><h2 id="over-time">Over time</h2>
<p>The manifest of this run has no figures of how it sent its events.</p></section>
`;

function stretch([first]: readonly Point[]): string {
  return first === undefined ? "all of it" : shortTime(first.toMs - first.fromMs);
}

function resumed({ parts }: RunFigures): string {
  if (parts.length < 2) return "";
  const later = parts.slice(1, 6).map(({ started_at, at_ms }) => {
    return `at ${briefDuration(at_ms)} (${started_at.slice(0, 19).replace("T", " ")} UTC)`;
  });
  const more = parts.length > 6 ? ` and ${grouped(parts.length - 6)} more times` : "";
  return `The run was resumed ${later.join(", ")}${more}; the time in between is left out.`;
}

/** The mean count, rounded to two decimals. */
function meanCount(point: Point, amountMs: number): string {
  return shortNumber(Math.round(meanOver(point, amountMs) * 100) / 100);
}

function span({ fromMs, toMs }: Point): string {
  return `${briefDuration(fromMs)} to ${briefDuration(toMs)}`;
}

function troubleIn(point: Point): string {
  const paused = pausedMs(point);
  return [
    point.throttled > 0 ? `, ${count(point.throttled, "answer")} 429` : "",
    paused > 0 ? `, paused for ${briefDuration(paused)}` : "",
  ].join("");
}

function table({ series }: RunFigures): Html {
  const points = seriesPoints(series, maxRowsInTable);
  const hasUnsent = sum(series.unsent) > 0;
  return html`<details><summary>The charts as a table</summary>
<div class="scroll" tabindex="0" role="region" aria-label="The charts as a table">
<table class="numbers" aria-label="The charts as a table"><thead><tr><th scope="col">From</th><th scope="col">To</th><th scope="col">Succeeded</th><th scope="col">Did not</th><th scope="col">Skipped</th><th scope="col">Attempts</th><th scope="col">Retries</th><th scope="col">429s</th><th scope="col">Unanswered</th><th scope="col">In flight</th><th scope="col">Allowed</th><th scope="col">Mean answer</th><th scope="col">Longest</th><th scope="col">Paused</th>${hasUnsent ? html`<th scope="col">Never sent</th>` : undefined}</tr></thead>
<tbody>${points.map(
    (point) =>
      html`<tr><th scope="row">${briefDuration(point.fromMs)}</th><td>${briefDuration(point.toMs)}</td>${[
        point.succeeded,
        point.not_succeeded,
        point.skipped,
        point.attempts,
        point.retries,
        point.throttled,
        point.unanswered,
      ].map(
        (number) => html`<td>${grouped(number)}</td>`,
      )}<td>${meanCount(point, point.in_flight_ms)}</td><td>${meanCount(point, point.allowed_ms)}</td><td>${point.answered === 0 ? "–" : shortTime(point.latency_ms / point.answered)}</td><td>${point.answered === 0 ? "–" : shortTime(point.longest_latency_ms)}</td><td>${pausedMs(point) === 0 ? "–" : briefDuration(pausedMs(point))}</td>${hasUnsent ? html`<td>${grouped(point.unsent)}</td>` : undefined}</tr>
`,
  )}</tbody></table></div></details>`;
}

const percentileRows = [
  ["p50_ms", "half of them"],
  ["p75_ms", "three quarters"],
  ["p90_ms", "90 %"],
  ["p95_ms", "95 %"],
  ["p99_ms", "99 %"],
  ["p999_ms", "99.9 %"],
  ["max_ms", "all of them"],
] as const;

/** How long answers took, over the whole run. */
export function latencySection(latency: LatencyFigures): Html {
  const { place } = logScale(latency.min_ms, latency.max_ms);
  const body =
    latency.answers === 0
      ? html`<p>No request was answered.</p>`
      : html`<p class="note">${count(latency.answers, "answer")}, from ${dataElement("min_ms", latency.min_ms, shortTime(latency.min_ms))}, on average ${dataElement("mean_ms", latency.mean_ms, shortTime(latency.mean_ms))}. Unanswered attempts are not counted. The bars have a logarithmic scale.</p>
<table class="bars" aria-labelledby="latency"><thead><tr><th scope="col">Answered within that time</th><th scope="col" class="number">Time</th><td></td></tr></thead>
<tbody>${percentileRows.map(
          ([name, words]) =>
            html`<tr><th scope="row">${words}</th><td class="number">${dataElement(name, latency[name], shortTime(latency[name]))}</td><td>${shareBar(place(latency[name]), "mean")}</td></tr>
`,
        )}</tbody></table>`;
  return html`<section class="whole" aria-labelledby="latency"><h2 id="latency">Time to an answer</h2>
${body}
</section>
`;
}
