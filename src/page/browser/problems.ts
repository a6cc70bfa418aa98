import type { FileProblem } from "../../model/file-problem.ts";
import { count, grouped } from "../../model/quantities.ts";
import type { ProblemGroup } from "../../run/check/group-problems.ts";
import type { Checked, Commands } from "../contract.ts";
import { countAsBlank, leaveRowsOut } from "../mapping-table.ts";
import { button, byId, h } from "./dom.ts";
import type { View } from "./view.ts";

/** What is wrong: with the text, and with the rows. */
export function createProblems(view: View) {
  const root = byId("problems");
  const title = h("h2", { textContent: "All rows" });
  return {
    ofDocument(problems: readonly FileProblem[]) {
      const lines = problems.map(({ line = 1, path, message }) => {
        const what = path === "" ? message : `${path}: ${message}`;
        return h(
          "li",
          {},
          button(`Line ${line}`, () => view.goToLine(line)),
          ` ${what}`,
        );
      });
      root.replaceChildren(
        title,
        h("p", {
          textContent: `The mapping has ${count(problems.length, "problem")}, and no row is checked before.`,
        }),
        h("ul", { className: "groups" }, ...lines),
      );
    },
    refused(message: string) {
      root.replaceChildren(title, h("p", { className: "reason", textContent: message }));
    },
    ofRows(report: Checked, isSaved: boolean) {
      const { rows, events, invalidRows, skippedRows, ungroupedProblems } = report;
      const skipped = skippedRows === 0 ? "" : `, ${grouped(skippedRows)} left out`;
      const general = report.findings.filter(({ column }) => column === undefined);
      const notes = [...report.warnings, ...general.map(({ message }) => message)];
      root.replaceChildren(
        title,
        h("p", {
          textContent: `${count(rows, "row")} give ${count(events, "event")}; ${grouped(invalidRows)} invalid${skipped}.`,
        }),
        ...notes.map((textContent) => h("p", { className: "warning", textContent })),
        h("ul", { className: "groups" }, ...report.problemGroups.map(group)),
        (ungroupedProblems > 0 &&
          h("p", { textContent: `And ${count(ungroupedProblems, "problem")} more.` })) ||
          "",
        invalidRows === 0 && events > 0 ? allIsWell(view.description.commands, isSaved) : "",
      );
    },
  };

  function group({ code, column, count: many, message, cases, first }: ProblemGroup) {
    const where = column === undefined ? "" : `column ${column}: `;
    const isOfCell = column !== undefined && code !== "error_cell";
    return h(
      "li",
      {},
      h("h3", { textContent: `${grouped(many)} × ${where}${message ?? cases[0]?.message ?? ""}` }),
      h(
        "ul",
        {},
        ...cases.map(({ value, count: times, first: place }) =>
          h(
            "li",
            {},
            value === undefined || value === "" ? "" : h("code", { textContent: value }),
            times === 1 ? " " : ` ${grouped(times)} times, first `,
            button(
              `row ${grouped(place.row)}`,
              () => view.show(place.row),
              `Show row ${place.row}`,
            ),
            ...(isOfCell && value ? fixes(column, value) : []),
          ),
        ),
        ...(cases.length > 0
          ? []
          : first.map(({ row }) =>
              h(
                "li",
                {},
                button(`row ${grouped(row)}`, () => view.show(row)),
              ),
            )),
      ),
    );
  }

  function fixes(column: string, value: string): HTMLElement[] {
    return [
      button(
        "Count as blank",
        () => view.edit(countAsBlank(view.text(), value)),
        `Count ${value} as blank`,
      ),
      button(
        "Leave rows out",
        () => view.edit(leaveRowsOut(view.text(), column, value)),
        `Leave out rows with ${value}`,
      ),
    ];
  }
}

function allIsWell(commands: Commands, isSaved: boolean): HTMLElement {
  const steps = [
    ["Start the sandbox in another terminal:", commands.sandbox],
    ["Send ten rows to it:", commands.trial],
    ["Import the file:", commands.import],
  ];
  return h(
    "div",
    { className: "well" },
    h("h3", {
      textContent: isSaved
        ? "All is well. Next, in a terminal:"
        : "All is well. Save it, then in a terminal:",
    }),
    ...steps.flatMap(([what = "", command = ""]) => [
      h("p", { textContent: what }),
      h("pre", { tabIndex: 0, textContent: command }),
    ]),
  );
}
