import { messageTemplate } from "../model/message-template.ts";
import { briefDuration, grouped, sum } from "../model/quantities.ts";
import type { Pause, RunFigures } from "../model/run-figures.ts";
import { pauseReasons } from "../model/sending-state.ts";
import { dataElement, foreign, type Html, html } from "./html.ts";
import { pauseWords } from "./time-chart.ts";

/** Throttling and pauses. */
export function pausesSection({ pauses, series }: RunFigures): Html {
  const throttled = sum(series.throttled);
  const retries = sum(series.retries);
  const reasons = pauseReasons.filter((reason) => sum(series[`paused_${reason}_ms`]) > 0);
  const total = (name: string, number: number, word: string) =>
    html`<li>${dataElement(name, number, grouped(number))} ${word}</li>`;
  return html`<section aria-labelledby="pauses"><h2 id="pauses">Throttling and pauses</h2>
<ul>${total("throttled", throttled, throttled === 1 ? "answer was a 429: too many requests" : "answers were a 429: too many requests")}${total("retries", retries, retries === 1 ? "attempt was retried" : "attempts were retried")}${reasons.map(
    (reason) =>
      html`<li>${briefDuration(sum(series[`paused_${reason}_ms`]))} ${pauseWords[reason]}</li>`,
  )}</ul>
${
  pauses.count === 0
    ? html`<p>It never paused.</p>`
    : html`<p class="note">${dataElement("pauses", pauses.count, grouped(pauses.count))} ${pauses.count === 1 ? "pause" : "pauses"}${pauses.count > pauses.longest.length ? `; the ${pauses.longest.length} longest` : ""}:</p>
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

/** Pauses with the same reason and message. */
export interface PauseGroup extends Pick<Pause, "reason" | "message"> {
  readonly count: number;
  /** When the first of them began. */
  readonly firstAtMs: number;
  readonly durationMs: number;
  readonly longestMs: number;
}

/** Groups pauses with the same reason and message, the earliest first. */
export function groupPauses(pauses: readonly Pause[]): PauseGroup[] {
  const groups = new Map<string, PauseGroup>();
  for (const { at_ms, duration_ms, reason, message } of pauses.toSorted(earlierFirst)) {
    const template = messageTemplate(message);
    const key = `${reason} ${template}`;
    const before = groups.get(key);
    groups.set(key, {
      reason,

      message: (before?.message ?? message) === message ? message : template,
      count: (before?.count ?? 0) + 1,
      firstAtMs: before?.firstAtMs ?? at_ms,
      durationMs: (before?.durationMs ?? 0) + duration_ms,
      longestMs: Math.max(before?.longestMs ?? 0, duration_ms),
    });
  }
  return [...groups.values()];
}

function earlierFirst(one: Pause, other: Pause): number {
  return one.at_ms - other.at_ms;
}
