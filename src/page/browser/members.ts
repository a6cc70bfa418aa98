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
import { button, byId, h, setOptions } from "./dom.ts";
import { openMember } from "./member-dialog.ts";
import { cellsOf, isSameColumn, type View } from "./view.ts";

const formats: Readonly<Record<string, readonly string[]>> = {
  string: ["email", "url", "uuid", "iso-country"],
  date: ["iso", "dd.MM.yyyy", "dd/MM/yyyy", "MM/dd/yyyy", "yyyyMMdd", "excel_serial"],
  datetime: [
    "iso",
    "dd.MM.yyyy HH:mm",
    "dd/MM/yyyy HH:mm",
    "MM/dd/yyyy HH:mm",
    "excel_serial",
    "X",
  ],
};
const fixed = "\u0000fixed";
const other = "\u0000other";

interface Line {
  readonly element: HTMLTableRowElement;
  update(member: Member): void;
}

/** The table of members. Its lines stay in place while their contents change, and so does the focus. */
export function createMembers(view: View, proposals: ReadonlyMap<string, Proposed>) {
  const root = byId("members");
  const settings = createSettings(view);
  const types = wordsAt(view.description.schema, ["members", "x", "type"]);
  let tables: { readonly body: HTMLElement; readonly lines: Line[] }[] = [];
  root.append(
    ...Object.entries(formats).map(([type, list]) =>
      h("datalist", { id: `formats-${type}` }, ...list.map((value) => h("option", { value }))),
    ),
  );
  return {
    update() {
      const table = view.table();
      for (const part of [root, byId("settings")]) part.inert = table === undefined;
      root.classList.toggle("stale", table === undefined);
      if (table === undefined) return;
      settings.update();
      if (tables.length !== table.blocks.length) {
        for (const old of root.querySelectorAll("table")) old.remove();
        tables = table.blocks.map((block) => {
          const body = h("tbody");
          const heads = ["Member", "Column", "Type", "Format", "Req.", "Transforms", "Values", ""];
          const caption = h("caption", { textContent: titleOf(block, table.blocks.length) });
          const head = h(
            "tr",
            {},
            ...heads.map((textContent) => h("th", { textContent, scope: "col" })),
          );
          root.append(h("table", {}, caption, h("thead", {}, head), body));
          return { body, lines: [] };
        });
      }
      for (const [at, { members }] of table.blocks.entries()) {
        const { body, lines } = tables[at]!;
        while (lines.length > members.length) lines.pop()?.element.remove();
        while (lines.length < members.length) {
          const line = createLine(at, lines.length);
          lines.push(line);
          body.append(line.element);
        }
        for (const [index, member] of members.entries()) lines[index]?.update(member);
      }
    },
  };

  /** @param at its place in the table, as its name may change */
  function createLine(block: number, at: number): Line {
    const now = () => view.table()?.blocks[block]?.members[at] as Member;
    const edit = (change: (text: string, member: Member) => string | undefined) =>
      view.edit(change(view.text(), now()));
    const name = h("input", { onchange: () => edit((text, one) => rename(text, one, name.value)) });
    const column = h("select", {
      onchange: () => {
        const isFixed = column.value === fixed;
        edit((text, one) =>
          isFixed
            ? setSource(text, one, "value", "to fill in")
            : setSource(text, one, "column", column.value),
        );
      },
    });
    const value = h("input", {
      onchange: () => edit((text, one) => setSource(text, one, "value", value.value)),
    });
    const proposed = () => {
      const [, found] = [...proposals].find(([column]) => isSameColumn(column, now().from)) ?? [];
      return (found?.spec ?? {}) as Readonly<Record<string, unknown>>;
    };
    const type = h("select", {
      onchange: () => edit((text, one) => setType(text, one, type.value, proposed())),
    });
    const format = h("input", {
      onchange: () =>
        edit((text, one) => setMemberKey(text, one, "format", format.value || undefined)),
    });
    const required = h("input", {
      type: "checkbox",
      onchange: () =>
        edit((text, one) => setMemberKey(text, one, "required", required.checked || undefined)),
    });
    const open = () => openMember(view, () => now());
    const transforms = button("", open);
    const values = button("", open);
    const remove = button("✕", () => edit(leaveOut));
    const cells: readonly (readonly [string, ...HTMLElement[]])[] = [
      ["Member", name],
      ["Column", column],
      ["Type", type, value],
      ["Format", format],
      ["Required", required],
      ["Transforms", transforms],
      ["Values", values],
      ["", remove],
    ];
    const element = h(
      "tr",
      {},
      ...cells.map(([label, ...fields]) => {
        const cell = h("td", {}, ...fields);
        cell.dataset.label = label;
        return cell;
      }),
    );
    return {
      element,
      update(member) {
        const { source, from } = member;
        const isEvent = member.name === "";
        const called = isEvent ? "event" : member.name;
        for (const [label, ...fields] of cells)
          for (const field of fields) field.ariaLabel = `${label || "Leave out"} of ${called}`;
        value.ariaLabel = `Fixed value of ${called}`;
        name.value = called;
        name.readOnly = isEvent;
        const isFixed = source === "value";
        const columns = cellsOf(view).map((one) => one.column);
        const known = columns.find((one) => isSameColumn(one, from)) ?? from;
        setOptions(
          column,
          [
            ...[...new Set([...columns, ...(source === "column" ? [known] : [])])].map(
              (one) => [one, one] as const,
            ),
            [fixed, "(fixed value)"],
            ...(source === "other"
              ? [[other, from === "" ? "(see the text)" : from] as const]
              : []),
          ],
          source === "column" ? known : isFixed ? fixed : other,
        );
        // A fixed value stands where the type and the format of others do.
        const [ofType, ofFormat] = [element.cells[2]!, element.cells[3]!];
        ofType.colSpan = isFixed ? 2 : 1;
        ofType.dataset.label = isFixed ? "Value" : "Type";
        ofFormat.hidden = type.hidden = isFixed;
        value.hidden = !isFixed;
        value.value = isFixed ? from : "";
        setOptions(
          type,
          types.map((one) => [one, one]),
          member.type,
        );
        const isMapped = member.values !== undefined;
        type.disabled = isEvent || isFixed || isMapped;
        format.value = member.format;
        format.disabled = type.disabled || formats[member.type] === undefined;
        format.setAttribute("list", `formats-${member.type}`);
        required.checked = member.isRequired;
        required.disabled = isEvent || isFixed;
        transforms.textContent = member.transforms.join(", ") || "none";
        const count = Object.keys(member.values ?? {}).length;
        values.textContent = isMapped ? `${count} mapped` : "Map…";
        transforms.disabled = values.disabled = source !== "column";
        remove.hidden = isEvent;
      },
    };
  }
}

function titleOf({ path }: Block, blocks: number): string {
  if (path[0] === "gone") return "The event of a key that is gone";
  return blocks === 1 ? "Each row becomes this event" : `Event ${Number(path[1]) + 1} of a row`;
}

/** What is about the whole mapping. */
function createSettings(view: View) {
  const resource = h("select", {
    id: "resource",
    onchange: () => view.edit(setAt(view.text(), ["resource"], resource.value)),
  });
  const key = h("select", {
    id: "key",
    onchange: () => {
      if (key.value === "") return view.edit(removeAt(view.text(), ["ordering_key"]));
      // Addresses that differ in case only are the same person, if the member says so.
      const members = view.table()?.blocks.flatMap((block) => block.members) ?? [];
      const { transforms = [] } = members.find(({ from }) => from === key.value) ?? {};
      const isPlain = transforms.length === 0 || transforms.includes("…");
      const part = isPlain ? key.value : { column: key.value, transform: transforms };
      view.edit(setTop(view.text(), "ordering_key", [part]));
    },
  });
  byId("settings").append(
    h("label", {}, "Rows are ", resource),
    h(
      "label",
      { title: "Rows with the same cell there are sent in file order, and nights go by it" },
      "One person is told by ",
      key,
    ),
  );
  return {
    update() {
      const { resource: given, orderingKey } = view.table()!;
      setOptions(
        resource,
        ["users", "contacts"].map((one) => [one, one]),
        given,
      );
      const columns = cellsOf(view).map(({ column }) => [column, column] as const);
      const several = [["…", "(see the text)"]] as const;
      const known =
        columns.find(([column]) => isSameColumn(column, orderingKey))?.[0] ?? orderingKey;
      const options = [["", "(nothing)"] as const, ...columns, ...(known === "…" ? several : [])];
      setOptions(key, options, known);
    },
  };
}
