import { grouped } from "../../model/quantities.ts";
import type { RowProblem } from "../../model/row.ts";
import type { Preview } from "../../run/check/preview.ts";
import { block, byId, h } from "./dom.ts";

type ShownRow = Exclude<Preview, { kind: "no_such_row" }>;

/** Shows a row as it stands in the file, beside what becomes of it. */
export function showRow(preview: ShownRow): void {
  const { row, columns } = preview;
  const problems = preview.kind === "invalid" ? preview.problems : [];
  const cells = row.cells.map((cell, at) => {
    const column = columns[at] ?? "";
    const own = problems.filter((problem) => problem.column === column);
    const shown = h("dd", {}, cell === "" ? h("i", {}, "blank") : cell, ...own.map(reason));
    return h("div", { className: own.length > 0 ? "invalid" : "" }, h("dt", {}, column), shown);
  });
  const place = h("h3", {}, `In the file, line ${grouped(row.line)}`);
  byId("shown").replaceChildren(
    h("div", {}, place, h("dl", {}, ...cells)),
    h("div", {}, ...becomes(preview)),
  );
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
      const title = h("h3", {}, "Invalid: nothing of it is sent");
      const named = preview.problems.map(({ column, message }) =>
        column === undefined ? message : `${column}: ${message}`,
      );
      return [title, ...named.map((message) => reason({ message }))];
    }
    default:
      return preview satisfies never;
  }
}

function reason({ message }: Pick<RowProblem, "message">): HTMLElement {
  return h("span", { className: "reason" }, message);
}
