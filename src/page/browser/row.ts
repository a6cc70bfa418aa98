import { grouped } from "../../model/quantities.ts";
import type { RowProblem } from "../../model/row.ts";
import type { Preview } from "../../run/check/preview.ts";
import { block, byId, h } from "./dom.ts";

type ShownRow = Exclude<Preview, { kind: "no_such_row" }>;

/** Shows a row as it stands in the file, beside what becomes of it. */
export function showRow(preview: ShownRow): void {
  const { row, columns } = preview;
  const problems = preview.kind === "invalid" ? preview.problems : [];
  const isOf = (column: string) => (problem: RowProblem) => problem.column === column;
  const cells = row.cells.map((cell, at) => {
    const column = columns[at] ?? "";
    const own = problems.filter(isOf(column));
    const shown = cell === "" ? h("i", "", "blank") : cell;
    const name = h("dt", "", column);
    return h("div", own.length > 0 ? "invalid" : "", name, h("dd", "", shown, ...own.map(reason)));
  });
  const ofRow = problems.filter((problem) => !columns.some((column) => isOf(column)(problem)));
  const place = h("h3", "", `In the file, line ${grouped(row.line)}`);
  byId("shown").replaceChildren(
    h("div", "", place, ...ofRow.map(reason), h("dl", "", ...cells)),
    h("div", "", h("h3", "", titles[preview.kind]), ...becomes(preview)),
  );
}

const titles = {
  requests: "What it becomes",
  invalid: "Invalid: nothing of it is sent",
  skipped: "Left out: nothing of it is sent",
};

function becomes(preview: ShownRow): HTMLElement[] {
  switch (preview.kind) {
    case "requests":
      return preview.requests.flatMap(({ method, url, body }) => [
        h("code", "", `${method} ${url}`),
        block(JSON.stringify(JSON.parse(body), null, 2)),
      ]);
    case "skipped":
      return [h("p", "", preview.why)];
    case "invalid":
      return [];
    default:
      return preview satisfies never;
  }
}

function reason({ message }: RowProblem): HTMLElement {
  return h("span", "reason", message);
}
