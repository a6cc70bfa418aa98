import { systemClock } from "../../model/clock.ts";
import { grouped } from "../../model/quantities.ts";
import type { Preview } from "../../run/check/preview.ts";
import { applyFix } from "../apply-fix.ts";
import type { Fix } from "../cards.ts";
import type {
  Answer,
  Checked,
  Counted,
  Description,
  RowQuestion,
  SaveAnswer,
  Trouble,
  Way,
} from "../contract.ts";
import { readText } from "../edit-yaml.ts";
import { type MappingTable, type Member, readTable, setKeys } from "../mapping-table.ts";
import { createColumns, updateLead } from "./columns.ts";
import { button, byId, h } from "./dom.ts";
import { createEditor } from "./editor.ts";
import type { PageState } from "./page-state.ts";
import {
  type Done,
  fixId,
  showDocumentProblems,
  showProblems,
  showRefusal,
  undoId,
} from "./problems.ts";
import { showRow } from "./row-pane.ts";

/** The page: one document, the views of it, and what the server makes of it. */

const description = (await (await fetch("description")).json()) as Description;
/** What is on disk, as far as the page knows. */
let saved = description.text;
let table: MappingTable | undefined;
let checked: Checked | undefined;
/** The text that the last check was of. */
let checkedText: string | undefined;
/** The row that is shown, and what a person wants to see. */
let row = 1;
let wanted = { from: row, onlyInvalid: true, isAsked: false };
let checking = new AbortController();
let showing = new AbortController();
let cancelCheck = () => {};
let done: readonly Done[] = [];
/** The members whose editors are open. */
const opened = new Set<string>();
/** What decides which cells count: the conditions, null values and input of the text. */
let countedRows = "";
/** What ways can read of which cells, and those that somebody wants to know of. */
const counts = new Map<string, { readonly of: string; readonly counted: Counted }>();
const wants = new Map<string, Way>();
let filling: Promise<void> | undefined;
const waitMs = 250;
const gone = "eventload map has ended: start it again in the terminal.";

const editor = createEditor(byId("text"), saved, changed);
const isSaved = () => editor.text() === saved;
const page: PageState = {
  description,
  text: editor.text,
  table: () => table,
  checked: () => checked,
  cells: () => checked?.columns ?? description.columns,
  known: (column) => ({
    count: countOf,
    ofTypes: description.conversionKeys,
    values: page.cells().find((one) => one.column === column)?.values ?? [],
  }),
  counted: fill,
  edit(text) {
    if (text !== undefined && text !== editor.text()) return editor.setText(text);
    if (text === undefined)
      say("said", "Nothing has changed: the name is taken, or only the file can say this.");
    render();
  },
  set: (member, keys) => page.edit(setKeys(editor.text(), member, keys)),
  fix,
  showRow: (from, onlyInvalid) => void look(from, onlyInvalid ?? false, true),
  isOpen: (name) => opened.has(name),
  open(name, isOpen = !opened.has(name)) {
    if (isOpen) opened.add(name);
    else opened.delete(name);
    render();
  },
  goTo(place) {
    byId<HTMLDetailsElement>("file").open = true;
    const lines = editor.text().split("\n");
    const line =
      typeof place === "number"
        ? place
        : lines.findIndex((one) => !one.trim().startsWith("#") && one.includes(place)) + 1;
    editor.goToLine(Math.max(1, line));
  },
};
const showColumns = createColumns(page);

document.title = `${description.input} – eventload map`;
say("input", description.input);
say("mapping", `→ ${description.mapping}`);
say("file-note", `${description.mapping}, the same as text; it can be edited here too`);
say("changed-title", `${description.mapping} has changed on disk`);
for (const place of document.querySelectorAll(".commands")) place.append(...commands());
const number = byId<HTMLInputElement>("number");
number.onchange = () =>
  page.showRow(Math.min(+number.max, Math.max(1, Math.floor(+number.value) || 1)));
byId("before").onclick = () => page.showRow(Math.max(1, row - 1));
byId("after").onclick = () => page.showRow(row + 1);
byId("next-to-fix").onclick = () => page.showRow(row + 1, true);
byId("undo").onclick = editor.undo;
byId("save").onclick = () => void save();
byId("file").ontoggle = editor.measure;
const views = [...byId("views").children] as HTMLButtonElement[];
for (const view of views) {
  view.onclick = () => {
    for (const one of views) one.ariaPressed = String(one === view);
    document.body.classList.toggle("json", view === views[1]);
  };
}
// Whoever closes or reloads the page is asked before what is not saved goes.
addEventListener("beforeunload", (event) => {
  if (!isSaved()) event.preventDefault();
});
addEventListener("keydown", (event) => {
  const field = event.target;
  // What is typed and not taken yet goes with Escape.
  if (event.key === "Escape" && field instanceof HTMLInputElement) {
    field.value = field.defaultValue;
    field.blur();
  }
  if (event.key.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  if (!event.repeat) void save();
});
changed();

function say(id: string, text: string): void {
  byId(id).textContent = text;
}

function commands(): HTMLElement[] {
  return description.next.map(({ what, command }) => {
    const copy = button("Copy", () => {}, { className: "button copy" });
    const words = command?.split(" ").flatMap((word, at) => [at > 0 && " ", h("span", word)]) ?? [];
    return h("div", h("p", what), command !== undefined && h("div.cmd", h("code", ...words), copy));
  });
}

function changed(): void {
  table = readTable(editor.text());
  const { when, input, null_values: nulls } = Object(readText(editor.text()));
  countedRows = JSON.stringify([when, input, nulls]);
  wants.clear();
  say("said", "");
  byId("state").ariaBusy = "true";
  checking.abort();
  cancelCheck();
  cancelCheck = systemClock.schedule(waitMs, () => void check());
  render();
}

/** Shows the state of the page, and asks for the counts that its parts lack, unless a check runs. */
function render(): void {
  const text = editor.text();
  done = done.filter((one) => one.holds(text));
  const isNew = checkedText === text;
  byId<HTMLButtonElement>("undo").disabled = !editor.canUndo();
  byId<HTMLButtonElement>("save").disabled = isSaved();
  say("save", isSaved() ? "Saved" : "Save");
  const isBroken = document.body.classList.contains("broken");
  for (const part of document.querySelectorAll<HTMLElement>("#columns, .pane"))
    part.inert = isBroken || table === undefined;
  if (table === undefined) return;
  updateLead(page);
  showColumns();
  if (!isBroken) showProblems(page, done, isNew);
  if (isNew && wants.size > 0) void fill();
}

/** Where other cells count now, what a way read of those before, until that is known: nothing is shown in between. */
function countOf(way: Way): Counted | undefined {
  const path = JSON.stringify(way.path);
  const member = table?.members.find((one) => JSON.stringify(one.path) === path);
  const all = Object.entries(way.keys).map(([key, value]) => [key, value ?? null]);
  const keys = Object.fromEntries(all);
  const name = JSON.stringify([member?.spec, keys]);
  const known = counts.get(name);
  if (known?.of !== countedRows) wants.set(name, { ...way, keys });
  return known?.counted;
}

/** Asks the server for what somebody wants to know of. */
async function fill(): Promise<void> {
  await filling;
  if (wants.size === 0) return;
  const asked = [...wants].slice(0, 200);
  wants.clear();
  const of = countedRows;
  filling = (async () => {
    const question = { text: editor.text(), ways: asked.map(([, way]) => way) };
    const answer = await post("count", question)
      .then((response) => response.json() as Promise<Answer<readonly Counted[]>>)
      .catch((): Trouble => ({ kind: "refused", message: gone }));
    for (const [at, [name]] of asked.entries()) {
      const counted = answer.kind === "is" ? answer.what[at] : undefined;
      counts.set(name, { of, counted: counted ?? { problem: "nobody can count this" } });
    }
  })();
  await filling;
  filling = undefined;
  render();
}

async function check(): Promise<void> {
  checking.abort();
  checking = new AbortController();
  const { signal } = checking;
  const text = editor.text();
  await look(wanted.from, wanted.onlyInvalid, wanted.isAsked);
  const answer = await ask<Checked>("check", { text }, signal);
  if (answer === undefined) return;
  checked = answer;
  checkedText = text;
  document.body.className = document.body.classList.contains("json") ? "json" : "";
  const { rows, invalidRows, skippedRows, events } = checked;
  const ready = rows - invalidRows - skippedRows;
  for (const [id, value] of Object.entries({
    ready,
    "to-fix": invalidRows,
    "left-out": skippedRows,
  }))
    say(id, grouped(value));
  const [meter, ...bars] = [
    document.querySelector(".meter"),
    ...document.querySelectorAll(".meter rect"),
  ];
  meter?.setAttribute("viewBox", `0 0 ${Math.max(1, rows)} 10`);
  for (const [at, [x, width]] of [
    [0, ready],
    [ready, invalidRows],
    [ready + invalidRows, skippedRows],
  ].entries()) {
    bars[at]?.setAttribute("x", String(x));
    bars[at]?.setAttribute("width", String(width));
  }
  byId("state").ariaBusy = "false";
  byId("all-good").hidden = invalidRows > 0 || events === 0;
  byId<HTMLButtonElement>("next-to-fix").disabled = invalidRows === 0;
  say("total", `of ${grouped(rows)}`);
  number.max = String(rows);
  render();
}

/** @param isAsked whether a person wants to see it */
async function look(from: number, onlyInvalid: boolean, isAsked: boolean): Promise<void> {
  showing.abort();
  showing = new AbortController();
  wanted = { from, onlyInvalid, isAsked };
  const question = { text: editor.text(), row: from, onlyInvalid };
  const preview = await ask<Preview>("row", question, showing.signal);
  if (preview === undefined) return;
  editor.showProblems([]);
  wanted = { from: row, onlyInvalid: false, isAsked: false };
  // After the last one that is not ready comes the first.
  if (preview.kind === "no_such_row") return onlyInvalid ? look(1, from > 1, isAsked) : undefined;
  showRow(preview);
  const toggle = document.querySelector<HTMLElement>(".sheet-toggle");
  if (isAsked && toggle?.offsetParent && toggle.ariaExpanded === "false") toggle.click();
  row = preview.row.row;
  if (isAsked) document.querySelector("#pairs .wrong")?.scrollIntoView({ block: "nearest" });
  wanted = { from: row, onlyInvalid: false, isAsked: false };
  number.value = String(row);
}

function post(address: string, body: object, signal: AbortSignal | null = null) {
  const headers = { "content-type": "application/json" };
  return fetch(address, { method: "POST", headers, body: JSON.stringify(body), signal });
}

/** @returns undefined if nothing can be said, which is shown, or nobody waits for it any more */
async function ask<What>(
  address: string,
  question: RowQuestion | { text: string },
  signal: AbortSignal,
): Promise<What | undefined> {
  const answer = await post(address, question, signal)
    .then((response) => response.json() as Promise<Answer<What>>)
    .catch((): Trouble => ({ kind: "refused", message: gone }));
  if (signal.aborted) return undefined;
  switch (answer.kind) {
    case "is":
      return answer.what;
    case "document_problems": {
      const [{ line = 1 } = {}] = answer.problems;
      editor.showProblems(answer.problems);
      showDocumentProblems(page, answer.problems, editor.undo);
      stopAt(`${description.mapping} cannot be read: line ${line}`);
      return undefined;
    }
    case "refused":
      showRefusal(answer.message);
      stopAt("not checked");
      return undefined;
    default:
      return answer satisfies never;
  }
}

/** Nothing can be said of the rows: what is shown is how it stood before. */
function stopAt(why: string): void {
  document.body.classList.add("broken");
  byId("state").ariaBusy = "false";
  byId("all-good").hidden = true;
  say("trouble", why);
  render();
}

function fix(card: string, title: string, given: Fix): void {
  if (given.kind === "open") {
    openEditor(given.column);
    return;
  }
  const applied = applyFix(editor.text(), given);
  if (applied.edited === undefined) {
    page.edit(undefined);
    return;
  }
  const without = done.filter((one) => one.card !== card);
  const undo = () => {
    done = done.filter((one) => one.card !== card);
    page.edit(applied.undo(editor.text()));
    byId(fixId(card))?.focus();
  };
  done = [...without, { card, title, fix: given, holds: applied.holds, undo }];
  page.edit(applied.edited);
  byId(undoId(card))?.focus();
}

function openEditor(column: string): void {
  const isOf = ({ source, from }: Member) => source === "column" && from === column;
  const member = table?.members.find(isOf);
  if (member === undefined) return;
  page.open(member.name, true);
  const lines = document.getElementById(`editor ${member.name}`);
  lines?.previousElementSibling?.scrollIntoView({ block: "start" });
  lines?.querySelector<HTMLElement>("button, input")?.focus({ preventScroll: true });
}

async function save(): Promise<void> {
  const text = editor.text();
  const answer = await post("save", { text, before: saved })
    .then((response) => response.json() as Promise<SaveAnswer>)
    .catch((): SaveAnswer => ({ kind: "failed", message: gone }));
  switch (answer.kind) {
    case "saved":
      saved = text;
      render();
      return say("said", `Saved ${description.mapping}.`);
    case "changed": {
      const dialog = byId<HTMLDialogElement>("changed");
      byId("cancel").onclick = () => dialog.close();
      byId("take").onclick = () => {
        dialog.close();
        saved = answer.text;
        page.edit(answer.text);
      };
      byId("keep").onclick = () => {
        dialog.close();
        saved = answer.text;
        void save();
      };
      say("said", "Not saved: the file has changed on disk.");
      return dialog.showModal();
    }
    case "failed":
      return say("said", answer.message);
    default:
      return answer satisfies never;
  }
}
