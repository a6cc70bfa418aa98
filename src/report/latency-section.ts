import { count, shortTime } from "../model/quantities.ts";
import type { LatencyFigures } from "../model/run-figures.ts";
import { figure, type Html, html } from "./html.ts";
import { logScale } from "./scales.ts";
import { shareBar } from "./share-bar.ts";

const lines = [
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
      : html`<p class="note">${count(latency.answers, "answer")}, from ${figure("min_ms", latency.min_ms, shortTime(latency.min_ms))}, on average ${figure("mean_ms", latency.mean_ms, shortTime(latency.mean_ms))}. Attempts without an answer are not among them. A bar that is longer by a step is ten times the time.</p>
<table class="bars" aria-labelledby="latency"><thead><tr><th scope="col">Answered within that time</th><th scope="col" class="number">Time</th><td></td></tr></thead>
<tbody>${lines.map(
          ([name, words]) =>
            html`<tr><th scope="row">${words}</th><td class="number">${figure(name, latency[name], shortTime(latency[name]))}</td><td>${shareBar(place(latency[name]), "mean")}</td></tr>
`,
        )}</tbody></table>`;
  return html`<section class="whole" aria-labelledby="latency"><h2 id="latency">Time to an answer</h2>
${body}
</section>
`;
}
