import type { MemberExplanation } from "../../model/explanation.ts";
import { grouped } from "../../model/quantities.ts";
import type { RowProblem } from "../../model/row.ts";
import type { Preview } from "../../run/check/preview.ts";
import { button, byId, h } from "./dom.ts";
import { isSameColumn, type View } from "./view.ts";

/** A row as it stands in the file, beside what becomes of it. */
export function createRow(view: View) {
  let row = 1;
  const number = h("input", {
    ...{ type: "number", min: "1", value: "1", ariaLabel: "Row" },
    onchange: () => view.show(Math.max(1, Math.floor(Number(number.value)) || 1)),
  });
  const total = h("span");
  const note = h("p", { className: "note", role: "status" });
  const content = h("div");
  byId("row").append(
    h("h2", { textContent: "Preview" }),
    h(
      "div",
      { className: "buttons" },
      button("◀", () => view.show(Math.max(1, row - 1)), "Previous row"),
      h("label", {}, "Row ", number, total),
      button("▶", () => view.show(row + 1), "Next row"),
      button("Next invalid", () => view.show(row + 1, true), "Next invalid row"),
    ),
    note,
    content,
  );
  return {
    row: () => row,
    say(message: string) {
      note.textContent = message;
    },
    update() {
      const rows = view.checked()?.rows;
      total.textContent = rows === undefined ? "" : ` of ${grouped(rows)}`;
    },
    show(preview: Preview) {
      number.value = String(row);
      if (preview.kind === "no_such_row") {
        note.textContent = "There is no such row from there on.";
        return;
      }
      row = preview.row.row;
      number.value = String(row);
      note.textContent = "";
      content.replaceChildren(shown(preview));
    },
  };
}

function shown(preview: Exclude<Preview, { kind: "no_such_row" }>): HTMLElement {
  const { row, columns } = preview;
  const problems = preview.kind === "invalid" ? preview.problems : [];
  const lines = row.cells.map((cell, at) => {
    const column = columns[at] ?? "";
    const own = problems.filter((problem) => isSameColumn(problem.column ?? "", column));
    return h(
      "div",
      { className: own.length > 0 ? "invalid" : "" },
      h("dt", { textContent: column }),
      h("dd", {}, cell === "" ? h("i", { textContent: "blank" }) : cell, ...own.map(reason)),
    );
  });
  const ofRow = problems.filter(
    ({ column }) => !columns.some((one) => isSameColumn(one, column ?? "")),
  );
  return h(
    "div",
    { className: "beside" },
    h(
      "div",
      {},
      h("h3", { textContent: `In the file, line ${grouped(row.line)}` }),
      ...ofRow.map(reason),
      h("dl", { className: "cells" }, ...lines),
    ),
    h("div", {}, h("h3", { textContent: titles[preview.kind] }), ...becomes(preview)),
  );
}

const titles = {
  requests: "What it becomes",
  invalid: "Invalid: nothing of it is sent",
  skipped: "Left out: nothing of it is sent",
};

function becomes(preview: Exclude<Preview, { kind: "no_such_row" }>): HTMLElement[] {
  switch (preview.kind) {
    case "requests":
      return preview.requests.flatMap(({ method, url, body }) => [
        h("p", { className: "request", textContent: `${method} ${url}` }),
        h("pre", { tabIndex: 0, textContent: JSON.stringify(JSON.parse(body), null, 2) }),
      ]);
    case "skipped":
      return [h("p", { textContent: preview.why })];
    case "invalid":
      return (preview.explained ?? []).flatMap(({ members, leftOut }): HTMLElement[] =>
        leftOut === undefined
          ? [h("ul", { className: "made" }, ...members.map(explained))]
          : [h("p", { textContent: leftOut })],
      );
    default:
      return preview satisfies never;
  }
}

function explained({ name, value, problem }: MemberExplanation): HTMLElement {
  const made = value === undefined ? "is left out" : JSON.stringify(value);
  return h(
    "li",
    {},
    h("b", { textContent: name }),
    " ",
    problem === undefined ? made : reason(problem),
  );
}

function reason({ message }: RowProblem): HTMLElement {
  return h("span", { className: "reason", textContent: message });
}
