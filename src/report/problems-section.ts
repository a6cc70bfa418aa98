import { statuses, todoOf, wordOf } from "../model/outcome.ts";
import type { EndedLine, OutcomeGroup } from "../model/outcome-groups.ts";
import { count, grouped, sum } from "../model/quantities.ts";
import { dataElement, foreign, type Html, html } from "./html.ts";
import { isComplete, notSucceeded, type ReportedRun } from "./reported-run.ts";
import type { GroupedLines, ResultsSummary, UnreadResults } from "./results-summary.ts";

/** Further groups are folded. */
const maxOpenGroups = 8;
const maxGroups = 60;
const maxRowsInTable = 5;
const maxTitleChars = 100;
const maxMessageChars = 500;

/** What did not succeed, in groups with their rows. */
export function problemsSection(run: ReportedRun, summary: ResultsSummary | UnreadResults): Html {
  if ("isMissing" in summary) {
    return html`<section aria-labelledby="problems"><h2 id="problems">What did not succeed</h2>
<p>The results file could not be read: ${foreign(summary.problem)}</p>
</section>
`;
  }
  const { problems, leftOut, perhapsTwice } = summary;
  return html`<section aria-labelledby="problems"><h2 id="problems">What did not succeed</h2>
${summary.problem === undefined ? undefined : html`<p class="message">${foreign(summary.problem)}</p>`}
<p class="note">${describeProblems(run, summary)}</p>
${groupList(problems, "problem", run)}
</section>
${
  perhapsTwice.count === 0
    ? undefined
    : html`<section aria-labelledby="twice"><h2 id="twice">Perhaps arrived twice</h2>
<p>${dataElement("perhaps_twice", perhapsTwice.count, count(perhapsTwice.count, "event"))} succeeded after an attempt that was never answered: a service that does not know the event id may have taken ${perhapsTwice.count === 1 ? "it" : "them"} twice.</p>
${rowTable(perhapsTwice.first, perhapsTwice.count, false, "twice")}
</section>
`
}${
  leftOut.groups.length === 0
    ? undefined
    : html`<section aria-labelledby="left-out"><h2 id="left-out">Left out on purpose</h2>
${groupList(leftOut, "left-out", run)}
</section>
`
}`;
}

function groupList(
  { groups, ungrouped }: GroupedLines,
  name: string,
  { options }: ReportedRun,
): Html {
  const shown = groups.slice(0, maxGroups);
  const rest = groups.slice(maxGroups).reduce((total, group) => total + group.count, ungrouped);
  // Only the largest group of each status says what to do.
  const statuses = new Set<string>();
  const articles = shown.map((group, at) => {
    const todo = statuses.has(group.status) ? "" : todoOf(group.status, options.delivery);
    statuses.add(group.status);
    return groupArticle(group, name, `${name}-${at + 1}`, todo);
  });
  const more = articles.slice(maxOpenGroups);
  return html`${articles.slice(0, maxOpenGroups)}${
    more.length === 0
      ? undefined
      : html`<details><summary>${count(more.length, "smaller group")}</summary>
${more}</details>`
  }${
    rest === 0
      ? undefined
      : html`<p>And ${dataElement(`${name}_rest`, rest, count(rest, "line"))} more, all different from these; the failed rows have all of them.</p>`
  }`;
}

function groupArticle(
  { status, code, message, count: lines, first }: OutcomeGroup,
  name: string,
  id: string,
  todo: string,
) {
  const { meaning } = statuses[status];
  const withMessages = first.some((line) => line.message !== message);
  const { title, rest } = message === "" ? { title: meaning, rest: "" } : splitMessage(message);
  return html`<article class="group">
<h3 id="${id}">${foreign(title)}</h3>
<p><strong>${dataElement(name, lines, count(lines, "line"))}</strong> <span class="badge status-${status}">${wordOf(status)}</span>${code === "" ? undefined : html` <code>${code}</code>`}</p>
${rest === "" || withMessages ? undefined : html`<p class="said">${foreign(rest)}</p>`}
${todo === "" ? undefined : html`<p class="todo">${todo}</p>`}
${rowTable(first, lines, withMessages, id)}
</article>
`;
}

function rowTable(
  first: readonly EndedLine[],
  all: number,
  withMessages: boolean,
  label: string,
): Html {
  const several = first.some(({ source }) => source !== undefined);
  if (!withMessages && !several) {
    const places = first.map(({ row, line }) =>
      line === undefined ? grouped(row) : `${grouped(row)} (line ${grouped(line)})`,
    );
    const more = all > first.length ? ", …" : "";
    return html`<p class="rows">${first.length === 1 ? "Row" : "Rows"} ${places.join(", ")}${more}</p>`;
  }
  return html`<div class="scroll" tabindex="0" role="region" aria-labelledby="${label}"><table aria-labelledby="${label}"><thead><tr><th scope="col" class="number">Row</th><th scope="col" class="number">Line</th>${
    several ? html`<th scope="col">File</th>` : undefined
  }${withMessages ? html`<th scope="col">What it says</th>` : undefined}</tr></thead>
<tbody>${first.slice(0, maxRowsInTable).map(
    ({ row, line, source, message }) =>
      html`<tr><th scope="row" class="number">${grouped(row)}</th><td class="number">${line === undefined ? "" : grouped(line)}</td>${
        several ? html`<td>${foreign(source ?? "")}</td>` : undefined
      }${withMessages ? html`<td>${foreign(cut(message))}</td>` : undefined}</tr>
`,
  )}</tbody></table></div>${
    all > maxRowsInTable
      ? html`<p class="rows">… and ${grouped(all - maxRowsInTable)} more in the failed rows</p>`
      : undefined
  }`;
}

/** The beginning of a message, up to the end of a sentence or word, and the rest. */
function splitMessage(message: string): { readonly title: string; readonly rest: string } {
  if (message.length <= maxTitleChars) return { title: message, rest: "" };
  const beginning = beginningOf(message, maxTitleChars);
  const [sentence] = /^.{40,}?[.!?](?=\s)/s.exec(beginning) ?? [];
  const [words = beginning] = /^.{60,}(?=\s)/s.exec(beginning) ?? [];
  const first = sentence ?? words.trimEnd();
  const rest = message.slice(first.length).trimStart();
  return sentence === undefined
    ? { title: `${first}…`, rest: rest === "" ? "" : `… ${rest}` }
    : { title: first, rest };
}

function cut(message: string): string {
  if (message.length <= maxMessageChars) return message;
  return `${beginningOf(message, maxMessageChars)}…`;
}

/** Does not cut a character (surrogate pair) in two. */
function beginningOf(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, "");
}

/** The note above the groups: which lines they are, and how many are not written yet. */
function describeProblems(run: ReportedRun, found: ResultsSummary): string {
  const { groups, ungrouped } = found.problems;
  const listed = sum(groups.map((group) => group.count)) + ungrouped;
  const counted = notSucceeded(run);
  if (listed === 0) return isComplete(run) ? nothing(counted, found) : nothingSoFar(run, counted);
  const later =
    isComplete(run) || counted <= listed ? "" : ` ${stillToCome(counted - listed, "more")}`;
  return `Lines of the results file, grouped by message. In a message, # stands for a number that differs and ‹…› for an id or the like.${later}`;
}

function nothing(counted: number, { problem }: ResultsSummary): string {
  if (counted > 0) {
    return `Nothing in the results file as it is now, but there were ${grouped(counted)} when the run ended.`;
  }
  return problem === undefined
    ? "Nothing: every line of the results file succeeded or was skipped."
    : "Nothing in what could be read of the results file.";
}

function nothingSoFar({ counts }: ReportedRun, counted: number): string {
  if (counted > 0) {
    return `Nothing in the results file so far. ${stillToCome(counted, "that did not succeed")}`;
  }
  const { not_sent: notSent = 0 } = counts;
  if (notSent === 0) return "Nothing so far.";
  return `Nothing so far; ${count(notSent, "row")} had not settled when the run stopped.`;
}

/** Lines are written in input order, so one that settles early waits for those before it. */
function stillToCome(lines: number, which: string): string {
  return `${count(lines, "line")} ${which} ${lines === 1 ? "waits" : "wait"} for others before ${lines === 1 ? "it" : "them"}, and will be in the results file after a resume.`;
}
