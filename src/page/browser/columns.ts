import { parse } from "yaml";
import { type Html, html, type Part } from "../../model/look/html.ts";
import { grouped, sum } from "../../model/quantities.ts";
import { cutTo } from "../../model/row.ts";
import { isRecord } from "../../model/yaml-document.ts";
import type { ColumnCells } from "../../run/check/count-cells.ts";
import { addItems, removeItem, renameAt } from "../edit-yaml.ts";
import {
  type Kind,
  keysOfKind,
  kindNames,
  type MappingTable,
  type Member,
} from "../mapping-table.ts";
import { bestKeys, kinds } from "../ways.ts";
import { editorOf } from "./column-editor.ts";
import { button, field, link, select } from "./dom.ts";
import type { Page } from "./page.ts";

/** The columns in the order of the file, a line each, and below them the fields that are of no column. */
export function columnsOf(page: Page, table: MappingTable): Html {
  const cells = page.cells();
  const ofColumn = (column: string) =>
    table.members.filter(({ source, from }) => source === "column" && from === column);
  const lines = cells.map((one) => {
    const own = ofColumn(one.column);
    if (own.length === 0) return offLine(page, one, table);
    return own.map((member, at) => linesOf(page, one, member, at > 0));
  });
  const columns = new Set(cells.map(({ column }) => column));
  const others = table.members.filter(
    ({ source, from }) => source !== "column" || !columns.has(from),
  );
  const sent = cells.filter(({ column }) => ofColumn(column).length > 0).length;
  const add = () => {
    page.set(["members", freeName(table, "field")], { value: "" });
    document.querySelector<HTMLInputElement>("#lines tr:last-child .becomes input")?.select();
  };
  const label = "+ Add a field with the same value in every row";
  return html`<h2 id="columns-title">Columns <small>${grouped(sent)} of ${grouped(cells.length)} are sent</small></h2>
${leadOf(page, table)}
<div class="columns"><table>
<thead><tr><th scope="col"><span class="unseen">Sent</span></th><th scope="col">Column of the file</th>
<th scope="col">Becomes the field</th><th scope="col">Type</th><th scope="col">Its cells</th><td></td></tr></thead>
<tbody id="lines">${lines}${others.map((member) => otherLine(page, member))}</tbody></table></div>
${table.event !== undefined && button(label, add, { class: "button bare", id: "add" })}`;
}

/** What all rows share: what they are, and what counts as blank. */
function leadOf(page: Page, { resource, event, nullValues }: MappingTable): Html {
  const isFixed = event?.source === "value";
  const setEvent = ({ value }: HTMLInputElement) => {
    if (value === "") page.edit(undefined);
    else page.set(["event"], value);
  };
  const resources = [["contacts", "contact"] as const, ["users", "user"] as const];
  const counts = new Map(page.state.checked?.nulls ?? []);
  const chips = nullValues.map((cell) => {
    const times = grouped(counts.get(cell) ?? 0);
    const label = `${cell} ${times}: counts as blank`;
    const look = { class: "chip", "aria-pressed": "true", "aria-label": label };
    const undo = () => page.edit(removeItem(page.text(), ["null_values"], cell));
    return button(html`${cell} <b>${times}</b>`, undo, look);
  });
  const addBlank = (input: HTMLInputElement) => {
    const cell = input.value.trim();
    input.value = "";
    if (cell !== "") page.edit(addItems(page.text(), ["null_values"], [cell]));
  };
  return html`<div class="lead">
<label>Each row is a ${select("Each row is a", resource, resources, ({ value }) => page.set(["resource"], value))}</label>
<label>sent as ${field("Sent as", isFixed ? event.from : "set in the file", setEvent, { size: 17, readonly: !isFixed })}</label>
<span class="row">Counts as blank: ${chips} ${field("Another cell that counts as blank", "", addBlank, { size: 7, placeholder: "Add…" })}</span>
</div>`;
}

/** A line of the table: whether it is sent, what it is of, and what it becomes. */
interface Line {
  readonly look?: string;
  readonly label: string;
  readonly isSent: boolean;
  /** Sends it, or sends it no more; undefined where only the text can. */
  readonly toggle: (() => void) | undefined;
  readonly head: Part;
  readonly becomes?: Part;
  readonly type?: Part;
  readonly cells?: Part;
  readonly more?: Part;
}

function lineOf({ look = "", label, isSent, toggle, head, becomes, type, cells, more }: Line) {
  const change = (box: HTMLInputElement) => {
    // It shows what the text says, which not every change gets into.
    box.checked = isSent;
    toggle?.();
  };
  const state = { type: "checkbox", checked: isSent, disabled: toggle === undefined };
  return html`<tr class="line ${look}"><td>${field(`Send ${label}`, "on", change, state)}</td><th scope="row">${head}</th>
<td class="becomes">${becomes}</td><td class="type">${type}</td><td class="cells">${cells}</td><td>${more}</td></tr>`;
}

function linesOf(page: Page, cells: ColumnCells, member: Member, isSecond: boolean): Html {
  const { column } = cells;
  const { kind, name, path } = member;
  const isInFile = kind === "other";
  const isOpen = page.state.opened.has(name) && !isInFile;
  const state = {
    class: "button bare more",
    "aria-expanded": String(isOpen),
    "aria-label": `How ${column} is read`,
  };
  const line = lineOf({
    ...{ look: isOpen ? "open" : "", label: column, isSent: true },
    toggle: () => page.set(path, undefined),
    head: headOf(page, cells, isSecond),
    becomes: nameField(page, member, column),
    type: isInFile ? inFile(page, name) : kindField(page, member, cells),
    cells: standing(page, cells, member),
    more: !isInFile && button("", () => page.open(name), state),
  });
  return html`${line}${
    isOpen &&
    html`<tr class="editor" id="editor ${name}"><td colspan="6">${editorOf(page, cells, member)}</td></tr>`
  }`;
}

/** A column that is not sent, or only by a part of the file that the page cannot show. */
function offLine(page: Page, cells: ColumnCells, table: MappingTable): Html {
  const { column } = cells;
  const isElsewhere = page.state.elsewhere.includes(column);
  const send = () => {
    const [name, spec] = proposalFor(column, page.description.proposal);
    page.set(["members", freeName(table, name)], spec);
  };
  return lineOf({
    ...{ look: isElsewhere ? "" : "off", label: column, isSent: false },
    toggle: table.event === undefined || column === "" ? undefined : send,
    head: headOf(page, cells, false),
    type: isElsewhere && inFile(page, column),
    cells: html`<span class="quiet">${isElsewhere ? "used in the file" : "not sent"}</span>`,
  });
}

/** The member that `init` proposes for a column. */
function proposalFor(column: string, proposal: string): readonly [name: string, spec: unknown] {
  const { members } = Object(parse(proposal)) as { readonly members?: object };
  const isOf = (spec: unknown) => (isRecord(spec) ? spec.column : spec) === column;
  return Object.entries(Object(members)).find(([, spec]) => isOf(spec)) ?? [column, column];
}

/** A field that is the same in every row, or that only the text can change. */
function otherLine(page: Page, member: Member): Html {
  const { name, path, source, from } = member;
  const isFixed = source === "value";
  const change = ({ value }: HTMLInputElement) => page.set(path, { value });
  return lineOf({
    ...{ label: name, isSent: true },
    toggle: () => page.set(path, undefined),
    head: html`<span class="quiet">${isFixed ? "the same in every row" : from}</span>`,
    becomes: nameField(page, member, name),
    type: isFixed ? field(`Value of ${name}`, from, change) : inFile(page, name),
  });
}

function inFile(page: Page, place: string): Html {
  return link("set in the file", () => page.goTo(place), `${place}: set in the file`);
}

function headOf(page: Page, { column, samples }: ColumnCells, isSecond: boolean): Html {
  const wrong = groupsOf(page, column)
    .flatMap(({ cases }) => cases.flatMap(({ value }) => value?.trim() || []))
    .slice(0, 2);
  const fine = samples.filter((sample) => !wrong.includes(sample)).slice(0, 3 - wrong.length);
  const shown = [
    ...fine.map(
      (cell) => html`<span>${wrong.length > 0 ? cutTo(longestBeside, cell) : cell}</span>`,
    ),
    ...wrong.map((cell) => html`<mark>${cell}</mark>`),
  ].map((cell, at) => html`${at > 0 && " · "}${cell}`);
  return html`<span class="name">${column || "(no name)"}</span><span class="samples">${isSecond ? "once more" : shown}</span>`;
}

/** Beside a cell that is wrong, which has to be seen. */
const longestBeside = 15;

function groupsOf(page: Page, column: string) {
  return page.state.checked?.problemGroups.filter((group) => group.column === column) ?? [];
}

function nameField(page: Page, { name, path }: Member, column: string): Html {
  return field(`Field that ${column} becomes`, name, (input) => {
    const next = input.value.trim();
    const renamed = renameAt(page.text(), path, next);
    if (renamed === undefined) input.value = name;
    else if (page.state.opened.delete(name)) page.state.opened.add(next);
    page.edit(renamed);
  });
}

function kindField(page: Page, member: Member, { column, hasMore }: ColumnCells): Html {
  const { kind: now, name, path } = member;
  const options = kindNames.map((kind) => {
    // Nobody chooses for hundreds of cells.
    return [kind, kinds[kind].label, hasMore && kind === "choice"] as const;
  });
  return select(`Type of ${column}`, now, options, async (field) => {
    const kind = field.value as Kind;
    field.value = now;
    for (let tries = 0; tries < 20; tries++) {
      const known = page.known(column);
      const keys = bestKeys(kind, column, known);
      if (keys !== undefined) {
        page.state.opened.add(name);
        page.set(path, keysOfKind(kind, keys, known.ofTypes));
        return;
      }
      await page.counted();
    }
  });
}

/** How the cells of a column stand, and how they are read. */
function standing(page: Page, { column, filled }: ColumnCells, member: Member): Html {
  const { checked } = page.state;
  const wrong = sum(groupsOf(page, column).map(({ count }) => count));
  const rows = checked === undefined ? page.description.rows : checked.rows - checked.skippedRows;
  const blank = rows - filled;
  const fits =
    wrong > 0
      ? html`<span class="tag warn">${grouped(wrong)} to fix</span>`
      : html`<span class="fits">${grouped(filled)} fit</span>`;
  return html`${fits} ${blank > 0 && html`<span class="quiet blanks">${grouped(blank)} blank</span>`}<span class="how">${kinds[member.kind].how?.(member)}</span>`;
}

/** The name, with a number where another member has it. */
function freeName(table: MappingTable, name: string): string {
  const taken = table.members.map((member) => member.name);
  let free = name;
  for (let n = 2; taken.includes(free); n++) free = `${name}_${n}`;
  return free;
}
