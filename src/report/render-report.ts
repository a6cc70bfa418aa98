import { createHash } from "node:crypto";
import type { NextStep } from "../model/next-step.ts";
import { sum } from "../model/quantities.ts";
import { accountsSection } from "./accounts-section.ts";
import { checksOfRun } from "./checks-of-run.ts";
import { compareResults } from "./compare-results.ts";
import { headSection } from "./head-section.ts";
import { type Html, html } from "./html.ts";
import { latencySection } from "./latency-section.ts";
import { outcomesSection } from "./outcomes-section.ts";
import { nothingToDraw, overTimeSection } from "./over-time-section.ts";
import { pausesSection } from "./pauses-section.ts";
import { problemsSection } from "./problems-section.ts";
import type { ReportedRun, ResultsAccount, UnreadResults } from "./reported-run.ts";
import { settingsSection } from "./settings-section.ts";
import { style } from "./style.ts";
import { verdictOf } from "./verdict.ts";

/** By this beginning a file is known to be a report, and may be written anew. */
export const reportMark = "<!doctype html>\n<!-- a report of eventload -->\n";

/** The only thing that a browser may do with the page is to apply its own style. */
const policy = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; base-uri 'none'; form-action 'none'`;

/**
 * The report of a run as one HTML file, which needs no script and asks for nothing.
 *
 * @param account what its results file says, or why that is not known
 * @param about what to type next, and paths of files of the run that are not there any more
 */
export function renderReport(
  run: ReportedRun,
  account: ResultsAccount | UnreadResults,
  { next, missing = [] }: { readonly next?: NextStep; readonly missing?: readonly string[] } = {},
): string {
  const checks = checksOfRun(run, account);
  const hasLostFailed = run.failed_rows !== null && missing.includes(run.failed_rows);
  const verdict = verdictOf(run, checks, compareResults(run, account), hasLostFailed);
  const page = html`<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${run.input.name}: ${run.kind} report</title>
<style>${trusted(style)}</style></head>
<body><a class="skip" href="#problems">What did not succeed</a>
${headSection(run, verdict, next)}<main>
${outcomesSection(run)}${problemsSection(run, account)}${sendingSections(run)}${accountsSection(checks)}${settingsSection(run, missing)}</main>
<footer><p>Made by eventload ${run.eventload}. This file asks for nothing from anywhere, and runs no script.</p></footer>
</body></html>
`;
  return reportMark + page.html;
}

/** How the sending went, as far as there was any. */
function sendingSections({ figures }: ReportedRun): readonly Html[] {
  if (figures === undefined) return [withoutFigures];
  const hasSent = sum(figures.series.attempts) > 0;
  const hasPaused = figures.pauses.count > 0;
  return [
    ...(hasSent ? [overTimeSection(figures), latencySection(figures.latency)] : [nothingToDraw]),
    ...(hasSent || hasPaused ? [pausesSection(figures)] : []),
  ];
}

const withoutFigures = html`<section aria-labelledby="over-time"><h2 id="over-time">Over time</h2>
<p>The manifest of this run has no figures of how the sending went.</p></section>
`;

function trusted(text: string): Html {
  return { html: text };
}
