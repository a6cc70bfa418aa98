import { endingOrder, wordOf } from "../domain/endings.ts";
import { grouped, sum } from "../domain/quantities.ts";
import { figure, type Html, html } from "./html.ts";
import { hasLostPart, linesDrawn, linesEnded } from "./lost-part.ts";
import type { ReportedRun, ResultsAccount } from "./reported-run.ts";

interface Check {
  readonly name: string;
  readonly what: string;
  readonly found: string;
  /** Absent where it cannot be told. */
  readonly holds: boolean | undefined;
}

/** Numbers that come about in different places, and have to be the same. */
export function accountsSection(
  run: ReportedRun,
  account: ResultsAccount | { readonly problem: string },
): Html {
  const checks = checksOf(run, "problems" in account ? account : undefined);
  return html`<section aria-labelledby="accounts"><h2 id="accounts">Does it add up?</h2>
<table class="checks"><thead><tr><th scope="col">What has to be the same</th><th scope="col">What was found</th><th scope="col">Holds</th></tr></thead>
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

function checksOf(run: ReportedRun, account: ResultsAccount | undefined): Check[] {
  const { rows_read, rows_settled, rows_not_settled, rows_written, lines } = run.reconciliation;
  const all = sum(Object.values(run.counts));
  const isComplete = run.exit_reason === "complete";
  const checks: Check[] = [
    {
      name: "holds.rows",
      what: "Rows of the input = rows with an outcome + rows without",
      found: `${grouped(rows_read)} = ${grouped(rows_settled)} + ${grouped(rows_not_settled)}`,
      holds: rows_read === rows_settled + rows_not_settled,
    },
  ];
  if (isComplete) {
    checks.push(
      {
        name: "holds.written",
        what: "Rows of the input = rows in the results",
        found: `${grouped(rows_read)} = ${grouped(rows_written)}`,
        holds: rows_read === rows_written,
      },
      {
        name: "holds.lines",
        what: "All statuses together = lines in the results",
        found: `${grouped(all)} = ${grouped(lines)}`,
        holds: all === lines,
      },
    );
  }
  if (account !== undefined) checks.push(...fileChecks(run, account, isComplete));
  if (run.figures !== undefined) {
    const drawn = linesDrawn(run);
    const ended = linesEnded(run);
    const cannotTell = drawn < ended && hasLostPart(run);
    checks.push({
      name: "holds.figures",
      what: "Lines with a status = lines that the charts show",
      found: cannotTell
        ? `${grouped(ended)} and ${grouped(drawn)}: a part of the run was killed and left no figures`
        : `${grouped(ended)} = ${grouped(drawn)}`,
      holds: cannotTell ? undefined : drawn === ended,
    });
  }
  return checks;
}

/** Whether the file still is what the run wrote. */
function fileChecks(run: ReportedRun, account: ResultsAccount, isComplete: boolean): Check[] {
  const { lines } = run.reconciliation;
  const differing = endingOrder.filter(
    (ending) => ending !== "not_sent" && account.counts[ending] !== (run.counts[ending] ?? 0),
  );
  const checks: Check[] = [
    {
      name: "holds.file",
      what: "Lines that the run wrote = lines in the results file now",
      found: `${grouped(lines)} = ${grouped(account.lines)}`,
      holds: lines === account.lines,
    },
  ];
  if (!isComplete) return checks;
  const found =
    differing.length === 0 && account.unreadable === 0
      ? "all the same"
      : [
          ...differing.map(
            (ending) =>
              `${wordOf(ending)}: ${grouped(run.counts[ending] ?? 0)} and ${grouped(account.counts[ending])}`,
          ),
          ...(account.unreadable > 0 ? [`${grouped(account.unreadable)} cannot be made out`] : []),
        ].join("; ");
  checks.push({
    name: "holds.statuses",
    what: "Each status in the manifest = the same in the results file now",
    found,
    holds: found === "all the same",
  });
  return checks;
}
