import { type OutcomeStatus, statusOrder, wordOf } from "../model/outcome.ts";
import { count, grouped, sum } from "../model/quantities.ts";
import { dataElement, type Html, html } from "./html.ts";
import { isComplete, type ReportedRun } from "./reported-run.ts";
import type { ResultsSummary, UnreadResults } from "./results-summary.ts";

/** Numbers from different sources that have to be the same. */
export interface Check {
  readonly name: string;
  readonly about: "run" | "file" | "charts";
  readonly what: string;
  readonly found: string;
  /** Undefined if it is not known. */
  readonly holds: boolean | undefined;
}

/** Compares all numbers that have to be the same. */
export function reconcile(run: ReportedRun, found: ResultsSummary | UnreadResults): Check[] {
  return [...runChecks(run), ...fileChecks(run, found), ...chartChecks(run)];
}

export function reconciliationSection(checks: readonly Check[]): Html {
  return html`<section class="whole" aria-labelledby="reconciliation"><h2 id="reconciliation">Consistency checks</h2>
<table class="checks" aria-labelledby="reconciliation"><thead><tr><th scope="col">What has to be the same</th><th scope="col">What was found</th><th scope="col">Holds</th></tr></thead>
<tbody>${checks.map(
    ({ name, what, found, holds }) =>
      html`<tr><th scope="row">${what}</th><td>${found}</td>${cellOf(name, holds)}</tr>
`,
  )}</tbody></table>
</section>
`;
}

function cellOf(name: string, holds: boolean | undefined): Html {
  if (holds === undefined) return html`<td>– not known</td>`;
  return html`<td class="${holds ? "good" : "bad"}">${dataElement(name, holds ? 1 : 0, holds ? "✓ yes" : "✗ no")}</td>`;
}

function runChecks(run: ReportedRun): Check[] {
  const { reconciliation, counts } = run;
  const { rows_read, rows_settled, rows_not_settled, rows_written, lines } = reconciliation;
  const all = sum(Object.values(counts));
  const about = "run";
  const rows: Check = {
    name: "holds.rows",
    about,
    what: "Rows of the input = rows with an outcome + rows without",
    found: `${grouped(rows_read)} = ${grouped(rows_settled)} + ${grouped(rows_not_settled)}`,
    holds: rows_read === rows_settled + rows_not_settled,
  };
  if (!isComplete(run)) return [rows];
  return [
    rows,
    {
      name: "holds.written",
      about,
      what: "Rows of the input = rows that the run wrote to the results file",
      found: compared(rows_read, rows_written),
      holds: rows_read === rows_written,
    },
    {
      name: "holds.lines",
      about,
      what: "All statuses together = lines that the run wrote to the results file",
      found: compared(all, lines),
      holds: all === lines,
    },
  ];
}

/** Whether the file is still as the run wrote it. */
function fileChecks(run: ReportedRun, found: ResultsSummary | UnreadResults): Check[] {
  const { lines } = run.reconciliation;
  const about = "file";
  const file = {
    name: "holds.file",
    about,
    what: "Lines that the run wrote = lines in the results file now",
  } as const;
  if ("isMissing" in found) {
    const why = found.isMissing ? "the file is missing" : found.problem;
    return [{ ...file, found: `${grouped(lines)}, and ${why}`, holds: false }];
  }
  const damage = found.problem === undefined ? "" : `, and then ${found.problem}`;
  const isWhole = lines === found.lines && found.problem === undefined;
  const checks: Check[] = [
    { ...file, found: `${compared(lines, found.lines)}${damage}`, holds: isWhole },
  ];
  if (!isComplete(run)) return checks;
  const differing = [
    ...differingStatuses(run, found).map(
      (status) =>
        `${wordOf(status)}: ${grouped(run.counts[status] ?? 0)} and ${grouped(found.counts[status])}`,
    ),
    ...(found.unreadable > 0 ? [`${grouped(found.unreadable)} cannot be made out`] : []),
  ];
  checks.push({
    name: "holds.statuses",
    about,
    what: "Each status in the manifest = the same in the results file now",
    found: differing.length === 0 ? "all the same" : differing.join("; "),
    holds: differing.length === 0,
  });
  return checks;
}

function chartChecks(run: ReportedRun): Check[] {
  // A line that is retried is in the figures of each part that sent it.
  const isRetried = run.parts.some(({ part }) => part > 1);
  if (run.figures === undefined || isRetried) return [];
  const charted = linesInFigures(run);
  const settled = linesWithStatus(run);
  const cannotTell = charted < settled && hasLostPart(run);
  return [
    {
      name: "holds.figures",
      about: "charts",
      what: "Lines with a status = lines in the figures over time",
      found: cannotTell
        ? `${grouped(settled)} and ${grouped(charted)}: a part of the run left no figures`
        : compared(settled, charted),
      holds: cannotTell ? undefined : charted === settled,
    },
  ];
}

function compared(one: number, other: number): string {
  return `${grouped(one)} ${one === other ? "=" : "≠"} ${grouped(other)}`;
}

/** Lines of the results that the figures cover. */
function linesInFigures({ figures }: Pick<ReportedRun, "figures">): number {
  if (figures === undefined) return 0;
  const { succeeded, not_succeeded, skipped } = figures.series;
  return sum(succeeded) + sum(not_succeeded) + sum(skipped);
}

/** Lines of the results that have a status: rows that have not settled have none yet. */
export function linesWithStatus({ counts }: Pick<ReportedRun, "counts">): number {
  return sum(Object.values(counts)) - (counts.not_sent ?? 0);
}

/** Whether the figures lack a part that was killed, or met a disk too full for its manifest. */
export function hasLostPart({ parts }: Pick<ReportedRun, "parts">): boolean {
  return parts.some(({ finished_at: at }) => at === null);
}

/** How the results file differs from what the run wrote, as parts of a sentence. */
export function compareResults(run: ReportedRun, found: ResultsSummary | UnreadResults): string[] {
  if ("isMissing" in found) return [found.isMissing ? "it is not there" : found.problem];
  const { lines } = run.reconciliation;
  return [
    ...(found.problem === undefined ? [] : [found.problem]),
    ...(found.lines === lines
      ? []
      : [`${count(found.lines, "line")} instead of ${grouped(lines)}`]),
    ...differingStatuses(run, found).map(
      (status) =>
        `${grouped(found.counts[status])} ${wordOf(status)} instead of ${grouped(run.counts[status] ?? 0)}`,
    ),
    ...(found.unreadable === 0
      ? []
      : [`${count(found.unreadable, "line")} of which the status cannot be made out`]),
  ];
}

/** Statuses that the file has more or less often than the run counted. A stopped run has not written all. */
function differingStatuses(run: ReportedRun, { counts }: ResultsSummary): OutcomeStatus[] {
  if (!isComplete(run)) return [];
  return statusOrder.filter(
    (status) => status !== "not_sent" && counts[status] !== (run.counts[status] ?? 0),
  );
}
