import { systemClock } from "../../model/clock.ts";
import { count, grouped } from "../../model/quantities.ts";
import {
  type AnswerPart,
  addresses,
  type Checked,
  type Description,
  type Question,
  type SaveAnswer,
  type Version,
} from "../contract.ts";
import { describeChanges, type MappingTable, readTable } from "../mapping-table.ts";
import { readProposals, showColumns } from "./columns.ts";
import { completeMapping } from "./completion.ts";
import { block, button, byId, h, openDialog } from "./dom.ts";
import { createEditor } from "./editor.ts";
import { createMembers } from "./members.ts";
import type { PageState } from "./page-state.ts";
import { showDocumentProblems, showRefusal, showReport } from "./problems.ts";
import { showRow } from "./row.ts";

/** The page: one document, the views of it, and what the server makes of it. */

const description = (await (await fetch(addresses.description)).json()) as Description;
/** What is on disk, as far as the page knows. */
let saved: Version = description;
let table: MappingTable | undefined;
let checked: Checked | undefined;
let row = 1;
let checking = new AbortController();
let showing = new AbortController();
let cancelCheck = () => {};
const waitMs = 250;
const gone = "eventload map has ended: start it again in the terminal.";

const proposals = readProposals(description.proposal);
const names = description.columns.map(({ column }) => column);
const proposedNames = [...proposals.values()].map(({ name }) => name);
const complete = completeMapping(description.schema, names, proposedNames);
const editor = createEditor(byId("text"), draft() ?? saved.text, complete, changed);
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
number.onchange = () => show(Math.max(1, Math.floor(Number(number.value)) || 1));
byId("previous").onclick = () => show(Math.max(1, row - 1));
byId("next").onclick = () => show(row + 1);
byId("next-invalid").onclick = () => show(row + 1, true);
byId("undo").onclick = editor.undo;
byId("save").onclick = () => void save();
byId("end").onclick = leave;
addEventListener("keydown", (event) => {
  if (event.key !== "s" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  void save();
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

function isSaved(): boolean {
  return editor.text() === saved.text;
}

function changed(): void {
  const text = editor.text();
  table = readTable(text);
  showMembers();
  showColumns(page, proposals);
  say("saved", isSaved() ? "" : "Not saved");
  byId("save").toggleAttribute("disabled", isSaved());
  // Unsaved changes outlive a reload, in this tab.
  const draft = JSON.stringify({ text, version: saved.version });
  sessionStorage.setItem(description.mapping, isSaved() ? "{}" : draft);
  sayStatus("Checking…", true);
  cancelCheck();
  cancelCheck = systemClock.schedule(waitMs, () => {
    showing.abort();
    checking.abort();
    checking = new AbortController();
    void ask({ text, row, all: true }, checking.signal);
  });
}

/** Text that was not saved before a reload. If the file has changed since, a save shows both. */
function draft(): string | undefined {
  const { text, version } = JSON.parse(sessionStorage.getItem(description.mapping) ?? "{}");
  if (version !== undefined) saved = { text: saved.text, version };
  return text;
}

function show(wanted: number, onlyInvalid = false): void {
  showing.abort();
  showing = new AbortController();
  say("note", onlyInvalid ? "Looking for the next invalid row…" : "");
  void ask({ text: editor.text(), row: wanted, onlyInvalid }, showing.signal);
}

function post(address: string, body: object, signal: AbortSignal | null = null) {
  const headers = { "content-type": "application/json" };
  return fetch(address, { method: "POST", headers, body: JSON.stringify(body), signal });
}

/** Hears each part of an answer as it comes. */
async function ask(question: Question, signal: AbortSignal): Promise<void> {
  try {
    const { body } = await post(addresses.answer, question, signal);
    const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const lines = (rest + value).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (!signal.aborted) hear(JSON.parse(line) as AnswerPart, question);
    }
  } catch {
    if (!signal.aborted) hear({ kind: "refused", message: gone }, question);
  }
}

function hear(part: AnswerPart, { row: wanted, onlyInvalid, all }: Question): void {
  switch (part.kind) {
    case "document_problems":
      editor.showProblems(part.problems);
      showDocumentProblems(page, part.problems);
      sayStatus(`The mapping has ${count(part.problems.length, "problem")}`);
      break;
    case "refused":
      showRefusal(part.message);
      sayStatus("Not checked");
      break;
    case "row": {
      const { preview } = part;
      editor.showProblems([]);
      // A check does not lead back from a row that a person has gone to since.
      if (all && wanted !== row) break;
      const what = onlyInvalid ? "invalid row from" : "row";
      say("note", preview.kind === "no_such_row" ? `There is no ${what} ${grouped(wanted)}.` : "");
      if (preview.kind !== "no_such_row") {
        row = preview.row.row;
        showRow(preview);
      }
      number.value = String(row);
      break;
    }
    case "progress": {
      const { rows, invalidRows, bytesRead, totalBytes } = part;
      const share = totalBytes && ` (${Math.floor((100 * bytesRead) / totalBytes)} %)`;
      const read = `${count(rows, "row")}${share ?? ""}, ${grouped(invalidRows)} invalid`;
      sayStatus(`Checking… ${read}`, true);
      break;
    }
    case "checked": {
      checked = part.report;
      const { rows, invalidRows } = checked;
      sayStatus(`${count(rows, "row")} checked, ${grouped(invalidRows)} invalid`);
      say("total", `of ${grouped(rows)}`);
      showColumns(page, proposals);
      showMembers();
      showReport(page, checked, isSaved());
      break;
    }
    default:
      part satisfies never;
  }
}

async function save(): Promise<void> {
  const text = editor.text();
  const answer = await post(addresses.save, { text, version: saved.version })
    .then((response) => response.json() as Promise<SaveAnswer>)
    .catch((): SaveAnswer => ({ kind: "failed", message: gone }));
  switch (answer.kind) {
    case "saved": {
      const changes = describeChanges(saved.text, text);
      saved = { text, version: answer.version };
      changed();
      say("saved", `Saved ${description.mapping}. Changed: ${changes}.`);
      break;
    }
    case "changed":
      chooseText(text, answer);
      break;
    case "failed":
      say("saved", answer.message);
      break;
    default:
      answer satisfies never;
  }
}

/** The file is not what the page knew: a person decides which text counts. */
function chooseText(mine: string, onDisk: Version): void {
  const side = (title: string, text: string, label: string, take: () => void) => {
    const choose = button(label, () => {
      byId<HTMLDialogElement>("dialog").close();
      saved = onDisk;
      take();
    });
    return h("section", {}, h("h3", {}, title), block(text), choose);
  };
  const theirs = () => editor.setText(onDisk.text);
  const sides = [
    side("On disk", onDisk.text, "Take the text on disk", theirs),
    side("On this page", mine, "Save this one over it", () => void save()),
  ];
  const title = `${description.mapping} has changed on disk, and nothing was saved`;
  openDialog(title, [h("div", { className: "beside" }, ...sides)], "Decide later");
}

async function leave(): Promise<void> {
  if (!isSaved() && !confirm("There are unsaved changes. End without saving?")) return;
  await post(addresses.end, {}).catch(() => undefined);
  document.body.replaceChildren(h("p", {}, "eventload map has ended. You can close this page."));
}
