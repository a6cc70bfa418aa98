import { systemClock } from "../../model/clock.ts";
import { count, grouped } from "../../model/quantities.ts";
import type { Preview } from "../../run/check/preview.ts";
import type {
  Answer,
  Checked,
  Description,
  RowQuestion,
  SaveAnswer,
  Trouble,
} from "../contract.ts";
import { type MappingTable, readTable } from "../mapping-table.ts";
import { readProposals, showColumns } from "./columns.ts";
import { byId } from "./dom.ts";
import { createEditor } from "./editor.ts";
import { createMembers } from "./members.ts";
import type { PageState } from "./page-state.ts";
import { showDocumentProblems, showRefusal, showReport, showRow } from "./preview.ts";

/** The page: one document, the views of it, and what the server makes of it. */

const description = (await (await fetch("description")).json()) as Description;
/** What is on disk, as far as the page knows. */
let saved = description.text;
let table: MappingTable | undefined;
let checked: Checked | undefined;
/** The row that is shown, and what a person wants to see. */
let row = 1;
let wanted = { from: row, onlyInvalid: false };
let checking = new AbortController();
let showing = new AbortController();
let cancelCheck = () => {};
const waitMs = 250;
const gone = "eventload map has ended: start it again in the terminal.";

const proposals = readProposals(description.proposal);
const editor = createEditor(byId("text"), saved, changed);
const isSaved = () => editor.text() === saved;
const page: PageState = {
  description,
  text: editor.text,
  table: () => table,
  checked: () => checked,
  cells: () => checked?.columns ?? description.columns,
  edit(text) {
    if (text !== undefined && text !== editor.text()) return editor.setText(text);
    say("saved", "Nothing has changed: the name is taken, or only the text can say this.");
    showMembers(); // what was typed and not taken is put back
  },
  show,
  goToLine: editor.goToLine,
};
const showMembers = createMembers(page);

document.title = `${description.mapping} - eventload map`;
say("title", `${description.input} → ${description.mapping}`);
const number = byId<HTMLInputElement>("number");
number.onchange = () => show(Math.min(+number.max, Math.max(1, Math.floor(+number.value) || 1)));
byId("previous").onclick = () => show(Math.max(1, row - 1));
byId("next").onclick = () => show(row + 1);
byId("next-invalid").onclick = () => show(row + 1, true);
byId("undo").onclick = editor.undo;
byId("save").onclick = () => void save();
// Whoever closes or reloads the page is asked before what is not saved goes.
addEventListener("beforeunload", (event) => {
  if (!isSaved()) event.preventDefault();
});
addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  if (!event.repeat) void save();
});
changed();

function say(id: string, text: string): void {
  byId(id).textContent = text;
}

/** Nobody wants to hear each step of a check. */
function sayStatus(text: string, isBusy = false): void {
  byId("status").ariaBusy = String(isBusy);
  say("status", text);
}

function changed(): void {
  const text = editor.text();
  table = readTable(text);
  showMembers();
  showColumns(page, proposals);
  say("saved", isSaved() ? "" : "Not saved");
  byId("save").toggleAttribute("disabled", isSaved());
  sayStatus("Checking…", true);
  cancelCheck();
  cancelCheck = systemClock.schedule(waitMs, () => void check());
}

async function check(): Promise<void> {
  checking.abort();
  checking = new AbortController();
  const { signal } = checking;
  const text = editor.text();
  await show(wanted.from, wanted.onlyInvalid);
  checked = await ask<Checked>("check", { text }, signal);
  if (checked === undefined) return;
  const { rows, invalidRows } = checked;
  sayStatus(`${count(rows, "row")} checked, ${grouped(invalidRows)} invalid`);
  say("total", `of ${grouped(rows)}`);
  showColumns(page, proposals);
  showReport(page, checked, isSaved());
}

async function show(from: number, onlyInvalid = false): Promise<void> {
  showing.abort();
  showing = new AbortController();
  wanted = { from, onlyInvalid };
  say("note", onlyInvalid ? "Looking for the next invalid row…" : "");
  const question = { text: editor.text(), row: from, onlyInvalid };
  const preview = await ask<Preview>("row", question, showing.signal);
  if (preview === undefined) return;
  editor.showProblems([]);
  const what = onlyInvalid ? "invalid row from" : "row";
  say("note", preview.kind === "no_such_row" ? `There is no ${what} ${grouped(from)}.` : "");
  if (preview.kind !== "no_such_row") {
    showRow(preview);
    const invalid = row === preview.row.row ? null : document.querySelector("dl .invalid");
    invalid?.scrollIntoView({ block: "nearest" });
    row = preview.row.row;
  }
  wanted = { from: row, onlyInvalid: false };
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
    case "document_problems":
      editor.showProblems(answer.problems);
      say("note", "This is what the mapping made of the row before.");
      showDocumentProblems(page, answer.problems);
      sayStatus(`The mapping has ${count(answer.problems.length, "problem")}`);
      return undefined;
    case "refused":
      showRefusal(answer.message);
      say("note", "");
      sayStatus("Not checked");
      return undefined;
    default:
      return answer satisfies never;
  }
}

async function save(): Promise<void> {
  const text = editor.text();
  const answer = await post("save", { text, before: saved })
    .then((response) => response.json() as Promise<SaveAnswer>)
    .catch((): SaveAnswer => ({ kind: "failed", message: gone }));
  switch (answer.kind) {
    case "saved":
      saved = text;
      changed();
      say("saved", `Saved ${description.mapping}.`);
      break;
    case "changed":
      say("saved", "Not saved: the file has changed on disk.");
      if (!confirm(`${description.mapping} has changed on disk. Replace it by this text?`)) break;
      saved = answer.text;
      return save();
    case "failed":
      say("saved", answer.message);
      break;
    default:
      answer satisfies never;
  }
}
