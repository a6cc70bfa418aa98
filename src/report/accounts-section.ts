import type { Check } from "./checks-of-run.ts";
import { figure, type Html, html } from "./html.ts";

/** Numbers that come about in different places, and have to be the same. */
export function accountsSection(checks: readonly Check[]): Html {
  return html`<section class="whole" aria-labelledby="accounts"><h2 id="accounts">Does it add up?</h2>
<table class="checks" aria-labelledby="accounts"><thead><tr><th scope="col">What has to be the same</th><th scope="col">What was found</th><th scope="col">Holds</th></tr></thead>
<tbody>${checks.map(
    ({ name, what, found, holds }) =>
      html`<tr><th scope="row">${what}</th><td>${found}</td>${verdict(name, holds)}</tr>
`,
  )}</tbody></table>
</section>
`;
}

function verdict(name: string, holds: boolean | undefined): Html {
  if (holds === undefined) return html`<td>– not known</td>`;
  return html`<td class="${holds ? "good" : "bad"}">${figure(name, holds ? 1 : 0, holds ? "✓ yes" : "✗ no")}</td>`;
}
