import { oneLine } from "../model/escape-text.ts";
import { bar, copyableCommand, foreign, type Html, html } from "../model/look/html.ts";
import { inlineSource } from "../model/look/inline-source.ts";
import { lookScript } from "../model/look/look-script.ts";
import { nightFates } from "../model/night-fates.ts";
import { type OutcomeStatus, wordOf } from "../model/outcome.ts";
import { count, grouped, shortNumber, shortTime, sum } from "../model/quantities.ts";
import { cutTo } from "../model/row.ts";
import { settingsOf, unusualOptions } from "../model/run-settings.ts";
import { createStatusRules } from "../model/status-rules.ts";
import { type CommandWords, tellCommand, typedCommand } from "../model/typed-command.ts";
import { checksOf } from "./checks.ts";
import { dataElement, percent, table } from "./elements.ts";
import { incidentsOf, nameOfIncident } from "./incidents.ts";
import { problemsSection } from "./problems-section.ts";
import { reportFigures } from "./report-figures.ts";
import type { Reported } from "./reported-run.ts";
import { reportStyle } from "./style.ts";
import { timeCharts } from "./time-charts.ts";
import { nameOfPart, verdictOf } from "./verdict.ts";

/** A file that begins like this is a report and may be overwritten. */
export const reportMark = "<!doctype html>\n<!-- a report of eventload -->\n";

/** Lets a browser do nothing but apply the style of the page, and copy a command. */
const policy = `default-src 'none'; script-src ${inlineSource(lookScript)}; style-src ${inlineSource(reportStyle)}; base-uri 'none'; form-action 'none'`;

// The bundler splits this end tag, which it cannot do within a tagged template.
const reportScript = { html: `<script>${lookScript}</script>` };

/** Below that, charts over time say nothing. */
const minChartMs = 5000;

/** Renders the report of an account: one HTML file that loads nothing. */
export function renderReport(reported: Reported): string {
  const { run, isMasked } = reported;
  const holdsCells = !isMasked && (reported.failed?.lines ?? 0) > 0;
  const page = html`<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${run.input.name}: import report</title>
<style>${{ html: reportStyle }}</style></head>
<body><main class="page">
${verdictCard(reported)}${problemsSection(reported)}${nightSection(reported)}${sendingSection(reported)}${lastSection(reported)}</main>
<footer class="page quiet"><p>Made by eventload ${run.eventload}. This file loads nothing.${holdsCells && " It shows cells of rows that are open: to give it to others, make it with --mask-cells."}</p></footer>
${reportScript}</body></html>
`;
  return reportMark + page.html;
}

/** How the import went, what became of its lines, and what to do next. */
function verdictCard(reported: Reported): Html {
  const { run } = reported;
  const { kind, headline, story, when, remarks } = verdictOf(reported);
  return html`<div class="card verdict ${kind}"><div>
<p class="quiet">Import of <strong>${foreign(run.input.name)}</strong> to ${foreign(run.base_url)}<br>${when}</p>
<h1>${headline}</h1><p>${story}</p>
${outcomeBar(reported)}${
  remarks.length !== 0 &&
  html`<ul class="remarks">${remarks.map((remark) => html`<li>${foreign(remark)}</li>`)}</ul>`
}</div>
<div class="next">${nextSteps(reported)}</div></div>
`;
}

function nextSteps(reported: Reported): Html {
  const { run, next, toFix, map } = reported;
  const shown = (words: CommandWords) => {
    const typed = typedCommand(words);
    return typed === null
      ? html`<p>${foreign(reported.asTyped(tellCommand(...words)))}</p>`
      : copyableCommand(reported.asTyped(typed));
  };
  if (next === undefined) {
    const isWhole = verdictOf(reported).kind === "delivered" && run.results_file !== null;
    if (!isWhole) return html``;
    const which =
      run.night === undefined ? "row and its answer" : "row that was sent, with its answer,";
    return html`<h2>The proof</h2><p>Every ${which} is a line of <strong>${foreign(run.results)}</strong>.</p>`;
  }
  if (toFix === undefined && map === undefined) {
    const before = next.before.charAt(0).toUpperCase() + next.before.slice(1);
    return html`<h2>Next</h2><ol><li class="only">${foreign(before)}${shown(next.command)}</li></ol>`;
  }
  const workbook = toFix && html`; for a spreadsheet program, in a workbook:${shown(toFix)}`;
  const mapping = map && html`<p>Or fix the mapping:</p>${shown(map)}`;
  return html`<h2>Next</h2><ol><li>Fix the cells in <strong>${foreign(run.failed_rows ?? "")}</strong>${workbook}${mapping}</li>
<li>Send the open rows again, with the token as before:${shown(next.command)}</li></ol>`;
}

function outcomeBar({ run: { counts } }: Reported): Html {
  const shown = inBar.map((status) => [status, counts[status] ?? 0] as const);
  const all = sum(shown.map(([, lines]) => lines));
  if (all === 0) return html``;
  const name = (status: string) => status.replace("_", "-");
  const legend = shown.map(([status, lines]) => {
    const number = html`<b>${dataElement(`counts.${status}`, lines, grouped(lines))}</b>`;
    const share = html`<span class="quiet">${percent(lines, all)}</span>`;
    return (
      lines > 0 &&
      html`<li><span class="dot ${name(status)}"></span>${number} ${statusWords[status]} ${share}</li>`
    );
  });
  return html`${bar(shown.map(([status, lines]) => [name(status), lines]))}<ul class="legend">${legend}</ul>`;
}

/** Statuses in the order of the page, as somebody says them who has not read the docs. */
const statusWords: Readonly<Record<OutcomeStatus, string>> = {
  succeeded: "delivered",
  invalid: "not sent",
  rejected: "refused",
  failed: "failed",
  unknown: "without an answer",
  blocked: "waiting",
  skipped: "left out",
  not_sent: "to go",
};
const inBar = Object.keys(statusWords) as OutcomeStatus[];

/** How the keys of a night differed from what the service had. */
function nightSection({ run: { night } }: Reported): Html {
  if (night === undefined) return html``;
  const numbers = nightFates.map(
    (name) => [name, dataElement(`night.${name}`, night[name], grouped(night[name]))] as const,
  );
  return html`<section class="card" aria-labelledby="night"><h2 id="night">Keys <small>as the input differed from what the service had</small></h2>
${figureList(numbers)}${
  night.changed_by.length > 0 &&
  html`<ul class="events"><li>Changed by ${night.changed_by.map(({ member, keys }, at) => html`${at > 0 && ", "}<strong>${foreign(member)}</strong> ${grouped(keys)}`)}</li></ul>`
}</section>
`;
}

/** Figures with their names; a figure that is false is left out. */
function figureList(
  figures: readonly (readonly [name: string, value: Html | string | false])[],
): Html {
  const shown = figures.filter(([, value]) => value !== false);
  return html`<dl class="figures">${shown.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function sendingSection(reported: Reported): Html {
  const { run, moments, isMasked } = reported;
  const { figures, attempts, unanswered, started_at: near } = run;
  if (figures === undefined) {
    return html`<section class="card"><h2>Sending</h2><p>The manifest has no figures of how it was sent.</p></section>`;
  }
  const { series, latency, pauses, answers } = figures;
  const requests = sum(series.attempts);
  if (requests === 0) return html``;
  const incidents = incidentsOf(figures);
  const { duration_ms: ms } = series;
  const numberIf = (name: string, value: number) =>
    value !== 0 && dataElement(name, value, grouped(value));
  const timeOf = (ms: number) => latency.answers !== 0 && shortTime(ms);
  const numbers = figureList([
    ["Requests", numberIf("attempts", attempts)],
    ["of them retries", numberIf("retries", sum(series.retries))],
    ["unanswered", numberIf("unanswered", unanswered)],
    ["a second", shortNumber((requests * 1000) / Math.max(1, ms))],
    ["Half answered in", timeOf(latency.p50_ms)],
    ["95\u00a0% in", timeOf(latency.p95_ms)],
    ["Longest", timeOf(latency.max_ms)],
  ]);
  let left = sum(Object.values(run.counts));
  const parts = run.parts.map((part) => {
    const { started_at: from, finished_at: to, counts } = part;
    left -= (counts.succeeded ?? 0) + (counts.skipped ?? 0);
    return [
      nameOfPart(part),
      moments.brief(from, to ?? from, near),
      grouped(counts.succeeded ?? 0),
      grouped(left),
    ];
  });
  const rules = createStatusRules(settingsOf(run.options));
  const answered = answers.map(({ status, count: number }) => [
    status,
    meanings[rules(status) ?? (retried.includes(status) || status >= 500 ? "retry" : "reject")],
    dataElement(`answers.${status}`, number, grouped(number)),
  ]);
  const isCut = pauses.count > pauses.longest.length;
  return html`<section class="card" aria-labelledby="sending"><h2 id="sending">Sending</h2>
${numbers}
${ms >= minChartMs && timeCharts(figures, incidents)}
<ul class="events">${incidents.map(
    (incident) =>
      html`<li><span class="dot ${incident.reason}"></span><strong>${nameOfIncident(incident)}</strong>, ${moments.span(incident.from, incident.to, near)}${!isMasked && html`: “${foreign(incident.message)}”`}</li>`,
  )}${isCut && html`<li class="quiet">These are the ${pauses.longest.length} longest of ${count(pauses.count, "pause")}.</li>`}${
    figures.parts.length > 1 &&
    ms >= minChartMs &&
    html`<li><span class="dashed"></span>Dashed: a resume or a retry began; the time before it is left out.</li>`
  }</ul>
<div class="tables">${table("Parts", ["Part", "Time", numberColumn("Delivered"), numberColumn("Open")], parts)}
${answers.length !== 0 && table("Answers", ["Answer", "What it means", numberColumn("Times")], answered)}</div>
</section>
`;
}

const meanings = { success: "delivered", retry: "not now; sent again", reject: "refused" };
const retried = [408, 421, 425, 429];

function numberColumn(name: string) {
  return [name, "num"] as const;
}

/** What few readers need, folded. */
function lastSection(reported: Reported): Html {
  const { run, missing } = reported;
  const { input, inputs = [input], mapping, options } = run;
  const checks = checksOf(reported);
  const typed = unusualOptions(options)
    .map(({ text }) => text)
    .join(" ");
  const isBad = checks.some(({ holds }) => !holds);
  const files = [
    ...inputs,
    { ...mapping, name: mapping.path },
    { ...run.results_file, name: run.results },
    ...(run.failed_rows === null ? [] : [{ ...run.failed_rows_file, name: run.failed_rows }]),
  ];
  const checked = checks.map(({ name, what, found, holds }) => {
    const sign = dataElement(`holds.${name}`, Number(holds), holds ? "✓" : "✗");
    return html`<li>${sign} ${what}: ${foreign(found)}</li>`;
  });
  const tag = html`<span class="tag ${isBad ? "bad" : "good"}">${isBad ? "not all hold" : "all hold"}</span>`;
  return html`<section class="card last" aria-label="Settings, checks and files">
<details><summary>Settings</summary>
<p>${foreign(typed || "All are as usual.")}</p></details>
<details${isBad && html` open`}><summary>Consistency checks ${tag}</summary><ul>${checked}</ul></details>
<details><summary>Files and their SHA-256</summary>
<ul>${files.map(
    ({ name, bytes, sha256 }) =>
      html`<li>${foreign(name)}${missing.includes(name) && html` <strong class="tag bad">not there</strong>`}${
        typeof bytes === "number" && `, ${count(bytes, "byte")}`
      } <code>${sha256 ?? ""}</code></li>
`,
  )}</ul></details>
</section>
`;
}

const maxLines = 10;
const maxWidth = 160;

/** The report in ten lines at most, for a mail. */
export function renderTextReport(reported: Reported): string[] {
  const { run, next } = reported;
  const { headline, story, when, remarks } = verdictOf(reported);
  const { problems, lines, problems_left_out: leftOut } = reportFigures(reported);
  const said = problems.map(({ status, code, column, message, count, rows: [first] }) => {
    const words = [wordOf(status), code, column ?? "", message ?? ""];
    const what = words.filter((word) => word !== "").join(" ");
    return `- ${grouped(count)} (${percent(count, lines)}) ${what}; first row ${first ?? ""}`;
  });
  const head = [cutTo(maxWidth, `${run.input.name} to ${run.base_url}`), headline, story, when];
  const end = next === undefined ? [] : [`Next: ${next.before}${tellCommand(...next.command)}`];
  const before = [...head, ...remarks.slice(0, 3).map((remark) => cutTo(maxWidth, remark))];
  const room = maxLines - before.length - end.length;
  const shown = said.length > room ? said.slice(0, room - 1) : said;
  const rest = sum(problems.slice(shown.length).map((group) => group.count)) + leftOut;
  const more = rest === 0 ? [] : [`- and ${count(rest, "problem")} of other kinds`];
  // What others have written may be long.
  return [...before, ...shown.map((line) => cutTo(maxWidth, line)), ...more, ...end].map(oneLine);
}
