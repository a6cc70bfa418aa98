import { oneLine } from "../model/escape-text.ts";
import { foreign, type Html, html } from "../model/look/html.ts";
import { inlineSource } from "../model/look/inline-source.ts";
import { outcomeStatuses, wordOf } from "../model/outcome.ts";
import { count, duration, grouped, shortNumber, shortTime, sum } from "../model/quantities.ts";
import { cutTo } from "../model/row.ts";
import { tellCommand, typedCommand } from "../model/typed-command.ts";
import { checksOf } from "./checks.ts";
import { dataElement, percent, table } from "./elements.ts";
import { incidentsOf, nameOfIncident } from "./incidents.ts";
import { problemsSection } from "./problems-section.ts";
import { reportFigures } from "./report-figures.ts";
import type { Reported } from "./reported-run.ts";
import { style } from "./style.ts";
import { timeCharts } from "./time-charts.ts";
import { verdictOf, whatPartDid } from "./verdict.ts";

/** A file that begins like this is a report and may be overwritten. */
export const reportMark = "<!doctype html>\n<!-- a report of eventload -->\n";

/** Lets a browser do nothing but apply the style of the page. */
const policy = `default-src 'none'; style-src ${inlineSource(style)}; base-uri 'none'; form-action 'none'`;

/** Below that, charts over time say nothing. */
const minChartMs = 5000;

/** Renders the report of an account: one HTML file that loads nothing. */
export function renderReport(reported: Reported): string {
  const { run } = reported;
  const page = html`<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${run.input.name}: import report</title>
<style>${{ html: style }}</style></head>
<body>${head(reported)}<main>
${problemsSection(reported)}${kindsSection(reported)}${sendingSection(reported)}${lastSection(reported)}</main>
<footer><p>Made by eventload ${run.eventload}. This file loads nothing.</p></footer>
</body></html>
`;
  return reportMark + page.html;
}

/** How the import went, what became of its lines, what to do next, and what each part did. */
function head(reported: Reported): Html {
  const { run, next, moments } = reported;
  const { look, headline, story, remarks } = verdictOf(reported);
  return html`<header>
<p class="kicker">${foreign(run.input.name)} to ${foreign(run.base_url)}</p>
<div class="verdict ${look}"><h1>${foreign(headline)}</h1><p>${foreign(story)}</p></div>
${remarks.length !== 0 && html`<ul class="remarks">${remarks.map((remark) => html`<li>${foreign(remark)}</li>`)}</ul>`}
${outcomeBar(reported)}
${next !== undefined && html`<p class="next">Next: ${foreign(next.before)}${typedCommand(next.command) === null ? foreign(tellCommand(...next.command)) : html`<code>${tellCommand(...next.command)}</code>`}</p>`}
${
  run.parts.length > 1 &&
  html`<ol class="parts">${run.parts.map((part) => {
    const { started_at: from, finished_at: to } = part;
    return html`<li><span class="when">${moments.span(from, to ?? from, run.started_at)}</span> ${whatPartDid(part)}</li>`;
  })}</ol>`
}
</header>
`;
}

/** All lines by status, with the rows that have not settled. */
function outcomeBar({ run: { counts } }: Reported): Html {
  const shown = outcomeStatuses.filter((status) => (counts[status] ?? 0) > 0);
  const all = sum(shown.map((status) => counts[status] ?? 0));
  if (all === 0) return html``;
  const least = 0.006 * all;
  const widths = shown.map((status) => Math.max(least, counts[status] ?? 0));
  const scale = 1000 / sum(widths);
  const name = (status: string) => status.replace("_", "-");
  return html`<svg class="bar" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">${shown.map(
    (status, at) =>
      html`<rect class="${name(status)}" x="${sum(widths.slice(0, at)) * scale}" width="${(widths[at] ?? 0) * scale}" height="10"/>`,
  )}</svg>
<ul class="legend">${shown.map((status) => {
    const number = counts[status] ?? 0;
    return html`<li><span class="key ${name(status)}"></span><b>${dataElement(`counts.${status}`, number, grouped(number))}</b> ${wordOf(status)} (${percent(number, all)})</li>`;
  })}</ul>`;
}

function kindsSection({ run: { figures }, isMasked }: Reported): Html {
  const kinds = figures?.kinds ?? [];
  if (kinds.length === 0) return html``;
  const name = (kind: string, at: number) =>
    isMasked ? `kind ${at + 1}` : kind === "" ? "others" : kind;
  const lines = kinds.map(({ kind, requests, succeeded }, at) => [
    foreign(name(kind, at)),
    ...[grouped(succeeded), grouped(requests)],
  ]);
  return html`<section aria-labelledby="kinds"><h2 id="kinds">Events sent</h2>
${table("Events sent", ["Kind of event", "#Delivered", "#Requests"], lines)}
</section>
`;
}

/** How it sent: in words, over time, and what the service answered. */
function sendingSection(reported: Reported): Html {
  const { run, moments, isMasked } = reported;
  const { figures, attempts, unanswered, started_at: near } = run;
  if (figures === undefined) {
    return html`<section><h2>Sending</h2><p>The manifest has no figures of how it was sent.</p></section>`;
  }
  const { series, latency, pauses, answers } = figures;
  if (sum(series.attempts) === 0) return html``;
  const incidents = incidentsOf(figures);
  const { duration_ms: ms } = series;
  const perSecond = shortNumber((sum(series.attempts) * 1000) / Math.max(1, ms));
  const retries = sum(series.retries);
  const answered = answers.map(({ status, count: number, first_at: first, last_at: last }) => [
    status,
    dataElement(`answers.${status}`, number, grouped(number)),
    ...[moments.span(first, first, near), moments.span(last, last, near)],
  ]);
  return html`<section aria-labelledby="sending"><h2 id="sending">Sending</h2>
<p>${dataElement("attempts", attempts, count(attempts, "request"))}${retries !== 0 && html`, of them ${dataElement("retries", retries, grouped(retries))} ${retries === 1 ? "retry" : "retries"}`}${
    unanswered !== 0 &&
    html`, ${dataElement("unanswered", unanswered, grouped(unanswered))} unanswered`
  }; ${perSecond} a second over ${dataElement("sending_ms", ms, duration(ms))} of sending.${
    latency.answers !== 0 &&
    ` Half of the answers came within ${shortTime(latency.p50_ms)}, 95\u00a0% within ${shortTime(latency.p95_ms)}, all within ${shortTime(latency.max_ms)}.`
  }</p>
${ms < minChartMs ? undefined : timeCharts(figures, incidents)}
${
  incidents.length !== 0 &&
  html`<ul>${incidents.map(
    (incident) =>
      html`<li><strong>${incident.letter}</strong> <span class="key ${incident.reason}"></span>${nameOfIncident(incident)}: ${moments.span(incident.from, incident.to, near)}${
        isMasked ? undefined : html` – ${foreign(incident.message)}`
      }</li>`,
  )}</ul>${pauses.count > pauses.longest.length ? html`<p class="note">These are the ${pauses.longest.length} longest of ${count(pauses.count, "pause")}.</p>` : undefined}`
}
${answers.length !== 0 && table("Answers", ["HTTP", "#Answers", "First", "Last"], answered)}
</section>
`;
}

/** What few readers need, folded. */
function lastSection(reported: Reported): Html {
  const { run, missing } = reported;
  const { input, inputs = [input], mapping, options } = run;
  const checks = checksOf(reported);
  const isBad = checks.some(({ holds }) => !holds);
  const files = [
    ...inputs,
    { ...mapping, name: mapping.path },
    { ...run.results_file, name: run.results },
    ...(run.failed_rows === null ? [] : [{ ...run.failed_rows_file, name: run.failed_rows }]),
  ];
  const checked = checks.map(({ name, what, found, holds }) => [
    what,
    foreign(found),
    dataElement(`holds.${name}`, Number(holds), holds ? "✓ yes" : "✗ no"),
  ]);
  return html`<section class="last" aria-label="Settings, checks and files">
<details><summary>Settings</summary>
<pre>${foreign(JSON.stringify(options, (_, value) => value ?? undefined, 1))}</pre></details>
<details${isBad ? html` open` : undefined}><summary>Consistency checks: ${isBad ? "not all hold" : "all hold"}</summary>
${table("Consistency checks", ["What has to be the same", "What was found", "Holds"], checked)}</details>
<details><summary>Files and their SHA-256</summary>
<ul>${files.map(
    ({ name, bytes, sha256 }) =>
      html`<li>${foreign(name)}${missing.includes(name) ? html` <strong class="bad">not there</strong>` : undefined}${
        typeof bytes === "number" ? `, ${count(bytes, "byte")}` : ""
      } <span class="hash">${sha256 ?? ""}</span></li>
`,
  )}</ul></details>
</section>
`;
}

const maxLines = 10;
const maxChars = 160;

/** The report in ten lines at most, for a mail. */
export function renderTextReport(reported: Reported): string[] {
  const { run, next } = reported;
  const { headline, story, remarks } = verdictOf(reported);
  const { problems, lines } = reportFigures(reported);
  const said = problems.map(({ status, code, message, count, rows: [first] }) => {
    const what = [wordOf(status), code, message ?? ""].filter((word) => word !== "").join(" ");
    return `- ${grouped(count)} (${percent(count, lines)}) ${what}; first row ${first ?? ""}`;
  });
  const head = [`${run.input.name} to ${run.base_url}`, headline, story, ...remarks.slice(0, 3)];
  // The command is not cut.
  const end =
    next === undefined ? [] : [oneLine(`Next: ${next.before}${tellCommand(...next.command)}`)];
  return [...[...head, ...said].slice(0, maxLines - end.length).map(cut), ...end];
}

function cut(line: string): string {
  return cutTo(maxChars, oneLine(line));
}
