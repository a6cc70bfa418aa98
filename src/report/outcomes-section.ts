import { endingOrder, endings, wordOf } from "../model/outcome.ts";
import { grouped } from "../model/quantities.ts";
import { figure, type Html, html } from "./html.ts";
import type { ReportedRun } from "./reported-run.ts";
import { percent, shareBar } from "./share-bar.ts";

/** How the lines ended; those of rows that were not reached are no lines of the results file yet. */
export function outcomesSection({ counts, exit_reason }: ReportedRun): Html {
  const all = Object.values(counts).reduce((total, number) => total + number, 0);
  const isComplete = exit_reason === "complete";
  const lines = endingOrder.filter((ending) => (counts[ending] ?? 0) > 0);
  return html`<section class="whole" aria-labelledby="outcomes"><h2 id="outcomes">How it ended</h2>
<p class="note">${isComplete ? unit : unitWhenStopped}</p>
<table class="bars outcomes" aria-labelledby="outcomes"><thead><tr><th scope="col">Status</th><th scope="col" class="number">Number</th><th scope="col" class="number">Share</th><td></td><th scope="col">Meaning</th></tr></thead>
<tbody>${lines.map((ending) => {
    const number = counts[ending] ?? 0;
    return html`<tr><th scope="row">${wordOf(ending)}</th><td class="number">${figure(`counts.${ending}`, number, grouped(number))}</td><td class="number">${percent(number, all)}</td><td>${shareBar(number / all, `ending-${ending}`)}</td><td class="meaning">${endings[ending].meaning}</td></tr>
`;
  })}</tbody>
<tfoot><tr><th scope="row">all</th><td class="number">${figure("lines", all, grouped(all))}</td><td></td><td></td><td></td></tr></tfoot></table>
</section>
`;
}

const unit =
  "Each line of the results file is counted: one for an event, or for a row without one.";

const unitWhenStopped =
  "Counted is each event, and each row that has none or was not reached. The results file has those up to the first row that is not settled.";
