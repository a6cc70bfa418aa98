import { count } from "../../model/quantities.ts";
import { renameAt, setAt } from "../edit-yaml.ts";
import { type Member, setKeys, setSource, setType } from "../mapping-table.ts";
import { freeName } from "./columns.ts";
import { byId, h } from "./dom.ts";
import type { PageState } from "./page-state.ts";
import { openValues } from "./values.ts";

type Field = HTMLInputElement & { options: HTMLOptionsCollection };

/** A control of a line: how it shows a member, and the text after a person has used it. */
interface Control {
  readonly label: string;
  readonly tag: "input" | "select" | "button";
  show(field: Field, member: Member): void;
  edit?(text: string, member: Member, field: Field): string | undefined;
}

/** What a column is chosen from beside the columns. */
const fixed = "\u0000fixed";
const inText = "\u0000text";

/** Shows the members as a table. Its lines stay while what they show changes, and so does the focus. */
export function createMembers(page: PageState): () => void {
  const { types, conversionKeys } = page.description;
  const controls: readonly Control[] = [
    {
      label: "Member",
      tag: "input",
      show(field, { name }) {
        field.value = name || "event";
        field.readOnly = name === "";
      },
      edit: (text, { path }, { value }) => renameAt(text, path, value),
    },
    {
      label: "Column",
      tag: "select",
      show(field, { source, from }) {
        const own = source === "column" ? [from] : [];
        const others = source === "other" ? [new Option(from || "(see the text)", inText)] : [];
        const list = (columns: readonly string[]) => {
          const options = [...new Set([...columns, ...own])].map((one) => new Option(one));
          field.replaceChildren(...options, new Option("(fixed value)", fixed), ...others);
          field.value = { column: from, value: fixed, other: inText }[source];
        };
        // Hundreds of columns in hundreds of lines would take seconds: all are there in the line that is used.
        const all = () => page.cells().map(({ column }) => column);
        field.onfocus = () => list(all());
        field.onpointerdown = () => field.focus();
        list(document.activeElement === field ? all() : []);
      },
      edit: (text, member, { value }) =>
        value === fixed
          ? setSource(text, member, "value", "")
          : setSource(text, member, "column", value),
    },
    {
      label: "Type",
      tag: "select",
      show(field, { name, source, type }) {
        if (field.options.length === 0) field.append(...types.map((one) => new Option(one)));
        field.value = type;
        field.hidden = name === "" || source === "value";
      },
      edit: (text, member, { value }) => setType(text, member, value, conversionKeys),
    },
    {
      label: "Format or value",
      tag: "input",
      show(field, { name, source, type, from, format }) {
        const hasFormat = name !== "" && ["string", "date", "datetime"].includes(type);
        field.value = source === "value" ? from : format;
        field.setAttribute("list", source === "value" ? "" : "formats");
        field.hidden = source !== "value" && !hasFormat;
      },
      edit: (text, member, { value }) =>
        member.source === "value"
          ? setSource(text, member, "value", value)
          : setKeys(text, member, { format: value || undefined }),
    },
    {
      label: "Required",
      tag: "input",
      show(field, { name, source, isRequired }) {
        field.type = "checkbox";
        field.checked = isRequired;
        field.hidden = name === "" || source === "value";
      },
      edit: (text, member, { checked: required }) =>
        setKeys(text, member, { required: required || undefined }),
    },
    {
      label: "Cells",
      tag: "button",
      show(field, { source, type, values, transforms }) {
        const codes = values === undefined ? [] : [count(Object.keys(values).length, "code")];
        field.title = field.textContent = [...codes, ...transforms].join(", ") || "Map…";
        field.hidden = source !== "column" || type !== "string";
      },
    },
    {
      label: "Leave out",
      tag: "button",
      show(field, { name }) {
        field.textContent = "✕";
        field.hidden = name === "";
      },
      edit: (text, { path }) => setAt(text, path, undefined),
    },
  ];

  const lines: ReturnType<typeof createLine>[] = [];
  /** @param at its place in the table, as its name may change */
  const createLine = (at: number) => {
    const now = () => page.table()?.members[at] as Member;
    const fields = controls.map(({ tag, edit, show, label }) => {
      const field = h(tag) as Field;
      const act = () => (edit ? page.edit(edit(page.text(), now(), field)) : openValues(page, now));
      Object.assign(field, tag === "button" ? { type: "button", onclick: act } : { onchange: act });
      return (member: Member) => {
        field.ariaLabel = `${label} of ${member.name || "event"}`;
        show(field, member);
        return field;
      };
    });
    const element = h("tr", {}, ...fields.map((show) => h("td", {}, show(now()))));
    byId("lines").append(element);
    return { element, fields };
  };

  const resource = byId<HTMLSelectElement>("resource");
  resource.onchange = () => page.edit(setAt(page.text(), ["resource"], resource.value));
  const add = byId("add");
  // Until it has a column or a value, the mapping has a problem.
  add.onclick = () => page.edit(setAt(page.text(), ["members", freeName(page, "member")], ""));
  return () => {
    const table = page.table();
    byId("members").inert = table === undefined;
    if (table === undefined) return;
    const { members } = table;
    resource.value = table.resource;
    // A mapping of several events for a row has no such place.
    add.hidden = !members[0]?.from;
    for (const line of lines.splice(members.length)) line.element.remove();
    for (const [at, member] of members.entries()) {
      lines[at] ??= createLine(at);
      for (const show of lines[at].fields) show(member);
    }
  };
}
