import { systemClock } from "../../model/clock.ts";
import { count, grouped } from "../../model/quantities.ts";
import type { AnswerPart, Checked } from "../contract.ts";
import { describeChanges, type MappingTable, readTable } from "../mapping-table.ts";
import { createColumns, readProposals } from "./columns.ts";
import { completeMapping } from "./completion.ts";
import { button, byId, h, openDialog } from "./dom.ts";
import { createEditor } from "./editor.ts";
import { createMembers } from "./members.ts";
import { createProblems } from "./problems.ts";
import { createRow } from "./row.ts";
import { ask, describe, end, save } from "./server.ts";
import type { View } from "./view.ts";

/** The page: one document, the views of it, and what the server makes of it. */

const description = await describe();
/** What is on disk, as far as the page knows. */
let saved = { text: description.text, version: description.version };
let table: MappingTable | undefined;
let checked: Checked | undefined;
let checking = new AbortController();
let showing = new AbortController();
let cancelTimer = () => {};
const waitMs = 250;
/** Unsaved changes outlive a reload, in this tab. */
const draftKey = "eventload";

const proposals = readProposals(description.proposal);
const names = description.columns.map(({ column }) => column);
const proposedNames = [...proposals.values()].map(({ name }) => name);
const complete = completeMapping(description.schema, names, proposedNames);
const editor = createEditor(byId("text"), draft() ?? saved.text, complete, changed);
const view: View = {
  description,
  text: editor.text,
  table: () => table,
  checked: () => checked,
  edit(text) {
    if (text === undefined) say("This can be changed in the text only.");
    else if (text !== editor.text()) editor.setText(text);
    // What was typed and not taken is put back.
    else members.update();
  },
  show,
  goToLine: editor.goToLine,
};
const columns = createColumns(view, proposals);
const members = createMembers(view, proposals);
const row = createRow(view);
const problems = createProblems(view);

document.title = `${description.mapping} - eventload map`;
byId("title").textContent = `${description.input} → ${description.mapping}`;
byId("undo").onclick = editor.undo;
byId("save").onclick = () => void store();
byId("end").onclick = leave;
addEventListener("keydown", (event) => {
  if (event.key !== "s" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  void store();
});
changed();

function changed(): void {
  const text = editor.text();
  table = readTable(text);
  members.update();
  columns.update();
  showSaved();
  if (text === saved.text) sessionStorage.removeItem(draftKey);
  else sessionStorage.setItem(draftKey, JSON.stringify({ text, version: saved.version }));
  status("Checking…");
  cancelTimer();
  cancelTimer = systemClock.schedule(waitMs, check);
}

/** Text that was not saved before a reload. If the file has changed since, a save shows both. */
function draft(): string | undefined {
  const { text, version } = JSON.parse(sessionStorage.getItem(draftKey) ?? "{}");
  if (version !== undefined) saved = { ...saved, version };
  return text;
}

function check(): void {
  checking.abort();
  checking = new AbortController();
  const question = { text: editor.text(), row: row.row(), all: true };
  void ask(question, checking.signal, hear);
}

function show(number: number, onlyInvalid = false): void {
  showing.abort();
  showing = new AbortController();
  if (onlyInvalid) row.say("Looking for the next invalid row…");
  void ask({ text: editor.text(), row: number, onlyInvalid }, showing.signal, hear);
}

function hear(part: AnswerPart): void {
  switch (part.kind) {
    case "document_problems":
      editor.showProblems(part.problems);
      problems.ofDocument(part.problems);
      status(`The mapping has ${count(part.problems.length, "problem")}`);
      break;
    case "refused":
      problems.refused(part.message);
      status("Not checked");
      break;
    case "row":
      editor.showProblems([]);
      row.show(part.preview);
      break;
    case "progress": {
      const share = part.share === undefined ? "" : ` (${Math.floor(100 * part.share)} %)`;
      status(`Checking… ${count(part.rows, "row")}${share}, ${grouped(part.invalidRows)} invalid`);
      break;
    }
    case "checked":
      checked = part.report;
      status(`${count(checked.rows, "row")} checked, ${grouped(checked.invalidRows)} invalid`);
      columns.update();
      members.update();
      row.update();
      problems.ofRows(checked, editor.text() === saved.text);
      break;
    default:
      part satisfies never;
  }
}

async function store(): Promise<void> {
  const text = editor.text();
  const answer = await save({ text, version: saved.version });
  switch (answer.kind) {
    case "saved": {
      const changes = describeChanges(saved.text, text);
      saved = { text, version: answer.version };
      changed();
      say(`Saved ${description.mapping}: ${changes}.`);
      break;
    }
    case "changed":
      chooseText(text, answer);
      break;
    case "failed":
      say(answer.message);
      break;
    default:
      answer satisfies never;
  }
}

/** The file is not what the page knew: a person decides which text counts. */
function chooseText(
  mine: string,
  onDisk: { readonly text: string; readonly version: string },
): void {
  const side = (title: string, text: string, label: string, take: () => void) => {
    const choose = button(label, () => {
      close();
      saved = onDisk;
      take();
    });
    return h(
      "section",
      {},
      h("h3", { textContent: title }),
      h("pre", { tabIndex: 0, textContent: text }),
      choose,
    );
  };
  const close = openDialog(
    `${description.mapping} has changed on disk`,
    h("p", { textContent: "Nothing was saved. Which text is to stay?" }),
    h(
      "div",
      { className: "sides" },
      side("On disk", onDisk.text, "Take the text on disk", () => editor.setText(onDisk.text)),
      side("On this page", mine, "Save this one over it", () => void store()),
    ),
  );
}

async function leave(): Promise<void> {
  const isSaved = editor.text() === saved.text;
  const go = async () => {
    await end();
    document.body.replaceChildren(
      h("p", {
        className: "ended",
        textContent: "eventload map has ended. You can close this page.",
      }),
    );
  };
  if (isSaved) return go();
  const close = openDialog(
    "There are unsaved changes",
    h(
      "div",
      { className: "buttons" },
      button("Stay", () => close()),
      button("End without saving", () => void go()),
    ),
  );
}

function showSaved(): void {
  const isSaved = editor.text() === saved.text;
  byId("saved").textContent = isSaved ? "" : "Not saved";
  byId("save").toggleAttribute("disabled", isSaved);
}

function say(message: string): void {
  byId("saved").textContent = message;
}

function status(text: string): void {
  byId("status").textContent = text;
}
