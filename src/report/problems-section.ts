import { foreign, type Html, html } from "../model/look/html.ts";
import { statuses, todoOf, wordOf } from "../model/outcome.ts";
import { count, grouped, sum } from "../model/quantities.ts";
import { cutTo } from "../model/row.ts";
import { dataElement, percent, table } from "./elements.ts";
import { type FailedGroup, type FailedRow, maxGroupsShown } from "./failed-rows.ts";
import { isComplete, openOf, type Reported, settledOf } from "./reported-run.ts";

const maxCellChars = 80;
/** What the lists of rows may take of a page, which is to stay below 2 MB. */
const maxListBytes = 1_300_000;

/** What did not succeed: what the service refused or did not take, and what our own checks refused. */
export function problemsSection(reported: Reported): Html {
  const { run, failed } = reported;
  const open = openOf(run.counts);
  if (open === 0) return html``;
  const groups = failed?.groups ?? [];
  const room = { bytes: maxListBytes };
  const shown = groups.slice(0, maxGroupsShown);
  const part = (title: string, id: string, isOfPart: (group: FailedGroup) => boolean) => {
    const some = shown.filter(isOfPart);
    if (some.length === 0) return undefined;
    return html`<h3 id="${id}">${title}: ${dataElement(id, sumOf(some), grouped(sumOf(some)))}</h3>
${some.map((group) => groupDetails(group, isLargest(group), reported, room))}`;
  };
  // Only the largest group of each status is open, and says what to do.
  const isLargest = (group: FailedGroup) =>
    shown.find(({ status }) => status === group.status) === group;
  const parts = [
    part("Not delivered", "not_delivered", ({ status }) => status !== "invalid"),
    part("Refused by our own checks, not sent", "refused", ({ status }) => status === "invalid"),
  ];
  const more = groups.slice(maxGroupsShown);
  const rest = sumOf(more) + (failed?.ungrouped ?? 0);
  const unread = open - sumOf(shown) - rest;
  return html`<section aria-labelledby="problems" id="problems-part"><h2 id="problems">What did not succeed</h2>
${failed?.problem !== undefined && html`<p class="bad">${foreign(failed.problem)}</p>`}${
  unread > 0 &&
  html`<p>${isComplete(run) ? "The failed rows do not have all of them now" : "Which rows they are is known after a resume"}: ${count(unread, "line")}.</p>`
}
${parts}${
  rest !== 0 &&
  html`<div class="group"><p>And ${dataElement("problems_rest", rest, count(rest, "line"))} more, all different from these${
    run.failed_rows === null ? "" : html`; ${foreign(run.failed_rows)} has all of them`
  }.</p></div>`
}
</section>
`;
}

function sumOf(groups: readonly { readonly count: number }[]): number {
  return sum(groups.map((group) => group.count));
}

/** Open if it is the largest of its status, else a line that unfolds. */
function groupDetails(
  group: FailedGroup,
  isFirst: boolean,
  reported: Reported,
  room: { bytes: number },
): Html {
  const { run, failed, isMasked } = reported;
  const { status, code, message, count: lines, rows } = group;
  const column = /^column "(?:[^"\\]|\\.)*"/.exec(message)?.[0];
  const { meaning } = statuses[status];
  const title = isMasked ? (column ?? meaning) : message || meaning;
  const [first] = rows;
  return html`<details class="group"${isFirst && html` open`}><summary><h4>${foreign(title)}</h4>
<strong>${dataElement("problem", lines, count(lines, "line"))}</strong> <span class="entry">(${percent(lines, settledOf(run.counts))})</span> <span class="badge${status === "invalid" && " own"}">${wordOf(status)}</span>${code !== "" && html` <code>${code}</code>`}</summary>
${isFirst && html`<p class="note">${todoOf(status, run.options.delivery, code)}</p>`}
${
  first === undefined || failed === undefined || isMasked
    ? html`<p>First rows: ${rows
        .slice(0, 10)
        .map(({ row }) => grouped(row))
        .join(", ")}</p>`
    : html`${exampleOf(first, group, failed.columns)}
${rowList(group, failed.columns, room)}`
}
</details>
`;
}

/** The first row of a group, with the cells that are probably why. */
function exampleOf(
  { row, line, source, message, cells }: FailedRow,
  { isAlike, columns: marked }: FailedGroup,
  columns: readonly string[],
): Html {
  const place = [line && `line ${grouped(line)}`, source].filter(Boolean).join(" of ");
  const cellsWhy = marked.map((name) => {
    const cell = cells[columns.indexOf(name)] || "(blank)";
    return html`, ${foreign(name)}: <mark>${foreign(cell)}</mark>`;
  });
  return html`<p>For example <strong>row ${grouped(row)}</strong>${place !== "" && ` (${place})`}${cellsWhy}${!isAlike && html`: ${foreign(message)}`}</p>`;
}

/** Rows with their cells, folded; as many as there is room for. */
function rowList(
  { rows, columns: first, isAlike, count: all }: FailedGroup,
  columns: readonly string[],
  room: { bytes: number },
): Html {
  const names = [...first, ...columns.filter((name) => !first.includes(name))];
  const places = names.map((name) => columns.indexOf(name));
  const several = rows.some(({ source }) => source !== undefined);
  const lines: Html[] = [];
  for (const { row, line, source, message, cells } of rows) {
    if (room.bytes <= 0) break;
    const made = html`<tr><th scope="row" class="number">${row}</th><td class="number">${line ?? ""}</td>${
      several ? html`<td>${foreign(source ?? "")}</td>` : undefined
    }${isAlike ? undefined : html`<td class="why">${foreign(cutTo(300, message))}</td>`}${places.map(
      (place, at) =>
        html`<td${at < first.length ? html` class="off"` : undefined}>${cutTo(maxCellChars, cells[place] ?? "")}</td>`,
    )}</tr>
`;
    room.bytes -= Buffer.byteLength(made.html);
    lines.push(made);
  }
  if (lines.length === 0) return html``;
  const head = ["#Row", "#Line", ...(several ? ["File"] : []), ...(isAlike ? [] : ["Why"])];
  const which =
    lines.length < all
      ? `The first ${grouped(lines.length)} of ${grouped(all)}`
      : `All ${grouped(all)}`;
  return html`<details class="list"><summary>${all === 1 ? "The row with its cells" : `${which}, with their cells`}</summary>
<div class="scroll" tabindex="0" role="region" aria-label="Rows">${table("Rows", [...head, ...names], lines)}</div></details>`;
}
