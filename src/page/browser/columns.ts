import { parse } from "yaml";
import { grouped } from "../../model/quantities.ts";
import type { ColumnCells } from "../../run/check/count-cells.ts";
import { addMember, isObject, leaveOut, type Member } from "../mapping-table.ts";
import { button, byId, h, replace } from "./dom.ts";
import type { PageState } from "./page-state.ts";

/** What `init` proposes for a column: a member, and what it is made of. */
export interface Proposed {
  readonly name: string;
  readonly spec: unknown;
}

/** The proposals by column. */
export function readProposals(proposal: string): ReadonlyMap<string, Proposed> {
  const content: unknown = parse(proposal);
  const members = isObject(content) && isObject(content.members) ? content.members : {};
  const columnOf = (spec: unknown) => String(isObject(spec) ? spec.column : spec);
  return new Map(Object.entries(members).map(([name, spec]) => [columnOf(spec), { name, spec }]));
}

/** Shows the columns of the file, with what they hold and which members use them. */
export function showColumns(page: PageState, proposals: ReadonlyMap<string, Proposed>): void {
  const cells = page.cells();
  const checked = page.checked();
  const { rows, isWhole } = checked ? { ...checked, isWhole: true } : page.description;
  const uses = cells.map(({ column }) => usesOf(page, column));
  const used = uses.filter((members) => members.length > 0).length;
  const where = `${isWhole ? "all" : "the first"} ${grouped(rows)} rows`;
  byId("columns-note").textContent = `${used} of ${cells.length} are used. Counted in ${where}.`;
  replace(byId("columns"), ...cells.map((one, at) => card(one, uses[at] ?? [])));

  function card(
    { column, filled, distinct, hasMore, samples }: ColumnCells,
    uses: readonly Member[],
  ) {
    const findings = checked?.findings.filter((finding) => finding.column === column) ?? [];
    const share = rows === 0 ? 0 : Math.floor((100 * filled) / rows);
    const names = uses.map(({ name }) => name || "event").join(", ");
    return h(
      "li",
      uses.length > 0 ? "card used" : "card",
      h("h3", "", column || "(no name)"),
      h("p", "", `${share} % filled, ${hasMore ? "over " : ""}${grouped(distinct)} different`),
      h("p", "samples", samples.join(" · ")),
      ...findings.map(({ message }) => h("p", "warning", message)),
      h("div", "line", uses.length > 0 && h("span", "uses", `→ ${names}`), action(column, uses)),
    );
  }

  function action(column: string, uses: readonly Member[]): HTMLElement | undefined {
    const own = uses.filter(({ name, from }) => name !== "" && from === column);
    const leave = (text: string | undefined, member: Member) => text && leaveOut(text, member);
    if (own.length > 0) {
      const leaveAll = () => page.edit(own.reduceRight(leave, page.text() as string | undefined));
      return button("Leave out", leaveAll, `Leave out ${column}`);
    }
    const { members = [] } = page.table() ?? {};
    // A mapping of several events for a row has no such place.
    if (!members[0]?.from || column === "") return undefined;
    const { name, spec } = proposals.get(column) ?? { name: nameFor(column), spec: column };
    const taken = members.map((member) => member.name);
    let free = name;
    for (let n = 2; taken.includes(free); n++) free = `${name}_${n}`;
    return button(`Add as ${free}`, () => page.edit(addMember(page.text(), free, spec)));
  }
}

function usesOf(page: PageState, column: string): readonly Member[] {
  return page.table()?.members.filter(({ columns }) => columns.includes(column)) ?? [];
}

/** A member's name for a column for which nobody has a better one. */
function nameFor(column: string): string {
  const plain = column.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return plain.replaceAll(/[^a-z0-9]+/g, "_").replaceAll(/^_|_$/g, "") || "member";
}
