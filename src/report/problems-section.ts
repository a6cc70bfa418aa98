import { type Content, foreign, type Html, html } from "../model/look/html.ts";
import { type EventStatus, statusMeanings, todoOf } from "../model/outcome.ts";
import { count, grouped, sum } from "../model/quantities.ts";
import { cutTo } from "../model/row.ts";
import { dataElement, table } from "./elements.ts";
import type { FailedGroup, FailedRows } from "./failed-rows.ts";
import { countLines, notDoneOf, type Reported, ranToItsEnd } from "./reported-run.ts";

/** Of further groups the page says only how many lines they have. */
const maxGroupsShown = 24;
const maxExampleChars = 80;
/** What the tables may take of a page, which is to stay below 2 MB. */
const maxTableBytes = 1_300_000;
const bytesOfCell = 26;
/** Row, line, the refused cell, and the first cells of the row. */
const columnsOfTable = 5;
const maxExamples = 3;

/** In the order of the page: what can be fixed here comes first. */
const sections = [
  ["invalid", "Not sent: the cells do not fit the mapping", "warn"],
  ["rejected", "Refused by the service", "bad"],
  ["failed", "Failed in every attempt", "bad"],
  ["unknown", "May have arrived: no answer came", "warn"],
  ["blocked", "Waiting for another event", "warn"],
] as const satisfies (readonly [EventStatus, string, string])[];

/** What is still open: by status, and within that by column and reason, the largest groups first. */
export function problemsSection(reported: Reported): Html {
  const { run, failed } = reported;
  const notDone = notDoneOf(run.counts);
  if (notDone === 0) return html``;
  const groups = failed?.groups ?? [];
  const shown = groups.slice(0, maxGroupsShown);
  const rest = sumOfGroups(groups.slice(maxGroupsShown)) + (failed?.ungrouped ?? 0);
  const unread = notDone - (failed?.lines ?? 0);
  const room = { bytes: maxTableBytes };
  const inOrder = sections.flatMap(([status]) => shown.filter((group) => group.status === status));
  const parts = sections.flatMap(([status, title, look]) => {
    const lines = run.counts[status] ?? 0;
    if (lines === 0) return [];
    const tag = dataElement(`open.${status}`, lines, countLines(lines, run));
    return html`<h3>${title} <span class="tag ${look}">${tag}</span></h3>
${inOrder
  .filter((group) => group.status === status)
  .map((group) => groupDetails(group, group === inOrder[0], reported, room))}`;
  });
  const several = failed?.severalProblems ?? 0;
  const lines = dataElement("open", notDone, countLines(notDone, run));
  return html`<section class="card" aria-labelledby="open"><h2 id="open">What is still open <small>${lines}${
    several > 0 &&
    `; ${several === 1 ? "one" : grouped(several)} with several problems ${several === 1 ? "is" : "are"} counted in each`
  }</small></h2>
${failed?.problem !== undefined && html`<p class="tag bad">${foreign(failed.problem)}</p>`}${
  unread > 0 &&
  html`<p>${ranToItsEnd(run) ? "The failed rows do not have all of them now" : "Which rows they are is known after a resume"}: ${countLines(unread, run)}.</p>`
}<div class="groups">
${parts}</div>${
    rest !== 0 &&
    html`<p class="quiet">And ${dataElement("open.rest", rest, count(rest, "problem"))} more, all different from these${
      run.failed_rows === null ? "" : html`; ${foreign(run.failed_rows)} has all of them`
    }.</p>`
  }
</section>
`;
}

function sumOfGroups(groups: readonly { readonly count: number }[]): number {
  return sum(groups.map((group) => group.count));
}

function groupDetails(
  group: FailedGroup,
  isOpen: boolean,
  { run, failed, isMasked }: Reported,
  room: { bytes: number },
): Html {
  const { status, code, column, message, count: lines, rows } = group;
  const { meaning } = statusMeanings[status];
  const isOfCell = status === "invalid" && column !== undefined;
  const said = isMasked || message === "" ? (isOfCell ? code : meaning) : foreign(message);
  const quoted = status === "rejected" && message !== "" && !isMasked ? html`“${said}”` : said;
  const title = html`${column !== undefined && html`<strong>${foreign(column)}</strong>${isOfCell ? " " : ": "}`}${quoted}`;
  const places = rows.slice(0, 10).map(({ row }) => grouped(row));
  return html`<details class="group"${isOpen && html` open`}><summary><span class="count num">${dataElement("problem", lines, grouped(lines))}</span><span>${title}${
    !isMasked && html`<br><span class="quiet">${cellExamples(group, failed?.columns ?? [])}</span>`
  }</span></summary>
<div class="body"><p>${todoOf(status, run.options.delivery, code)}</p>
${isMasked || failed === undefined ? html`<p>First rows: ${places.join(", ")}</p><p class="quiet"><code>${code}</code></p>` : rowTable(group, failed, room)}</div></details>
`;
}

/** The cells that are found most often in a group, or its first rows where no column is known. */
function cellExamples({ column, rows, count: all }: FailedGroup, columns: readonly string[]): Html {
  const at = columns.indexOf(column ?? "");
  if (at < 0) {
    const [first] = rows;
    return html`${first && `row ${grouped(first.row)}`}${all > 1 && ` and ${grouped(all - 1)} more`}`;
  }
  const times = new Map<string, number>();
  for (const { cells } of rows) times.set(cells[at] ?? "", (times.get(cells[at] ?? "") ?? 0) + 1);
  const most = [...times].sort(([, one], [, other]) => other - one).slice(0, maxExamples);
  const rest = all - sum(most.map(([, number]) => number));
  return html`${most.map(([cell]) => html`<mark>${shownCell(cell) || "blank"}</mark> `)}${rest > 0 && `and ${grouped(rest)} more`}`;
}

function shownCell(cell: string): string {
  return cutTo(maxExampleChars, cell);
}

/** Rows with the refused cell and their first ones; a tick shows all their cells. */
function rowTable(
  { rows, column, isAlike, code, count: all }: FailedGroup,
  { columns }: FailedRows,
  room: { bytes: number },
): Html {
  const refused = column === undefined ? [] : [column];
  const names = [...new Set([...refused, ...columns])];
  const places = names.map((name) => columns.indexOf(name));
  const near = columnsOfTable - 2 - Number(!isAlike);
  const lines: Content[][] = [];
  for (const { row, line, source, message, cells } of rows) {
    if (room.bytes <= 0) break;
    const place = html`${line ?? ""}${source !== undefined && html` of ${foreign(source)}`}`;
    const why = isAlike ? [] : [foreign(cutTo(300, message))];
    const shown = [row, place, ...why, ...places.map((at) => shownCell(cells[at] ?? ""))];
    room.bytes -= Buffer.byteLength(html`${shown}`.html) + bytesOfCell * shown.length;
    lines.push(shown);
  }
  if (lines.length === 0) return html``;
  const lookOf = (at: number) => (at < refused.length ? "refused" : at >= near ? "other" : "");
  const head = [
    ["Row", "num"] as const,
    ["Line", "num"] as const,
    ...(isAlike ? [] : [["Why", "why"] as const]),
    ...names.map((name, at) => [name, lookOf(at)] as const),
  ];
  const isCut = lines.length < all;
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Rows">${table(undefined, head, lines)}</div>
<p class="row quiet">${names.length > near && html`<label class="row"><input type="checkbox" class="all"> Show all ${grouped(columns.length)} columns</label>`}${
    isCut && html`<span>The first ${grouped(lines.length)} of ${grouped(all)} rows</span>`
  }<span class="grow"></span><code>${code}</code></p>`;
}
