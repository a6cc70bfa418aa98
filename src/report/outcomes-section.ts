import { endingOrder, endings, wordOf } from "../domain/endings.ts";
import { grouped } from "../domain/quantities.ts";
import { figure, type Html, html } from "./html.ts";
import type { ReportedRun } from "./reported-run.ts";
import { percent, shareBar } from "./share-bar.ts";

/** How the lines of the results ended. */
export function outcomesSection({ counts }: ReportedRun): Html {
  const all = Object.values(counts).reduce((total, number) => total + number, 0);
  const lines = endingOrder.filter((ending) => (counts[ending] ?? 0) > 0);
  return html`<section aria-labelledby="outcomes"><h2 id="outcomes">How it ended</h2>
<table class="bars outcomes"><thead><tr><th scope="col">Status</th><th scope="col" class="number">Lines</th><th scope="col" class="number">Share</th><td></td><th scope="col">Meaning</th></tr></thead>
<tbody>${lines.map((ending) => {
    const number = counts[ending] ?? 0;
    return html`<tr><th scope="row">${wordOf(ending)}</th><td class="number">${figure(`counts.${ending}`, number, grouped(number))}</td><td class="number">${percent(number, all)}</td><td>${shareBar(number / all, `ending-${ending}`)}</td><td class="meaning">${endings[ending].meaning}</td></tr>
`;
  })}</tbody>
<tfoot><tr><th scope="row">all lines</th><td class="number">${figure("lines", all, grouped(all))}</td><td></td><td></td><td></td></tr></tfoot></table>
</section>
`;
}
