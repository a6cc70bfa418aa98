import { count } from "../../model/quantities.ts";
import { removeAt, setAt } from "../edit-yaml.ts";
import {
  type Block,
  leaveOut,
  type Member,
  rename,
  setMemberKey,
  setSource,
  setTop,
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

type Field = HTMLInputElement & HTMLSelectElement;
const fields = [
  "name",
  "column",
  "type",
  "value",
  "format",
  "required",
  "transforms",
  "values",
  "remove",
] as const;

interface Line {
  readonly element: HTMLTableRowElement;
  show(member: Member): void;
}

/** The table of members. Its lines stay in place while their contents change, and so does the focus. */
export function createMembers(page: PageState, proposals: ReadonlyMap<string, Proposed>) {
  const root = byId("members");
  const types = wordsAt(page.description.schema, ["members", "x", "type"]);
  const showSettings = createSettings(page);
  let tables: { readonly element: HTMLTableElement; readonly lines: Line[] }[] = [];
  return () => {
    const table = page.table();
    root.inert = table === undefined;
    if (table === undefined) return;
    showSettings();
    if (tables.length !== table.blocks.length) {
      for (const { element } of tables) element.remove();
      tables = table.blocks.map(() => ({ element: copyOf("block"), lines: [] }));
      root.append(...tables.map(({ element }) => element));
    }
    for (const [at, block] of table.blocks.entries()) {
      const { element, lines } = tables[at]!;
      element.caption!.textContent = titleOf(block, table.blocks.length);
      while (lines.length > block.members.length) lines.pop()?.element.remove();
      while (lines.length < block.members.length) {
        const line = createLine(at, lines.length);
        lines.push(line);
        element.tBodies[0]?.append(line.element);
      }
      for (const [index, member] of block.members.entries()) lines[index]?.show(member);
    }
  };

  /** @param at its place in the table, as its name may change */
  function createLine(block: number, at: number): Line {
    const element = copyOf<HTMLTableRowElement>("line");
    const [name, column, type, value, format, required, transforms, values, remove] = fields.map(
      (field) => element.querySelector(`[name=${field}]`) as Field,
    ) as [Field, Field, Field, Field, Field, Field, Field, Field, Field];
    const now = () => page.table()?.blocks[block]?.members[at] as Member;

    const edited = (field: Field, text: string, member: Member) => {
      switch (field) {
        case name:
          return rename(text, member, name.value);
        case column:
          if (column.value === fixed) return setSource(text, member, "value", "to fill in");
          return setSource(text, member, "column", column.value);
        case value:
          return setSource(text, member, "value", value.value);
        case type: {
          return setType(text, member, type.value, Object(proposals.get(member.from)?.spec));
        }
        case format:
          return setMemberKey(text, member, "format", format.value || undefined);
        default:
          return setMemberKey(text, member, "required", required.checked || undefined);
      }
    };
    element.onchange = ({ target }) => page.edit(edited(target as Field, page.text(), now()));
    transforms.onclick = values.onclick = () => openValues(page, now);
    remove.onclick = () => page.edit(leaveOut(page.text(), now()));

    const show = (member: Member) => {
      const { source, from } = member;
      const isEvent = member.name === "";
      const isFixed = source === "value";
      const isMapped = member.values !== undefined;
      name.value = isEvent ? "event" : member.name;
      for (const cell of element.cells) {
        const what = cell.dataset.label ?? "Leave out";
        for (const field of cell.children) field.ariaLabel = `${what} of ${name.value}`;
      }
      value.ariaLabel = `Fixed value of ${name.value}`;
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
      transforms.textContent = member.transforms.join(", ") || "none";
      const codes = Object.keys(member.values ?? {}).length;
      values.textContent = isMapped ? count(codes, "code") : "Map…";
      transforms.disabled = values.disabled = source !== "column";
    };
    return { element, show };
  }
}

function titleOf({ path }: Block, blocks: number): string {
  if (path[0] === "gone") return "The event of a key that is gone";
  return blocks === 1 ? "Each row becomes this event" : `Event ${Number(path[1]) + 1} of a row`;
}

/** What is about the whole mapping. */
function createSettings(page: PageState): () => void {
  const resource = byId<HTMLSelectElement>("resource");
  const key = byId<HTMLSelectElement>("key");
  resource.onchange = () => page.edit(setAt(page.text(), ["resource"], resource.value));
  key.onchange = () => {
    if (key.value === "") return page.edit(removeAt(page.text(), ["ordering_key"]));
    // Addresses that differ in case only are the same person, if the member says so.
    const members = page.table()?.blocks.flatMap((block) => block.members) ?? [];
    const { transforms = [] } = members.find(({ from }) => from === key.value) ?? {};
    const isPlain = transforms.length === 0 || transforms.includes("…");
    const part = isPlain ? key.value : { column: key.value, transform: transforms };
    page.edit(setTop(page.text(), "ordering_key", [part]));
  };
  return () => {
    const { resource: given, orderingKey } = page.table()!;
    setOptions(
      resource,
      [
        ["users", "users"],
        ["contacts", "contacts"],
      ],
      given,
    );
    const columns = page.cells().map(({ column }) => column);
    const options = [
      ["", "(nothing)"],
      ...columns.map((one) => [one, one] as const),
      ["…", "(see the text)"],
    ] as const;
    setOptions(key, orderingKey === "…" ? options : options.slice(0, -1), orderingKey);
  };
}
