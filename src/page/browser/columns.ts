import { parse } from "yaml";
import { grouped } from "../../model/quantities.ts";
import type { ColumnCells } from "../../run/check/count-cells.ts";
import { addMember, isObject, leaveOut, type MappingTable } from "../mapping-table.ts";
import { button, byId, h } from "./dom.ts";
import { cellsOf, isSameColumn, type View } from "./view.ts";

/** What `init` proposes for a column: a member and what it is made of. */
export interface Proposed {
  readonly name: string;
  readonly spec: unknown;
}

/** The proposals by column. */
export function readProposals(proposal: string): ReadonlyMap<string, Proposed> {
  const content: unknown = parse(proposal);
  const members = isObject(content) && isObject(content.members) ? content.members : {};
  return new Map(
    Object.entries(members).map(([name, spec]) => [
      String(isObject(spec) ? spec.column : spec),
      { name, spec },
    ]),
  );
}

/** The columns of the file, with what they hold and which members use them. */
export function createColumns(view: View, proposals: ReadonlyMap<string, Proposed>) {
  const root = byId("columns");
  return {
    update() {
      const table = view.table();
      const cells = cellsOf(view);
      const used = cells.filter(({ column }) => usesOf(table, column).length > 0).length;
      const rows = view.checked()?.rows ?? view.description.rows;
      const isAll = view.checked() !== undefined || view.description.isWhole;
      root.replaceChildren(
        h("h2", { textContent: "Columns" }),
        h("p", {
          className: "note",
          textContent: `${used} of ${cells.length} are used. Counted in ${isAll ? "all" : "the first"} ${grouped(rows)} rows.`,
        }),
        h("ul", { className: "cards" }, ...cells.map((one) => card(one, rows, table))),
      );
    },
  };

  function card(cells: ColumnCells, rows: number, table: MappingTable | undefined) {
    const { column, filled, distinct, hasMore, samples } = cells;
    const uses = usesOf(table, column);
    const findings = view.checked()?.findings.filter((finding) => finding.column === column) ?? [];
    const share = rows === 0 ? 0 : Math.floor((100 * filled) / rows);
    const names = uses.map(({ name }) => name || "event");
    return h(
      "li",
      { className: uses.length > 0 ? "card used" : "card" },
      h("h3", { textContent: column || "(no name)" }),
      h("p", {
        textContent: `${share} % filled, ${hasMore ? "over " : ""}${grouped(distinct)} different`,
      }),
      samples.length > 0 && h("p", { className: "samples", textContent: samples.join(" · ") }),
      ...findings.map(({ message }) => h("p", { className: "warning", textContent: message })),
      h(
        "div",
        { className: "end" },
        uses.length > 0 && h("span", { className: "uses", textContent: `→ ${names.join(", ")}` }),
        action(column, uses, table),
      ),
    );
  }

  function action(
    column: string,
    uses: ReturnType<typeof usesOf>,
    table: MappingTable | undefined,
  ) {
    const [block] = table?.blocks ?? [];
    const own = uses.filter(({ name, from }) => name !== "" && isSameColumn(from, column));
    if (own.length > 0) {
      const leave = () => {
        const text = own.reduceRight<string | undefined>(
          (text, member) => text && leaveOut(text, member),
          view.text(),
        );
        view.edit(text);
      };
      return button("Leave out", leave, `Leave out ${column}`);
    }
    if (block === undefined || column === "") return undefined;
    const { name, spec } = proposals.get(column) ?? { name: nameFor(column), spec: column };
    const taken = new Set(block.members.map((member) => member.name));
    let free = name;
    for (let n = 2; taken.has(free); n++) free = `${name}_${n}`;
    return button(`Add as ${free}`, () => view.edit(addMember(view.text(), block, free, spec)));
  }
}

function usesOf(table: MappingTable | undefined, column: string) {
  const members = table?.blocks.flatMap((block) => block.members) ?? [];
  return members.filter(({ columns }) => columns.some((name) => isSameColumn(name, column)));
}

/** A member's name for a column for which nobody has a better one. */
function nameFor(column: string): string {
  const plain = column.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return plain.replaceAll(/[^a-z0-9]+/g, "_").replaceAll(/^_|_$/g, "") || "member";
}
