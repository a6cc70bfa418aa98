import { statuses, todoOf, wordOf } from "../model/outcome.ts";
import { count, grouped, sum } from "../model/quantities.ts";
import { type FailedGroup, type FailedRow, maxGroupsShown } from "./failed-rows.ts";
import { dataElement, foreign, type Html, html, percent, table } from "./html.ts";
import { isComplete, openOf, type Reported, settledOf } from "./reported-run.ts";

const maxTitleChars = 100;
const maxBodyChars = 2000;
const maxCellChars = 80;
/** What the lists of rows may take of a page, which is to stay below 2 MB. */
const maxListBytes = 1_300_000;

/** What did not succeed, in groups. Without failed rows, the manifest has them with the numbers of their first rows. */
export function groupsOf({ run, failed }: Reported): readonly FailedGroup[] {
  const nothing = { line: undefined, source: undefined, event: undefined, cells: [] };
  const blank = { ...nothing, eventId: "", input: "", attempts: 0 };
  return (
    failed?.groups ??
    (run.problems ?? []).map(({ rows, ...group }) => ({
      ...{ ...group, isAlike: true },
      rows: rows.map((row) => ({ ...group, ...blank, row })),
    }))
  );
}

/** What did not succeed: what the service refused or did not take, and what our own checks refused. */
export function problemsSection(reported: Reported): Html {
  const { run, failed, isMasked } = reported;
  const open = openOf(run.counts);
  if (open === 0) return html``;
  const groups = groupsOf(reported);
  const room = { bytes: maxListBytes };
  const shown = groups.slice(0, maxGroupsShown);
  const part = (title: string, id: string, isOfPart: (group: FailedGroup) => boolean) => {
    const some = shown.filter(isOfPart);
    if (some.length === 0) return undefined;
    return html`<h3 id="${id}">${title}: ${dataElement(id, sumOf(some), grouped(sumOf(some)))}</h3>
${some.map((group) => groupArticle(group, isLargest(group), reported, room))}`;
  };
  // Only the largest group of each status says what to do.
  const isLargest = (group: FailedGroup) =>
    shown.find(({ status }) => status === group.status) === group;
  const parts = [
    part("Not delivered", "not_delivered", ({ status }) => status !== "invalid"),
    part(
      "Refused by our own checks, and not sent",
      "refused",
      ({ status }) => status === "invalid",
    ),
  ];
  const more = groups.slice(maxGroupsShown);
  const rest = sumOf(more) + (failed?.ungrouped ?? 0);
  const others = isMasked ? [] : more.flatMap(({ rows }) => rows);
  const othersListed = others.length === 0 ? undefined : rowList(others, [], true, reported, room);
  return html`<section aria-labelledby="problems" id="problems-part"><h2 id="problems">What did not succeed</h2>
${failed?.problem !== undefined && html`<p class="bad">${foreign(failed.problem)}</p>`}${
  groups.length > 0
    ? undefined
    : html`<p>${isComplete(run) ? "The failed rows could not be read" : "Which rows they are is known after a resume"}: ${count(open, "line")}.</p>`
}
${isMasked || failed === undefined ? undefined : findField(room.bytes > 0 && sum(failed.groups.map(({ rows }) => rows.length)) === open)}${parts}${
  rest !== 0 &&
  html`<div class="group"><p>And ${dataElement("problems_rest", rest, count(rest, "line"))} more, all different from these${
    run.failed_rows === null ? "" : html`; ${foreign(run.failed_rows)} has all of them`
  }.</p>${othersListed}</div>`
}
</section>
`;
}

function sumOf(groups: readonly { readonly count: number }[]): number {
  return sum(groups.map((group) => group.count));
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

function groupArticle(group: FailedGroup, isFirst: boolean, reported: Reported, room: Room): Html {
  const { run, failed, isMasked } = reported;
  const { status, code, message, isAlike, count: lines, rows, example } = group;
  const [first] = rows;
  const column = /^column "(?:[^"\\]|\\.)*"/.exec(message)?.[0];
  const { meaning } = statuses[status];
  const words = isMasked ? (column ?? meaning) : message || meaning;
  const title = words.length > maxTitleChars ? `${words.slice(0, maxTitleChars)}…` : words;
  const columns = failed?.columns ?? [];
  const cells = (example?.columns ?? []).flatMap((name) => {
    const cell = first?.cells[columns.indexOf(name)];
    return cell === undefined
      ? []
      : [html`<p>${foreign(name)}: <mark>${foreign(cell === "" ? "(blank)" : cell)}</mark></p>`];
  });
  return html`<article class="group">
<h4>${foreign(title)}</h4>
<p><strong>${dataElement("problem", lines, count(lines, "line"))}</strong> (${percent(lines, settledOf(run.counts))}) <span class="badge${status === "invalid" ? " own" : ""}">${wordOf(status)}</span>${code === "" ? undefined : html` <code>${code}</code>`}</p>
${title === words ? undefined : html`<p>${foreign(`…${words.slice(maxTitleChars)}`)}</p>`}
${isFirst ? html`<p class="note">${todoOf(status, run.options.delivery, code)}</p>` : undefined}
${
  first === undefined || failed === undefined || isMasked
    ? html`<p class="rows">First rows: ${rows
        .slice(0, 10)
        .map(({ row }) => grouped(row))
        .join(", ")}</p>`
    : html`<p>For example <strong>row ${grouped(first.row)}</strong>${first.line === undefined ? "" : ` (line ${grouped(first.line)}${first.source === undefined ? "" : ` of ${first.source}`})`}${isAlike ? "" : html`: ${foreign(first.message)}`}</p>
${cells}${
  example?.body !== undefined &&
  html`<p class="note">The event, ${first.attempts > 0 ? "as it was sent" : "which was not sent"}:</p>
<pre>${foreign(cut(example.body, maxBodyChars))}</pre>`
}
${rowList(rows, example?.columns ?? [], !isAlike, reported, room, lines)}`
}
</article>
`;
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
  const head = ["#Row", "#Line", ...(several ? ["File"] : []), ...(withMessages ? ["Why"] : [])];
  const which =
    lines.length < all
      ? `The first ${grouped(lines.length)} of ${grouped(all)}`
      : `All ${grouped(all)}`;
  return html`<details class="list"><summary>${all === 1 ? "The row with its cells" : `${which}, with their cells`}</summary>
<div class="scroll" tabindex="0" role="region" aria-label="Rows">${table("Rows", [...head, ...names], lines)}</div></details>`;
}

/** Does not cut a character (surrogate pair) in two. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).replace(/[\ud800-\udbff]$/, "")}…`;
}
