import { briefDuration, grouped, sum } from "../model/quantities.ts";
import type { RunFigures } from "../model/run-figures.ts";
import { pauseReasons } from "../model/sending-state.ts";
import { groupPauses } from "./group-pauses.ts";
import { figure, foreign, type Html, html } from "./html.ts";
import { pauseWords } from "./time-chart.ts";

/** What held the sending up. */
export function pausesSection({ pauses, series }: RunFigures): Html {
  const throttled = sum(series.throttled);
  const retries = sum(series.retries);
  const reasons = pauseReasons.filter((reason) => sum(series[`paused_${reason}_ms`]) > 0);
  const total = (name: string, number: number, word: string) =>
    html`<li>${figure(name, number, grouped(number))} ${word}</li>`;
  return html`<section aria-labelledby="pauses"><h2 id="pauses">Throttling and pauses</h2>
<ul>${total("throttled", throttled, throttled === 1 ? "answer was a 429: too many requests" : "answers were a 429: too many requests")}${total("retries", retries, retries === 1 ? "attempt was put off for another try" : "attempts were put off for another try")}${reasons.map(
    (reason) =>
      html`<li>${briefDuration(sum(series[`paused_${reason}_ms`]))} ${pauseWords[reason]}</li>`,
  )}</ul>
${
  pauses.count === 0
    ? html`<p>It never paused.</p>`
    : html`<p class="note">${figure("pauses", pauses.count, grouped(pauses.count))} ${pauses.count === 1 ? "pause" : "pauses"}${pauses.count > pauses.longest.length ? `; the ${pauses.longest.length} longest` : ""}:</p>
<div class="scroll" tabindex="0" role="region" aria-label="Pauses"><table aria-label="Pauses"><thead><tr><th scope="col" class="number">Times</th><th scope="col" class="number">First at</th><th scope="col" class="number">In all</th><th scope="col" class="number">Longest</th><th scope="col">Why</th><th scope="col">What was said</th></tr></thead>
<tbody>${groupPauses(pauses.longest).map(
        ({ count, firstAtMs, durationMs, longestMs, reason, message }) =>
          html`<tr><th scope="row" class="number">${grouped(count)}</th><td class="number">${briefDuration(firstAtMs)}</td><td class="number">${briefDuration(durationMs)}</td><td class="number">${briefDuration(longestMs)}</td><td>${pauseWords[reason].replace("paused: ", "")}</td><td>${foreign(message)}</td></tr>
`,
      )}</tbody></table></div>`
}
</section>
`;
}
