import type { EventExplanation } from "../../model/event.ts";
import { grouped } from "../../model/quantities.ts";
import type { Preview } from "../../run/check/preview.ts";
import { byId, h, show } from "./dom.ts";

type ShownRow = Exclude<Preview, { kind: "no_such_row" }>;

/** Shows a row as it stands in the file, each cell beside what becomes of it, or as the request that is sent. */
export function showRow(preview: ShownRow): void {
  const { row, columns } = preview;
  const explained = preview.kind === "skipped" ? [] : (preview.explained ?? []);
  const problems = preview.kind === "invalid" ? preview.problems : [];
  const made = explained.flatMap(({ members }: EventExplanation) => members);
  const lines = columns.flatMap((column, at) => {
    const own = made.filter(({ steps: [first] }) => first?.by === "column" && first.of === column);
    const cell = row.cells[at] ?? "";
    if (own.length === 0)
      return [
        lineOf(
          column,
          cell,
          "",
          problems.find((problem) => problem.column === column)?.message,
          undefined,
        ),
      ];
    return own.map(({ name, value, problem }) =>
      lineOf(column, cell, name, problem?.message, value),
    );
  });
  const others = made.filter(
    ({ name, steps: [first] }) => first?.by !== "column" && name !== "event",
  );
  const rest = others.map(({ name, value, problem, steps: [first] }) =>
    lineOf(`(${first?.by ?? "the file"})`, "", name, problem?.message, value),
  );
  show(byId("verdict"), ...verdict(preview));
  show(byId("pairs"), ...lines, ...rest);
  show(byId("request"), ...requestsOf(preview));
}

function lineOf(
  column: string,
  cell: string,
  field: string,
  why: string | undefined,
  value: unknown,
): HTMLElement {
  const becomes =
    why ?? (value === undefined ? (field === "" ? "not sent" : "left out") : JSON.stringify(value));
  const className = why !== undefined ? "to why" : value === undefined ? "to not" : "to";
  return h(
    "div",
    { className: why === undefined ? "" : "wrong" },
    h("dt", column || "(no name)"),
    h("dd.field", field),
    h(
      "dd",
      { className: cell.trim() === "" ? "not" : "" },
      cell.trim() === "" ? (column.startsWith("(") ? "" : "blank") : cell,
    ),
    h("dd", { className }, becomes),
  );
}

function verdict(preview: ShownRow): Node[] {
  const line = h("span.quiet", `line ${grouped(preview.row.line)}`);
  const tag = (kind: string, text: string) => h("span", { className: `tag ${kind}` }, text);
  const space = document.createTextNode(" ");
  switch (preview.kind) {
    case "requests":
      return [tag("good", "ready"), space, line];
    case "skipped":
      return [tag("", "left out"), space, line, h("span.quiet", ` ${preview.why}`)];
    case "invalid": {
      const whole = preview.problems.filter(({ column }) => column === undefined);
      return [
        tag("warn", "not ready"),
        space,
        line,
        ...whole.map(({ message }) => h("span.quiet", ` ${message}`)),
      ];
    }
    default:
      return preview satisfies never;
  }
}

function requestsOf(preview: ShownRow): Node[] {
  if (preview.kind !== "requests") return [h("p.quiet", "Nothing of this row is sent.")];
  return preview.requests.flatMap(({ method, url, body }) => [
    h("p.quiet", `${method} ${url}`),
    h(
      "pre",
      { tabIndex: 0, ariaLabel: "Body of the request", role: "group" },
      JSON.stringify(JSON.parse(body), null, 2),
    ),
  ]);
}
