import type { FileProblem } from "../../model/file-problem.ts";
import { count, grouped } from "../../model/quantities.ts";
import type { ProblemGroup } from "../../run/check/group-problems.ts";
import type { Preview } from "../../run/check/preview.ts";
import type { Checked } from "../contract.ts";
import { countAsBlank, leaveRowsOut } from "../mapping-table.ts";
import { block, button, byId, h, replace } from "./dom.ts";
import type { PageState } from "./page-state.ts";

type ShownRow = Exclude<Preview, { kind: "no_such_row" }>;

/** Shows a row as it stands in the file, beside what becomes of it. */
export function showRow(preview: ShownRow): void {
  const { row, columns } = preview;
  const problems = preview.kind === "invalid" ? preview.problems : [];
  const cells = row.cells.map((cell, at) => {
    const column = columns[at] ?? "";
    const own = problems.filter((problem) => problem.column === column);
    const reasons = own.map(({ message }) => reason(message));
    const shown = h("dd", {}, cell === "" ? h("i", {}, "blank") : cell, ...reasons);
    return h("div", { className: own.length > 0 ? "invalid" : "" }, h("dt", {}, column), shown);
  });
  const place = h("h3", {}, `In the file, line ${grouped(row.line)}`);
  const inFile = h("div", {}, place, h("dl", {}, ...cells));
  byId("shown").replaceChildren(inFile, h("div", {}, ...becomes(preview)));
}

function becomes(preview: ShownRow): HTMLElement[] {
  switch (preview.kind) {
    case "requests": {
      const requests = preview.requests.flatMap(({ method, url, body }) => [
        h("code", {}, `${method} ${url}`),
        block(JSON.stringify(JSON.parse(body), null, 2)),
      ]);
      return [h("h3", {}, "What it becomes"), ...requests];
    }
    case "skipped":
      return [h("h3", {}, "Left out: nothing of it is sent"), h("p", {}, preview.why)];
    case "invalid": {
      const reasons = preview.problems.map(({ column, message }) =>
        reason(column === undefined ? message : `${column}: ${message}`),
      );
      return [h("h3", {}, "Invalid: nothing of it is sent"), ...reasons];
    }
    default:
      return preview satisfies never;
  }
}

function reason(message: string): HTMLElement {
  return h("span", { className: "reason" }, message);
}

function showOfAll(...content: readonly HTMLElement[]): void {
  replace(byId("problems"), h("h2", {}, "All rows"), ...content);
}

export function showRefusal(message: string): void {
  showOfAll(h("p", { className: "reason" }, message));
}

export function showDocumentProblems(page: PageState, problems: readonly FileProblem[]): void {
  const lines = problems.map(({ line = 1, path, message }) => {
    const what = path === "" ? ` ${message}` : ` ${path}: ${message}`;
    const see = button(`Line ${line}`, () => page.goToLine(line));
    return h("li", {}, see, what);
  });
  const what = `The mapping has ${count(problems.length, "problem")}. Rows are checked once it is right.`;
  showOfAll(h("p", {}, what), h("ul", {}, ...lines));
}

export function showReport(page: PageState, report: Checked, isSaved: boolean): void {
  const { rows, events, invalidRows, skippedRows, findings, warnings, ungroupedProblems } = report;
  const skipped = skippedRows === 0 ? "" : `, ${grouped(skippedRows)} left out`;
  const counted = `${count(rows, "row")}, ${count(events, "event")}; ${grouped(invalidRows)} invalid${skipped}.`;
  const general = findings.filter(({ column }) => column === undefined);
  const notes = [...warnings, ...general.map(({ message }) => message)];
  if (ungroupedProblems > 0)
    notes.push(`${count(ungroupedProblems, "problem")} more are not listed.`);
  const next = [
    h("h3", {}, `All is well. ${isSaved ? "Next" : "Save it, then"}, in a terminal:`),
    ...page.description.next.flatMap(({ what, command }) => [
      h("p", {}, what),
      ...(command === undefined ? [] : [block(command)]),
    ]),
  ];
  showOfAll(
    h("p", {}, counted),
    ...notes.map((note) => h("p", { className: "warning" }, note)),
    h("ul", {}, ...report.problemGroups.map((group) => groupOf(page, group))),
    ...(invalidRows === 0 && events > 0 ? [h("div", { className: "card used" }, ...next)] : []),
  );
}

function groupOf(page: PageState, { column, count: many, message, cases }: ProblemGroup) {
  const where = column === undefined ? "" : `column ${column}: `;
  const lines = cases.map(({ value, message: own, count: times, first: { row } }) => {
    const what = value === undefined ? message === undefined && own : h("code", {}, value);
    const often = times === 1 ? " " : ` ${grouped(times)} times, first `;
    const see = button(`row ${grouped(row)}`, () => page.show(row), `Show row ${row}`);
    const fixes = column === undefined || !value ? [] : fixesOf(page, column, value);
    return h("li", { className: "line" }, what, often, see, ...fixes);
  });
  const title = `${grouped(many)} × ${where}${message ?? "several problems"}`;
  return h("li", {}, h("h3", {}, title), h("ul", {}, ...lines));
}

function fixesOf(page: PageState, column: string, value: string): HTMLElement[] {
  const asBlank = () => page.edit(countAsBlank(page.text(), value));
  const leaveOut = () => page.edit(leaveRowsOut(page.text(), column, value));
  return [
    button("Count as blank", asBlank, `Count as blank: ${value}`),
    button("Leave rows out", leaveOut, `Leave rows out: ${value}`),
  ];
}
