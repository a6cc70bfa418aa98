import { createHash } from "node:crypto";
import type { NextStep } from "../model/next-step.ts";
import { statuses, statusOrder, wordOf } from "../model/outcome.ts";
import { count, duration, grouped, sum } from "../model/quantities.ts";
import { headSection, instant } from "./head-section.ts";
import { dataElement, foreign, type Html, html, percent, shareBar } from "./html.ts";
import {
  latencySection,
  noFiguresSection,
  nothingSentSection,
  overTimeSection,
} from "./over-time-section.ts";
import { pausesSection } from "./pauses-section.ts";
import { problemsSection } from "./problems-section.ts";
import {
  compareResults,
  linesWithStatus,
  reconcile,
  reconciliationSection,
} from "./reconciliation.ts";
import type { ReportedRun } from "./reported-run.ts";
import type { ResultsSummary, UnreadResults } from "./results-summary.ts";
import { style } from "./style.ts";

/** A file that begins like this is a report and may be overwritten. */
export const reportMark = "<!doctype html>\n<!-- a report of eventload -->\n";

/** Lets a browser do nothing but apply the style of the page. */
const policy = `default-src 'none'; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; base-uri 'none'; form-action 'none'`;

/**
 * Renders the report of a run: one HTML file without scripts that loads nothing.
 *
 * @param summary the lines of its results file, or why it could not be read
 * @param about the command to run next, and files of the run that are missing
 */
export function renderReport(
  run: ReportedRun,
  summary: ResultsSummary | UnreadResults,
  { next, missing = [] }: { readonly next?: NextStep; readonly missing?: readonly string[] } = {},
): string {
  const checks = reconcile(run, summary);
  const differences = compareResults(run, summary);
  const isFailedFileMissing = run.failed_rows !== null && missing.includes(run.failed_rows);
  const page = html`<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${run.input.name}: import report</title>
<style>${trusted(style)}</style></head>
<body><a class="skip" href="#problems">What did not succeed</a>
${headSection(run, { checks, differences, isFailedFileMissing }, next)}<main>
${outcomesSection(run)}${problemsSection(run, summary)}${sendingSections(run)}${reconciliationSection(checks)}${settingsSection(run, missing)}</main>
<footer><p>Made by eventload ${run.eventload}. This file loads nothing and runs no script.</p></footer>
</body></html>
`;
  return reportMark + page.html;
}

/** Whether a page is the report of the run that began then, in ISO 8601. */
export function isReportOf(page: string, startedAt: string): boolean {
  return page.includes(`started ${instant(startedAt).html}`);
}

function trusted(text: string): Html {
  return { html: text };
}

/** The statuses of all lines. Rows that have not settled have no lines yet. */
function outcomesSection(run: ReportedRun): Html {
  const { counts } = run;
  const all = linesWithStatus(run);
  const lines = statusOrder.filter((status) => status !== "not_sent" && (counts[status] ?? 0) > 0);
  return html`<section class="whole" aria-labelledby="outcomes"><h2 id="outcomes">How it ended</h2>
<p class="note">${unitOf(run)}</p>
<table class="bars outcomes" aria-labelledby="outcomes"><thead><tr><th scope="col">Status</th><th scope="col" class="number">Number</th><th scope="col" class="number">Share</th><td></td><th scope="col">Meaning</th></tr></thead>
<tbody>${lines.map((status) => {
    const number = counts[status] ?? 0;
    return html`<tr><th scope="row">${wordOf(status)}</th><td class="number">${dataElement(`counts.${status}`, number, grouped(number))}</td><td class="number">${percent(number, all)}</td><td>${shareBar(number / all, `status-${status}`)}</td><td class="meaning">${statuses[status].meaning}</td></tr>
`;
  })}</tbody>
<tfoot><tr><th scope="row">all</th><td class="number">${dataElement("lines", all, grouped(all))}</td><td></td><td></td><td></td></tr></tfoot></table>
</section>
`;
}

/** Over time, time to an answer, throttling and pauses. */
function sendingSections({ figures }: ReportedRun): readonly Html[] {
  if (figures === undefined) return [noFiguresSection];
  const hasSent = sum(figures.series.attempts) > 0;
  const hasPaused = figures.pauses.count > 0;
  return [
    ...(hasSent
      ? [overTimeSection(figures), latencySection(figures.latency)]
      : [nothingSentSection]),
    ...(hasSent || hasPaused ? [pausesSection(figures)] : []),
  ];
}

/** What the counts are of. */
function unitOf({ counts }: ReportedRun): Html {
  const { not_sent: left = 0 } = counts;
  if (left === 0) {
    return html`These are the lines of the results file: one for each event, and one for a row without events.`;
  }
  return html`These are lines: one for each event that has settled, and one for each row without events. ${dataElement("counts.not_sent", left, count(left, "row"))} had not settled when the run stopped: the results file has the lines up to the first of them.`;
}

/**
 * The settings of the run, and the files that it read and wrote.
 *
 * @param missing files that it wrote and that are missing now
 */
function settingsSection(run: ReportedRun, missing: readonly string[]): Html {
  const { input, inputs, mapping, options } = run;
  const inputFiles = inputs ?? [{ ...input, path: input.path ?? input.name }];
  return html`<section aria-labelledby="settings"><h2 id="settings">Settings</h2>
<p class="note">As in the manifest. No file of a run has the token.</p>
<dl class="settings">${[...flatten(options), ...settingsOfParts(run.parts)].map(
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

/** How a part was sent. */
const sendingNames = [
  ...["concurrency", "rate_per_second", "adaptive", "timeout_ms"],
  ...["max_attempts", "max_errors", "max_outage_ms", "durability"],
];

/** Settings that differ between the parts, for each part. */
function settingsOfParts(parts: ReportedRun["parts"]): [string, string][] {
  const differing = sendingNames.filter((name) =>
    parts.some((part) => part[name] !== parts[0]?.[name]),
  );
  return parts.flatMap((part, at) => {
    const own = differing.map((name) => [name, part[name]] as const);
    return flatten(Object.fromEntries(own)).map(([name, value]): [string, string] => [
      `part ${at + 1}: ${name}`,
      value,
    ]);
  });
}

/** Names and values of options, without those that are not given. Options in an object are put beside the rest. */
function flatten(options: Readonly<Record<string, unknown>>): [string, string][] {
  return Object.entries(options).flatMap(([name, value]): [string, string][] => {
    if (value === null || value === undefined) return [];
    const words = name.replace(/_ms$/, "").replaceAll("_", " ");
    if (Array.isArray(value)) return value.length === 0 ? [] : [[words, value.join(", ")]];
    if (typeof value === "object") {
      return flatten(value as Record<string, unknown>).map(([inner, of]) => [
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
