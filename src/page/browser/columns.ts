import { parse } from "yaml";
import { grouped } from "../../model/quantities.ts";
import { cutTo } from "../../model/row.ts";
import { isRecord } from "../../model/yaml-document.ts";
import type { ColumnCells } from "../../run/check/count-cells.ts";
import { removeItem, renameAt, setAt } from "../edit-yaml.ts";
import {
  addItems,
  type Kind,
  keysOfKind,
  kindNames,
  type MappingTable,
  type Member,
} from "../mapping-table.ts";
import { bestKeys, kinds } from "../ways.ts";
import { editorOf } from "./column-editor.ts";
import { button, byId, h, show } from "./dom.ts";
import type { PageState } from "./page-state.ts";

/** The members that `init` proposes, by column. */
type Proposals = ReadonlyMap<string, { readonly name: string; readonly spec: unknown }>;

function readProposals(proposal: string): Proposals {
  const content: unknown = parse(proposal);
  const members = isRecord(content) && isRecord(content.members) ? content.members : {};
  const columnOf = (spec: unknown) => String(isRecord(spec) ? spec.column : spec);
  return new Map(Object.entries(members).map(([name, spec]) => [columnOf(spec), { name, spec }]));
}

/** Shows the columns in the order of the file, a line each, and below them the fields that are of no column. */
export function createColumns(page: PageState): () => void {
  const proposals = readProposals(page.description.proposal);
  showLead(page);
  return () => {
    const table = page.table();
    if (table === undefined) return;
    const cells = page.cells();
    const ofColumn = (column: string) =>
      table.members.filter(({ source, from }) => source === "column" && from === column);
    const lines = cells.flatMap((one) => {
      const own = ofColumn(one.column);
      return own.length === 0
        ? [offLine(page, one, table, proposals)]
        : own.flatMap((member, at) => linesOf(page, one, member, at > 0));
    });
    const columns = new Set(cells.map(({ column }) => column));
    const others = table.members.filter(
      ({ source, from }) => source !== "column" || !columns.has(from),
    );
    const sent = cells.filter(({ column }) => ofColumn(column).length > 0).length;
    byId("sent").textContent = `${grouped(sent)} of ${grouped(cells.length)} are sent`;
    show(byId("lines"), ...lines, ...others.map((member) => otherLine(page, member)));
    byId("add").hidden = table.event === undefined;
  };
}

/** What all rows share: what they are, and what counts as blank. */
function showLead(page: PageState): void {
  const resource = byId<HTMLSelectElement>("resource");
  resource.onchange = () => page.edit(setAt(page.text(), ["resource"], resource.value));
  const event = byId<HTMLInputElement>("event");
  event.onchange = () => {
    const path = page.table()?.event?.isLong ? ["event", "value"] : ["event"];
    page.edit(event.value === "" ? undefined : setAt(page.text(), path, event.value));
  };
  byId("add").onclick = () => {
    const name = freeName(page.table(), "field");
    page.edit(setAt(page.text(), ["members", name], { value: "" }));
    document.querySelector<HTMLInputElement>("#lines tr:last-child .becomes input")?.select();
  };
  const more = byId<HTMLInputElement>("more-blank");
  more.onchange = () => {
    if (more.value.trim() !== "")
      page.edit(addItems(page.text(), ["null_values"], [more.value.trim()]));
    more.value = "";
  };
}

export function updateLead(page: PageState): void {
  const table = page.table();
  if (table === undefined) return;
  const { resource, event, nullValues } = table;
  byId<HTMLSelectElement>("resource").value = resource;
  const field = byId<HTMLInputElement>("event");
  const isFixed = event?.source === "value";
  if (document.activeElement !== field) field.value = isFixed ? event.from : "set in the file";
  field.readOnly = !isFixed;
  const counts = new Map(page.checked()?.nulls ?? []);
  const chips = nullValues.map((cell) => {
    const undo = () => page.edit(removeItem(page.text(), ["null_values"], cell));
    const times = grouped(counts.get(cell) ?? 0);
    const ariaLabel = `${cell} ${times}: counts as blank`;
    const chip = button(cell, undo, { className: "chip", ariaPressed: "true", ariaLabel });
    chip.append(" ", h("b", times));
    return chip;
  });
  show(byId("blanks"), ...chips);
}

/** A line of the table: whether it is sent, what it is of, and what it becomes. */
interface Line {
  readonly className: string;
  readonly label: string;
  readonly isSent: boolean;
  /** Sends it, or sends it no more; undefined where only the text can. */
  readonly toggle: (() => void) | undefined;
  readonly head: HTMLElement;
  readonly becomes?: HTMLElement;
  readonly type?: HTMLElement | false;
  readonly cells: readonly (Node | string)[];
  readonly more?: HTMLElement;
}

function lineOf({ className, label, isSent, toggle, head, becomes, type, cells, more }: Line) {
  const onchange = (event: Event) => {
    // It shows what the text says, which not every change gets into.
    fieldOf(event).checked = isSent;
    toggle?.();
  };
  const named = { type: "checkbox", ariaLabel: `Send ${label}` };
  const box = h("input", { ...named, checked: isSent, disabled: toggle === undefined, onchange });
  const cell = (name: string, ...content: readonly (Node | string | false | undefined)[]) =>
    h("td", { className: name }, ...content);
  const all = [cell("becomes", becomes), cell("type", type), cell("cells", ...cells)];
  return h("tr", { className: `line ${className}` }, cell("", box), head, ...all, cell("", more));
}

function linesOf(page: PageState, cells: ColumnCells, member: Member, isSecond: boolean) {
  const { column } = cells;
  const { kind, name, path } = member;
  const isInFile = kind === "other";
  const isOpen = page.isOpen(name) && !isInFile;
  const ariaLabel = `How ${column} is read`;
  const state = { className: "button bare more", ariaExpanded: String(isOpen), ariaLabel };
  const line = lineOf({
    ...{ className: isOpen ? "open" : "", label: column, isSent: true },
    toggle: () => page.edit(setAt(page.text(), path, undefined)),
    head: headOf(page, cells, isSecond),
    becomes: nameField(page, member, column),
    type: isInFile ? inFile(page, name) : kindField(page, member, cells),
    cells: standing(page, cells, member),
    ...(isInFile ? {} : { more: button("", () => page.open(name), state) }),
  });
  if (!isOpen) return [line];
  const editor = h("td", { colSpan: 6 }, editorOf(page, cells, member));
  return [line, h("tr", { className: "editor", id: `editor ${name}` }, editor)];
}

/** A column that is not sent, or only by a part of the file that the page cannot show. */
function offLine(page: PageState, cells: ColumnCells, table: MappingTable, proposals: Proposals) {
  const { column } = cells;
  const byMembers = table.members.flatMap(({ columns }) => columns);
  const isElsewhere = [...table.columnsElsewhere, ...byMembers].includes(column);
  const send = () => {
    const { name, spec } = proposals.get(column) ?? { name: column, spec: column };
    page.edit(setAt(page.text(), ["members", freeName(table, name)], spec));
  };
  return lineOf({
    ...{ className: isElsewhere ? "" : "off", label: column, isSent: false },
    toggle: table.event === undefined || column === "" ? undefined : send,
    head: headOf(page, cells, false),
    type: isElsewhere && inFile(page, column),
    cells: [h("span.quiet", isElsewhere ? "used in the file" : "not sent")],
  });
}

/** A field that is the same in every row, or that only the text can change. */
function otherLine(page: PageState, member: Member) {
  const { name, path, source, from } = member;
  const isFixed = source === "value";
  const onchange = (event: Event) =>
    page.edit(setAt(page.text(), [...path, "value"], fieldOf(event).value));
  const value = h("input", { value: from, onchange, ariaLabel: `Value of ${name}` });
  const what = isFixed ? "the same in every row" : from;
  return lineOf({
    ...{ className: "", label: name, isSent: true, cells: [] },
    toggle: () => page.edit(setAt(page.text(), path, undefined)),
    head: h("th", { scope: "row", className: "quiet" }, what),
    becomes: nameField(page, member, name),
    type: isFixed ? value : inFile(page, name),
  });
}

function inFile(page: PageState, place: string): HTMLElement {
  return button("set in the file", () => page.goTo(place), {
    className: "link",
    ariaLabel: `${place}: set in the file`,
  });
}

function headOf(page: PageState, { column, samples }: ColumnCells, isSecond: boolean): HTMLElement {
  const groups = page.checked()?.problemGroups.filter((group) => group.column === column) ?? [];
  const wrong = groups
    .flatMap(({ cases }) => cases.flatMap(({ value }) => value?.trim() || []))
    .slice(0, 2);
  const fine = samples.filter((sample) => !wrong.includes(sample)).slice(0, 3 - wrong.length);
  const shown = [
    ...fine.map((sample) => h("span", wrong.length > 0 ? cutTo(longestBeside, sample) : sample)),
    ...wrong.map((cell) => h("mark", cell)),
  ];
  return h(
    "th",
    { scope: "row" },
    h("span.name", column || "(no name)"),
    h(
      "span.samples",
      ...(isSecond ? ["once more"] : shown.flatMap((one, at) => (at > 0 ? [" · ", one] : [one]))),
    ),
  );
}

/** Beside a cell that is wrong, which has to be seen. */
const longestBeside = 15;

function nameField(page: PageState, { name, path }: Member, column: string): HTMLElement {
  const onchange = (event: Event) => {
    const field = fieldOf(event);
    const renamed = renameAt(page.text(), path, field.value.trim());
    if (renamed === undefined) field.value = name;
    else if (page.isOpen(name)) {
      page.open(name, false);
      page.open(field.value.trim(), true);
    }
    page.edit(renamed);
  };
  return h("input", { value: name, onchange, ariaLabel: `Field that ${column} becomes` });
}

/** The one that is shown: it stays while it is described anew. */
function fieldOf({ target }: Event): HTMLInputElement {
  return target as HTMLInputElement;
}

function kindField(page: PageState, member: Member, { column, hasMore }: ColumnCells): HTMLElement {
  const { kind: now, name } = member;
  const options = kindNames.map((value) => {
    const { label } = kinds[value];
    // Nobody chooses for hundreds of cells.
    const disabled = hasMore && value === "choice";
    return h("option", { value, selected: value === now, disabled }, label);
  });
  const onchange = async (event: Event) => {
    const kind = fieldOf(event).value as Kind;
    fieldOf(event).value = now;
    const { ofTypes } = page.known(column);
    for (let tries = 0; tries < 20; tries++) {
      const keys = bestKeys(kind, column, page.known(column));
      if (keys !== undefined) {
        page.open(name, true);
        page.set(member, keysOfKind(kind, keys, ofTypes));
        return;
      }
      await page.counted();
    }
  };
  return h("select", { ariaLabel: `Type of ${column}`, onchange, value: now }, ...options);
}

/** How the cells of a column stand, and how they are read. */
function standing(page: PageState, { column, filled }: ColumnCells, member: Member): Node[] {
  const checked = page.checked();
  const groups = checked?.problemGroups.filter((group) => group.column === column) ?? [];
  const wrong = groups.reduce((all, { count }) => all + count, 0);
  const rows = checked === undefined ? page.description.rows : checked.rows - checked.skippedRows;
  const blank = rows - filled;
  const fits = h(
    "span",
    { className: wrong > 0 ? "tag warn" : "fits" },
    wrong > 0 ? `${grouped(wrong)} to fix` : `${grouped(filled)} fit`,
  );
  const blanks = blank > 0 ? [h("span.quiet.blanks", `${grouped(blank)} blank`)] : [];
  const how = kinds[member.kind].how?.(member) ?? "";
  return [fits, document.createTextNode(" "), ...blanks, h("span.how", how)];
}

/** The name, with a number where another member has it. */
function freeName(table: MappingTable | undefined, name: string): string {
  const taken = table?.members.map((member) => member.name) ?? [];
  let free = name;
  for (let n = 2; taken.includes(free); n++) free = `${name}_${n}`;
  return free;
}
