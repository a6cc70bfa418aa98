import { parse } from "yaml";
import { grouped } from "../../model/quantities.ts";
import { isRecord } from "../../model/yaml-document.ts";
import type { ColumnCells } from "../../run/check/count-cells.ts";
import { type Edited, setAt } from "../edit-yaml.ts";
import type { Member } from "../mapping-table.ts";
import { button, byId, h, replace } from "./dom.ts";
import type { PageState } from "./page-state.ts";

/** The members that `init` proposes, by column. */
export type Proposals = ReadonlyMap<string, { readonly name: string; readonly spec: unknown }>;

export function readProposals(proposal: string): Proposals {
  const content: unknown = parse(proposal);
  const members = isRecord(content) && isRecord(content.members) ? content.members : {};
  const columnOf = (spec: unknown) => String(isRecord(spec) ? spec.column : spec);
  return new Map(Object.entries(members).map(([name, spec]) => [columnOf(spec), { name, spec }]));
}

export function showColumns(page: PageState, proposals: Proposals): void {
  const cells = page.cells();
  const checked = page.checked();
  const members = page.table()?.members ?? [];
  const { rows, isWhole } = checked ? { ...checked, isWhole: true } : page.description;
  const uses = cells.map(({ column }) => members.filter(({ columns }) => columns.includes(column)));
  const used = uses.filter((members) => members.length > 0).length;
  const where = isWhole ? `all ${grouped(rows)} rows` : `${grouped(rows)} of the rows`;
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
      { className: uses.length > 0 ? "card used" : "card" },
      h("h3", {}, column || "(no name)"),
      h("p", {}, `${share} % filled, ${hasMore ? "over " : ""}${grouped(distinct)} different`),
      h("p", { className: "samples" }, samples.join(" · ")),
      ...findings.map(({ message }) => h("p", { className: "warning" }, message)),
      h("div", { className: "line" }, uses.length > 0 && `→ ${names}`, action(column, uses)),
    );
  }

  function action(column: string, uses: readonly Member[]): HTMLElement | undefined {
    const own = uses.filter(({ name, from }) => name !== "" && from === column);
    const leaveOut = (text: Edited, { path }: Member) => text && setAt(text, path, undefined);
    if (own.length > 0) {
      const leaveAll = () => page.edit(own.reduceRight(leaveOut, page.text() as Edited));
      return button("Leave out", leaveAll, `Leave out ${column}`);
    }
    // A mapping of several events for a row has no such place.
    if (!members[0]?.from || column === "") return undefined;
    const { name, spec } = proposals.get(column) ?? { name: column, spec: column };
    const free = freeName(page, name);
    return button(`Add as ${free}`, () => page.edit(setAt(page.text(), ["members", free], spec)));
  }
}

/** The name, with a number where another member has it. */
export function freeName(page: PageState, name: string): string {
  const taken = page.table()?.members.map((member) => member.name) ?? [];
  let free = name;
  for (let n = 2; taken.includes(free); n++) free = `${name}_${n}`;
  return free;
}
