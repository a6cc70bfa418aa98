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
  kinds,
  type MappingTable,
  type Member,
  textOf,
} from "../mapping-table.ts";
import {
  bestKeys,
  exampleOf,
  formatsOf,
  listSigns,
  stepLabels,
  wordsOf,
  writtenLike,
} from "../ways.ts";
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
  event.onchange = () =>
    page.edit(
      event.value === ""
        ? undefined
        : setAt(
            page.text(),
            page.table()?.event?.isLong ? ["event", "value"] : ["event"],
            event.value,
          ),
    );
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

/** @returns how it stands now */
export function updateLead(page: PageState): void {
  const { resource, event, nullValues } = page.table() ?? {
    resource: "",
    event: undefined,
    nullValues: [],
  };
  byId<HTMLSelectElement>("resource").value = resource;
  const field = byId<HTMLInputElement>("event");
  const isFixed = event?.source === "value";
  if (document.activeElement !== field) field.value = isFixed ? event.from : "set in the file";
  field.readOnly = !isFixed;
  const counts = new Map(page.checked()?.nulls ?? []);
  const chips = nullValues.map((cell) => {
    const undo = () => page.edit(removeItem(page.text(), ["null_values"], cell));
    const chip = button(cell, undo, {
      className: "chip",
      ariaPressed: "true",
      ariaLabel: `${cell} counts as blank`,
    });
    chip.append(" ", h("b", {}, grouped(counts.get(cell) ?? 0)));
    return chip;
  });
  show(byId("blanks"), ...chips);
}

function linesOf(
  page: PageState,
  cells: ColumnCells,
  member: Member,
  isSecond: boolean,
): HTMLElement[] {
  const { column } = cells;
  const { kind, name, path } = member;
  const isOpen = page.isOpen(name);
  const leaveOut = () => page.edit(setAt(page.text(), path, undefined));
  const more = button("", () => page.open(name), {
    className: "button bare more",
    ariaExpanded: String(isOpen),
    ariaLabel: `How ${column} is read`,
  });
  const line = h(
    "tr",
    { className: isOpen ? "line open" : "line" },
    h(
      "td",
      {},
      h("input", {
        type: "checkbox",
        checked: true,
        onchange: leaveOut,
        ariaLabel: `Send ${column}`,
      }),
    ),
    headOf(page, cells, isSecond),
    h("td", { className: "becomes" }, nameField(page, member, column)),
    h(
      "td",
      { className: "type" },
      kind === "other" ? inFile(page, name) : kindField(page, member, column, cells),
    ),
    h("td", { className: "cells" }, ...standing(page, cells, member)),
    h("td", {}, kind !== "other" && more),
  );
  return isOpen && kind !== "other"
    ? [
        line,
        h(
          "tr",
          { className: "editor", id: `editor ${name}` },
          h("td", { colSpan: 6 }, editorOf(page, cells, member)),
        ),
      ]
    : [line];
}

/** A column that is not sent, or only by a part of the file that the page cannot show. */
function offLine(
  page: PageState,
  cells: ColumnCells,
  table: MappingTable,
  proposals: Proposals,
): HTMLElement {
  const { column } = cells;
  const isElsewhere = [
    ...table.columnsElsewhere,
    ...table.members.flatMap(({ columns }) => columns),
  ].includes(column);
  const send = () => {
    const { name, spec } = proposals.get(column) ?? { name: column, spec: column };
    page.edit(setAt(page.text(), ["members", freeName(table, name)], spec));
  };
  const box = h("input", {
    type: "checkbox",
    checked: false,
    onchange: send,
    ariaLabel: `Send ${column}`,
  });
  box.disabled = table.event === undefined || column === "";
  return h(
    "tr",
    { className: isElsewhere ? "line" : "line off" },
    h("td", {}, box),
    headOf(page, cells, false),
    h("td", { className: "becomes" }),
    h("td", { className: "type" }, isElsewhere && inFile(page, column)),
    h("td", { className: "cells quiet" }, isElsewhere ? "used in the file" : "not sent"),
    h("td"),
  );
}

/** A field that is the same in every row, or that only the text can change. */
function otherLine(page: PageState, member: Member): HTMLElement {
  const { name, path, source, from } = member;
  const set = (event: Event) =>
    page.edit(setAt(page.text(), [...path, "value"], fieldOf(event).value));
  const value = h("input", { value: from, onchange: set, ariaLabel: `Value of ${name}` });
  const leaveOut = () => page.edit(setAt(page.text(), path, undefined));
  return h(
    "tr",
    { className: "line" },
    h(
      "td",
      {},
      h("input", {
        type: "checkbox",
        checked: true,
        onchange: leaveOut,
        ariaLabel: `Send ${name}`,
      }),
    ),
    h(
      "th",
      { scope: "row", className: "quiet" },
      source === "value" ? "the same in every row" : from,
    ),
    h("td", { className: "becomes" }, nameField(page, member, name)),
    h("td", { className: "type" }, source === "value" ? value : inFile(page, name)),
    h("td", { className: "cells" }),
    h("td"),
  );
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
    ...fine.map((sample) =>
      h("span", {}, wrong.length > 0 ? cutTo(longestBeside, sample) : sample),
    ),
    ...wrong.map((cell) => h("mark", {}, cell)),
  ];
  return h(
    "th",
    { scope: "row" },
    h("span", { className: "name" }, column || "(no name)"),
    h(
      "span",
      { className: "samples" },
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

function kindField(
  page: PageState,
  member: Member,
  column: string,
  { hasMore }: ColumnCells,
): HTMLElement {
  const options = Object.entries(kinds).map(([kind, label]) => {
    // Nobody chooses for hundreds of cells.
    const isTooMany = hasMore && kind === "choice";
    return h("option", { value: kind, selected: kind === member.kind, disabled: isTooMany }, label);
  });
  const onchange = async (event: Event) => {
    const kind = fieldOf(event).value as Kind;
    const { ofTypes } = page.known(column);
    for (let tries = 0; tries < 20; tries++) {
      const keys = bestKeys(kind, column, page.known(column));
      if (keys !== undefined) {
        page.open(member.name, true);
        return page.set(member, keysOfKind(kind, keys, ofTypes));
      }
      await page.counted();
    }
  };
  return h("select", { ariaLabel: `Type of ${column}`, onchange, value: member.kind }, ...options);
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
  const blanks =
    blank > 0 ? [h("span", { className: "quiet blanks" }, `${grouped(blank)} blank`)] : [];
  const how = howRead(member);
  return [fits, document.createTextNode(" "), ...blanks, h("span", { className: "how" }, how)];
}

function howRead(member: Member): string {
  const { kind, spec } = member;
  const steps = [spec.transform ?? []]
    .flat()
    .filter((step) => typeof step === "string" && step !== "trim");
  switch (kind) {
    case "date":
    case "datetime":
      return `like ${formatsOf(member)
        .map((format) => exampleOf(format, kind))
        .join(", ")}`;
    case "integer":
    case "number":
    case "decimal":
      return `like ${writtenLike(member)}`;
    case "boolean": {
      const { yes, no } = wordsOf(member);
      return `yes: ${yes.join(", ")}; no: ${no.join(", ")}`;
    }
    case "choice":
      return [...new Set(Object.values(Object(spec.map)))].join(", ");
    case "list": {
      const sign = textOf(spec.separator);
      return `${listSigns.find(([one]) => one === sign)?.[1] ?? sign} between items`;
    }
    default:
      return steps.map((step) => stepLabels[step as keyof typeof stepLabels] ?? "").join(", ");
  }
}

/** The name, with a number where another member has it. */
function freeName(table: MappingTable | undefined, name: string): string {
  const taken = table?.members.map((member) => member.name) ?? [];
  let free = name;
  for (let n = 2; taken.includes(free); n++) free = `${name}_${n}`;
  return free;
}
