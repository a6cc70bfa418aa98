import { count } from "../../model/quantities.ts";
import { setAt } from "../edit-yaml.ts";
import {
  leaveOut,
  type Member,
  rename,
  setMemberKey,
  setSource,
  setType,
} from "../mapping-table.ts";
import type { Proposed } from "./columns.ts";
import { wordsAt } from "./completion.ts";
import { byId, copyOf, setOptions } from "./dom.ts";
import type { PageState } from "./page-state.ts";
import { openValues } from "./values.ts";

/** What a column is chosen from beside the columns. */
const fixed = "\u0000fixed";
const inText = "\u0000text";

/** The fields of a line, and what they are of a member. */
const labels = {
  name: "Member",
  column: "Column",
  type: "Type",
  value: "Fixed value",
  format: "Format",
  required: "Required",
  cells: "Cells",
  remove: "Leave out",
} as const;

type Field = HTMLInputElement & HTMLSelectElement;

interface Line {
  readonly element: HTMLTableRowElement;
  show(member: Member): void;
}

/** The table of members. Its lines stay in place while their contents change, and so does the focus. */
export function createMembers(page: PageState, proposals: ReadonlyMap<string, Proposed>) {
  const root = byId("members");
  const resource = byId<HTMLSelectElement>("resource");
  resource.onchange = () => page.edit(setAt(page.text(), ["resource"], resource.value));
  const types = wordsAt(page.description.schema, ["members", "x", "type"]);
  const body = byId("lines");
  const lines: Line[] = [];
  return () => {
    const table = page.table();
    root.inert = table === undefined;
    if (table === undefined) return;
    resource.value = table.resource;
    while (lines.length > table.members.length) lines.pop()?.element.remove();
    while (lines.length < table.members.length) {
      const line = createLine(lines.length);
      lines.push(line);
      body.append(line.element);
    }
    for (const [at, member] of table.members.entries()) lines[at]?.show(member);
  };

  /** @param at its place in the table, as its name may change */
  function createLine(at: number): Line {
    const element = copyOf<HTMLTableRowElement>("line");
    const all = [...element.querySelectorAll<Field>("[name]")];
    const { name, column, type, value, format, required, cells, remove } = Object.fromEntries(
      all.map((field) => [field.name, field]),
    ) as Record<keyof typeof labels, Field>;
    const now = () => page.table()?.members[at] as Member;

    const edited = (field: Field, text: string, member: Member) => {
      switch (field) {
        case name:
          return rename(text, member, name.value);
        case column:
          if (column.value === fixed) return setSource(text, member, "value", "to fill in");
          return setSource(text, member, "column", column.value);
        case value:
          return setSource(text, member, "value", value.value);
        case type:
          return setType(text, member, type.value, Object(proposals.get(member.from)?.spec));
        case format:
          return setMemberKey(text, member, "format", format.value || undefined);
        default:
          return setMemberKey(text, member, "required", required.checked || undefined);
      }
    };
    element.onchange = ({ target }) => page.edit(edited(target as Field, page.text(), now()));
    cells.onclick = () => openValues(page, now);
    remove.onclick = () => page.edit(leaveOut(page.text(), now()));

    const show = (member: Member) => {
      const { source, from, transforms } = member;
      const isEvent = member.name === "";
      const isFixed = source === "value";
      const isMapped = member.values !== undefined;
      name.value = isEvent ? "event" : member.name;
      for (const field of all) {
        field.ariaLabel = `${labels[field.name as keyof typeof labels]} of ${name.value}`;
      }
      name.readOnly = isEvent;
      remove.hidden = isEvent;
      const columns = page.cells().map((one) => one.column);
      if (source === "column") columns.push(from);
      const options = [...new Set(columns)].map((one) => [one, one] as const);
      const others = [
        [fixed, "(fixed value)"],
        [inText, from || "(see the text)"],
      ] as const;
      const chosen = source === "column" ? from : isFixed ? fixed : inText;
      setOptions(column, [...options, ...others.slice(0, source === "other" ? 2 : 1)], chosen);
      // A fixed value stands where the type and the format of others do.
      const [ofType, ofFormat] = [element.cells[2]!, element.cells[3]!];
      ofType.colSpan = isFixed ? 2 : 1;
      ofFormat.hidden = type.hidden = isFixed;
      value.hidden = !isFixed;
      value.value = isFixed ? from : "";
      setOptions(
        type,
        types.map((one) => [one, one]),
        member.type,
      );
      type.disabled = isEvent || isMapped;
      format.value = member.format;
      format.setAttribute("list", `formats-${member.type}`);
      format.disabled = type.disabled || format.list === null;
      required.checked = member.isRequired;
      required.disabled = isEvent || isFixed;
      const codes = Object.keys(member.values ?? {}).length;
      const changes = [...(isMapped ? [count(codes, "code")] : []), ...transforms];
      cells.title = cells.textContent = changes.join(", ") || "Map…";
      cells.disabled = source !== "column";
    };
    return { element, show };
  }
}
