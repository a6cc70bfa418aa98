import { parse } from "yaml";
import { usualEvent, wordOfOne } from "../../model/event.ts";
import { type Html, html } from "../../model/look/html.ts";
import { grouped, sum } from "../../model/quantities.ts";
import { isRecord } from "../../model/yaml-document.ts";
import type { ColumnCells } from "../../run/check/count-cells.ts";
import { addItems, removeItem, renameAt, setAt } from "../edit-yaml.ts";
import {
  keysOfKind,
  type MappingTable,
  type Member,
  type MemberKind,
  memberKindOf,
  memberKinds,
  stepsOfMember,
} from "../mapping-table.ts";
import { aboutKinds } from "../ways.ts";
import { editorOf } from "./column-editor.ts";
import { button, field, link, select } from "./dom.ts";
import type { Page } from "./page.ts";

/** The columns in the order of the file, a line each, and below them the fields that are of no column. */
export function renderColumns(page: Page, table: MappingTable): Html {
  const cells = page.cells();
  const ofColumn = (column: string) =>
    table.members.filter(({ source, from }) => source === "column" && from === column);
  const lines = cells.map((one) => {
    const own = ofColumn(one.column);
    if (own.length === 0) return columnLine(page, table, one, undefined);
    return own.map((member, at) => columnLine(page, table, one, member, at > 0));
  });
  const columns = new Set(cells.map(({ column }) => column));
  const others = table.members.filter(
    ({ source, from }) => source !== "column" || !columns.has(from),
  );
  const sent = cells.filter(({ column }) => ofColumn(column).length > 0).length;
  const add = () => {
    page.set(["members", freeMemberName(table, "field")], { value: "" });
    document.querySelector<HTMLInputElement>("#lines tr:last-child .becomes input")?.select();
  };
  const label = "+ Add a field with the same value in every row";
  return html`<h2 id="columns-title">Columns <small>${grouped(sent)} of ${grouped(cells.length)} are sent</small></h2>
${leadOf(page, table)}
<div class="columns"><table>
<thead><tr><th scope="col"><span class="unseen">Sent</span></th><th scope="col">Column of the file</th>
<th scope="col">Becomes the field</th><th scope="col">Type</th><th scope="col">Its cells</th><td></td></tr></thead>
<tbody id="lines">${lines}${others.map((member) => columnLine(page, table, undefined, member))}</tbody></table></div>
${table.event !== undefined && button(label, add, { class: "button bare", id: "add" })}`;
}

/** What all rows share: what they are, and what counts as blank. */
function leadOf(page: Page, { resource, event, nullValues }: MappingTable): Html {
  const isFixed = event?.source === "value";
  const setEvent = ({ value }: HTMLInputElement) => {
    if (value === "") page.edit(undefined);
    else page.set(["event"], value);
  };
  const choices = Object.entries(wordOfOne);
  const setResource = ({ value }: HTMLInputElement) => {
    const text = setAt(page.text(), ["resource"], value);
    // The event that `init` proposes follows from it.
    const isProposed = isFixed && event.from === usualEvent(resource);
    page.edit(isProposed && text ? setAt(text, ["event"], usualEvent(value)) : text);
  };
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
<label>Each row is a ${select("Each row is a", resource, choices, setResource)}</label>
<label>sent as ${field("Sent as", isFixed ? event.from : "set in the file", setEvent, { size: 17, readonly: !isFixed })}</label>
<span class="row">Counts as blank: ${chips} ${field("Another cell that counts as blank", "", addBlank, { size: 7, placeholder: "Add…" })}</span>
</div>`;
}

/**
 * A line of the table: a column with the member that it becomes, or one of both. A column alone is not sent, or only by a
 * part of the file that the page cannot show; a member alone is the same in every row, or only the text can change it.
 */
function columnLine(
  page: Page,
  table: MappingTable,
  cells: ColumnCells | undefined,
  member: Member | undefined,
  isSecond = false,
): Html {
  const label = cells?.column ?? member?.name ?? "";
  const isSent = member !== undefined;
  const isElsewhere = !isSent && page.state.elsewhere.includes(label);
  const hasEditor = isSent && cells !== undefined && member.kind !== "other";
  const isFixed = isSent && cells === undefined && member.source === "value";
  const isOpen = hasEditor && page.state.opened.has(member.name);
  const toggle = (box: HTMLInputElement) => {
    // It shows what the text says, which not every change gets into.
    box.checked = isSent;
    if (isSent) return page.set(member.path, undefined);
    const [name, spec] = proposalFor(label, page.description.proposal);
    page.set(["members", freeMemberName(table, name)], spec);
  };
  const disabled = !isSent && (table.event === undefined || label === "");
  const box = { type: "checkbox", checked: isSent, disabled };
  const head =
    cells === undefined
      ? html`<span class="quiet">${isFixed ? "the same in every row" : member?.from}</span>`
      : headOf(page, cells, isSecond);
  const setValue = ({ value }: HTMLInputElement) => member && page.set(member.path, { value });
  const type = hasEditor
    ? kindField(page, member, cells)
    : isFixed
      ? field(`Value of ${label}`, member.from, setValue)
      : (isSent || isElsewhere) && linkToFile(page, member?.name ?? label);
  const unsent = html`<span class="quiet">${isElsewhere ? "used in the file" : "not sent"}</span>`;
  const more = {
    class: "button bare more",
    "aria-expanded": String(isOpen),
    "aria-label": `How ${label} is read`,
  };
  const look = isOpen ? "open" : isSent || isElsewhere ? "" : "off";
  return html`<tr class="line ${look}"><td>${field(`Send ${label}`, "on", toggle, box)}</td><th scope="row">${head}</th>
<td class="becomes">${isSent && nameField(page, member, label)}</td><td class="type">${type}</td>
<td class="cells">${cells && (isSent ? stateOfColumn(page, cells, member) : unsent)}</td>
<td>${hasEditor && button("", () => page.open(member.name), more)}</td></tr>${
    isOpen &&
    html`<tr class="editor" id="editor ${member.name}"><td colspan="6">${editorOf(page, cells, member)}</td></tr>`
  }`;
}

function proposalFor(column: string, proposal: string): readonly [name: string, spec: unknown] {
  const { members } = Object(parse(proposal)) as { readonly members?: object };
  const isOf = (spec: unknown) => (isRecord(spec) ? spec.column : spec) === column;
  return Object.entries(Object(members)).find(([, spec]) => isOf(spec)) ?? [column, column];
}

function linkToFile(page: Page, place: string): Html {
  return link("set in the file", () => page.goTo(place), `${place}: set in the file`);
}

function headOf(page: Page, { column, samples }: ColumnCells, isSecond: boolean): Html {
  const wrong = groupsOf(page, column)
    .flatMap(({ cases }) => cases.flatMap(({ value }) => value?.trim() || []))
    .slice(0, 2);
  const fine = samples.filter((sample) => !wrong.includes(sample)).slice(0, 3 - wrong.length);
  // What does not fit the line is cut off at its end.
  const shown = [
    ...wrong.map((cell) => html`<mark>${cell}</mark>`),
    ...fine.map((cell) => html`<span>${cell}</span>`),
  ].map((cell, at) => html`${at > 0 && " · "}${cell}`);
  return html`<span class="name">${column || "(no name)"}</span><span class="samples">${isSecond ? "once more" : shown}</span>`;
}

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
  const options = memberKinds.map((kind) => {
    // Nobody chooses for hundreds of cells.
    return [kind, aboutKinds[kind].label, hasMore && kind === "choice"] as const;
  });
  return select(`Type of ${column}`, now, options, ({ value }) => {
    const kind = value as MemberKind;
    const known = page.known(column);
    const [, spec] = proposalFor(column, page.description.proposal);
    const isProposed = isRecord(spec) && memberKindOf(spec) === kind;
    const keys = isProposed ? spec : (aboutKinds[kind].first?.(known) ?? {});
    page.state.opened.add(name);
    page.set(path, keysOfKind(kind, keys, known.ofTypes));
  });
}

function stateOfColumn(page: Page, { column, filled }: ColumnCells, member: Member): Html {
  const { checked } = page.state;
  if (checked === undefined) return html``;
  const wrong = sum(groupsOf(page, column).map(({ count }) => count));
  const rows = checked.rows - checked.skippedRows;
  const { path } = member;
  // A step may make cells blank.
  const hasSteps = stepsOfMember(member).some((step) => typeof step === "object");
  const keys = { default: undefined, required: undefined, empty: "omit" };
  const found = hasSteps ? page.known(column).count({ path, keys }) : undefined;
  const fit = found && "reads" in found ? found.reads : filled - wrong;
  const blank = rows - fit - wrong;
  const fits =
    wrong > 0
      ? html`<span class="tag warn">${grouped(wrong)} to fix</span>`
      : html`<span class="fits">${grouped(fit)} fit</span>`;
  return html`${fits} ${blank > 0 && html`<span class="quiet blanks">${grouped(blank)} blank</span>`}<span class="how">${aboutKinds[member.kind].how?.(member)}</span>`;
}

function freeMemberName(table: MappingTable, name: string): string {
  const taken = table.members.map((member) => member.name);
  let free = name;
  for (let n = 2; taken.includes(free); n++) free = `${name}_${n}`;
  return free;
}
