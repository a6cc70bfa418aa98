import { createHash } from "node:crypto";
import type { NextStep } from "../model/next-step.ts";
import { statuses, statusOrder, wordOf } from "../model/outcome.ts";
import { count, duration, grouped } from "../model/quantities.ts";
import { type Check, checksOfRun, compareResults } from "./checks-of-run.ts";
import { headSection } from "./head-section.ts";
import { figure, foreign, type Html, html, percent, shareBar } from "./html.ts";
import { problemsSection } from "./problems-section.ts";
import type { ReportedRun, ResultsAccount, UnreadResults } from "./reported-run.ts";
import { sendingSections } from "./sending-sections.ts";
import { style } from "./style.ts";
import { verdictOf } from "./verdict.ts";

/** A file that begins like this is a report, and may be overwritten. */
export const reportMark = "<!doctype html>\n<!-- a report of eventload -->\n";

/** The only thing that a browser may do with the page is to apply its own style. */
const policy = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; base-uri 'none'; form-action 'none'`;

/**
 * The report of a run as one HTML file, which needs no script and asks for nothing.
 *
 * @param account what its results file says, or why that is not known
 * @param about the command to run next, and paths of files of the run that are gone
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
${outcomesSection(run)}${problemsSection(run, account)}${sendingSections(run)}${reconciliationSection(checks)}${settingsSection(run, missing)}</main>
<footer><p>Made by eventload ${run.eventload}. This file asks for nothing from anywhere, and runs no script.</p></footer>
</body></html>
`;
  return reportMark + page.html;
}

function trusted(text: string): Html {
  return { html: text };
}

/** How the lines ended; those of rows that were not reached are no lines of the results file yet. */
function outcomesSection({ counts, exit_reason }: ReportedRun): Html {
  const all = Object.values(counts).reduce((total, number) => total + number, 0);
  const isComplete = exit_reason === "complete";
  const lines = statusOrder.filter((status) => (counts[status] ?? 0) > 0);
  return html`<section class="whole" aria-labelledby="outcomes"><h2 id="outcomes">How it ended</h2>
<p class="note">${isComplete ? unit : unitWhenStopped}</p>
<table class="bars outcomes" aria-labelledby="outcomes"><thead><tr><th scope="col">Status</th><th scope="col" class="number">Number</th><th scope="col" class="number">Share</th><td></td><th scope="col">Meaning</th></tr></thead>
<tbody>${lines.map((status) => {
    const number = counts[status] ?? 0;
    return html`<tr><th scope="row">${wordOf(status)}</th><td class="number">${figure(`counts.${status}`, number, grouped(number))}</td><td class="number">${percent(number, all)}</td><td>${shareBar(number / all, `status-${status}`)}</td><td class="meaning">${statuses[status].meaning}</td></tr>
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

/** Numbers that come about in different places, and have to be the same. */
function reconciliationSection(checks: readonly Check[]): Html {
  return html`<section class="whole" aria-labelledby="reconciliation"><h2 id="reconciliation">Does it add up?</h2>
<table class="checks" aria-labelledby="reconciliation"><thead><tr><th scope="col">What has to be the same</th><th scope="col">What was found</th><th scope="col">Holds</th></tr></thead>
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

/**
 * The settings of the run, and the files that it read and wrote.
 *
 * @param missing files that it wrote and that are gone
 */
function settingsSection(run: ReportedRun, missing: readonly string[]): Html {
  const { input, inputs, mapping, options } = run;
  const inputFiles = inputs ?? [{ ...input, path: input.path ?? input.name }];
  return html`<section aria-labelledby="settings"><h2 id="settings">Settings</h2>
<p class="note">As the manifest has them; the token is in none of a run's files.</p>
<dl class="settings">${[...flat(options), ...differences(run.parts ?? [])].map(
    ([name, value]) => html`<div><dt>${foreign(name)}</dt><dd>${foreign(value)}</dd></div>
`,
  )}</dl>
</section>
<section aria-labelledby="files"><h2 id="files">Files</h2>
<table class="files" aria-labelledby="files"><thead><tr><th scope="col">What</th><th scope="col">Where, how long, and its SHA-256</th></tr></thead>
<tbody>${inputFiles.map((file) => fileLine("input", file))}${fileLine("mapping", mapping)}${fileLine("results", { path: run.results, isMissing: missing.includes(run.results) })}${
    run.failed_rows === null
      ? undefined
      : fileLine("failed rows", {
          path: run.failed_rows,
          isMissing: missing.includes(run.failed_rows),
        })
  }</tbody></table>
</section>
`;
}

function fileLine(
  what: string,
  file: {
    readonly path: string;
    readonly bytes?: number | null;
    readonly sha256?: string | null;
    readonly isMissing?: boolean;
  },
): Html {
  const { path, bytes, sha256, isMissing = false } = file;
  return html`<tr><th scope="row">${what}</th><td>${foreign(path)}${
    isMissing ? html` <strong class="bad">not there</strong>` : undefined
  }${
    typeof bytes === "number" ? html`<span class="file">${count(bytes, "byte")}</span>` : undefined
  }${
    typeof sha256 === "string" ? html`<span class="file hash">${foreign(sha256)}</span>` : undefined
  }</td></tr>
`;
}

/** What was not the same in all parts of the run, for each of them. */
function differences(parts: NonNullable<ReportedRun["parts"]>): [string, string][] {
  const isSame = (name: string) => parts.every((part) => part[name] === parts[0]?.[name]);
  return parts.flatMap((part, at) => {
    const own = Object.entries(part).filter(([name]) => name !== "started_at" && !isSame(name));
    return flat(Object.fromEntries(own)).map(([name, value]): [string, string] => [
      `part ${at + 1}: ${name}`,
      value,
    ]);
  });
}

/** What is not given is left out; what is in an object stands beside the rest. */
function flat(options: Readonly<Record<string, unknown>>): [string, string][] {
  return Object.entries(options).flatMap(([name, value]): [string, string][] => {
    if (value === null || value === undefined) return [];
    const words = name.replace(/_ms$/, "").replaceAll("_", " ");
    if (Array.isArray(value)) return value.length === 0 ? [] : [[words, value.join(", ")]];
    if (typeof value === "object") {
      return flat(value as Record<string, unknown>).map(([inner, of]) => [
        `${words}: ${inner}`,
        of,
      ]);
    }
    return [[words, shown(name, value)]];
  });
}

function shown(name: string, value: unknown): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "number") return String(value);
  return name.endsWith("_ms") ? duration(value) : grouped(value);
}
