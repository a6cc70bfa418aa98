import { todoOf, wordOf } from "../model/outcome.ts";
import { count, grouped, sum } from "../model/quantities.ts";
import {
  type FailedGroup,
  type FailedRow,
  type FailedRows,
  maxGroupsShown,
} from "./failed-rows.ts";
import { dataElement, foreign, type Html, html, percent } from "./html.ts";
import { isComplete, openOf, type Reported, settledOf } from "./reported-run.ts";

/** Further groups are folded. */
const maxOpenGroups = 8;
const maxTitleChars = 100;
const maxBodyChars = 2000;
const maxCellChars = 80;
/** What the lists of rows may take of a page, which is to stay below 2 MB. */
const maxListBytes = 1_300_000;

/** What did not succeed: what the service refused or did not take, and what our own checks refused. */
export function problemsSection(reported: Reported): Html {
  const { run, failed, isMasked } = reported;
  const open = openOf(run.counts);
  if (open === 0) return html``;
  const isOwn = ({ status }: Pick<FailedGroup, "status">) => status === "invalid";
  // Without failed rows, the manifest has the groups and the numbers of their first rows.
  const groups: readonly FailedGroup[] =
    failed?.groups ?? (run.problems ?? []).map((group) => ({ ...group, isAlike: true, rows: [] }));
  const room = { bytes: maxListBytes };
  const shown = groups.slice(0, maxGroupsShown);
  const article = (group: FailedGroup) => groupArticle(group, reported, room);
  const part = (title: string, id: string, some: readonly FailedGroup[]) =>
    some.length === 0
      ? undefined
      : html`<h3 id="${id}">${title}: ${dataElement(id, sumOf(some), grouped(sumOf(some)))}</h3>
${some.slice(0, maxOpenGroups).map(article)}${
  some.length <= maxOpenGroups
    ? undefined
    : html`<details><summary>${count(some.length - maxOpenGroups, "smaller group")}</summary>
${some.slice(maxOpenGroups).map(article)}</details>`
}`;
  const parts = [
    part(
      "Sent or held back, and not delivered",
      "not_delivered",
      shown.filter((one) => !isOwn(one)),
    ),
    part("Refused by eventload's own checks, never sent", "refused", shown.filter(isOwn)),
  ];
  const more = groups.slice(maxGroupsShown);
  const rest = sumOf(more) + (failed?.ungrouped ?? 0);
  const others = isMasked ? [] : more.flatMap(({ rows }) => rows);
  const othersListed = others.length === 0 ? undefined : rowList(others, [], true, reported, room);
  return html`<section aria-labelledby="problems" id="problems-part"><h2 id="problems">What did not succeed</h2>
${failed?.problem === undefined ? undefined : html`<p class="bad">${foreign(failed.problem)}</p>`}${
  groups.length > 0
    ? undefined
    : html`<p>${isComplete(run) ? "The failed rows could not be read" : "Which rows they are is known after a resume"}: ${count(open, "line")}.</p>`
}
${isMasked || failed === undefined ? undefined : findField(room.bytes > 0 && listed(failed) === open)}${parts}${
  rest === 0
    ? undefined
    : html`<div class="group"><p>And ${dataElement("problems_rest", rest, count(rest, "line"))} more, all different from these${
        run.failed_rows === null ? "" : html`; ${foreign(run.failed_rows)} has all of them`
      }.</p>${othersListed}</div>`
}
</section>
`;
}

function sumOf(groups: readonly { readonly count: number }[]): number {
  return sum(groups.map((group) => group.count));
}

function listed({ groups }: FailedRows): number {
  return sum(groups.map(({ rows }) => rows.length));
}

/** The script shows it. @param hasAll whether the page has every failed row */
function findField(hasAll: boolean): Html {
  const where = hasAll ? "among the failed rows" : "among the failed rows of this page";
  const elsewhere = hasAll
    ? ": it was delivered or left out, or the input does not have it."
    : ", which does not have all of them.";
  return html`<div class="find" id="find" hidden><label>Find a row by its number or a cell <input type="search" id="find-field" autocomplete="off"></label>
<p class="note" id="find-said" role="status" data-no-row="That row is not ${where}${elsewhere}" data-no-cell="No cell ${where} has that."></p></div>
`;
}

interface Room {
  bytes: number;
}

function groupArticle(group: FailedGroup, reported: Reported, room: Room): Html {
  const { run, failed, isMasked } = reported;
  const { status, code, message, isAlike, count: lines, rows, example } = group;
  const [first] = rows;
  const column = /^column "(?:[^"\\]|\\.)*"/.exec(message)?.[0];
  const words = isMasked ? (column ?? todoTitle(group)) : message || todoTitle(group);
  const title = words.length > maxTitleChars ? `${words.slice(0, maxTitleChars)}…` : words;
  const columns = failed?.columns ?? [];
  const cells = (example?.columns ?? []).flatMap((name) => {
    const cell = first?.cells[columns.indexOf(name)];
    return cell === undefined
      ? []
      : [html`<p>${foreign(name)}: <mark>${foreign(cell === "" ? "(blank)" : cell)}</mark></p>`];
  });
  const known = run.problems?.find((one) => one.status === status && one.message === message);
  const numbers =
    first === undefined ? (known?.rows ?? []) : rows.slice(0, 10).map(({ row }) => row);
  return html`<article class="group">
<h4>${foreign(title)}</h4>
<p><strong>${dataElement("problem", lines, count(lines, "line"))}</strong> (${percent(lines, settledOf(run.counts))}) <span class="badge${status === "invalid" ? " own" : ""}">${wordOf(status)}</span>${code === "" ? undefined : html` <code>${code}</code>`}</p>
${title === words ? undefined : html`<p>${foreign(`…${words.slice(maxTitleChars)}`)}</p>`}
<p class="note">${todoOf(status, run.options.delivery, code)}</p>
${
  first === undefined || isMasked
    ? html`<p class="rows">${numbers.length === 1 ? "Row" : "Rows"} ${numbers.map(grouped).join(", ")}${lines > numbers.length ? ", …" : ""}</p>`
    : html`<p>For example <strong>row ${grouped(first.row)}</strong>${first.line === undefined ? "" : ` (line ${grouped(first.line)}${first.source === undefined ? "" : ` of ${first.source}`})`}${isAlike ? "" : html`: ${foreign(first.message)}`}</p>
${cells}${
  example?.body === undefined
    ? undefined
    : html`<p class="note">The event, ${first.attempts > 0 ? "as it was sent" : "which was not sent"}:</p>
<pre>${foreign(cut(example.body, maxBodyChars))}</pre>`
}
${rowList(rows, example?.columns ?? [], !isAlike, reported, room, lines)}`
}
</article>
`;
}

function todoTitle({ status, code }: FailedGroup): string {
  return code === "" ? wordOf(status) : `${wordOf(status)}: ${code}`;
}

/** Rows with their cells, folded; as many as there is room for. */
function rowList(
  rows: readonly FailedRow[],
  first: readonly string[],
  withMessages: boolean,
  { failed }: Pick<Reported, "failed">,
  room: Room,
  all = rows.length,
): Html {
  const columns = failed?.columns ?? [];
  const names = [...first, ...columns.filter((name) => !first.includes(name))];
  const places = names.map((name) => columns.indexOf(name));
  const several = rows.some(({ source }) => source !== undefined);
  const lines: Html[] = [];
  for (const { row, line, source, message, cells } of rows) {
    if (room.bytes <= 0) break;
    const made = html`<tr data-row="${row}"><th scope="row" class="number">${row}</th><td class="number">${line ?? ""}</td>${
      several ? html`<td>${foreign(source ?? "")}</td>` : undefined
    }${withMessages ? html`<td class="why">${foreign(cut(message, 300))}</td>` : undefined}${places.map(
      (place, at) =>
        html`<td${at < first.length ? html` class="off"` : undefined}>${cut(cells[place] ?? "", maxCellChars)}</td>`,
    )}</tr>
`;
    room.bytes -= Buffer.byteLength(made.html);
    lines.push(made);
  }
  if (lines.length === 0) return html``;
  const which =
    lines.length < all
      ? `The first ${grouped(lines.length)} of ${grouped(all)}`
      : `All ${grouped(all)}`;
  return html`<details class="list"><summary>${all === 1 ? "The row with its cells" : `${which}, with their cells`}</summary>
<div class="scroll" tabindex="0" role="region" aria-label="Rows"><table><thead><tr><th scope="col" class="number">Row</th><th scope="col" class="number">Line</th>${
    several ? html`<th scope="col">File</th>` : undefined
  }${withMessages ? html`<th scope="col">Why</th>` : undefined}${names.map((name) => html`<th scope="col">${foreign(name)}</th>`)}</tr></thead>
<tbody>${lines}</tbody></table></div></details>`;
}

/** Does not cut a character (surrogate pair) in two. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).replace(/[\ud800-\udbff]$/, "")}…`;
}
