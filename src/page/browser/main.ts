import { bar, copyableCommand, type Html, html } from "../../model/look/html.ts";
import { grouped } from "../../model/quantities.ts";
import type { Description } from "../contract.ts";
import { renderColumns } from "./columns.ts";
import { button, byId, field, show } from "./dom.ts";
import { createPage, pageEnded } from "./page.ts";
import { conflictOf, problemsOf } from "./problems.ts";
import { cellPairs, renderVerdict, requestsOf } from "./row-pane.ts";

/** The page: its state, shown whole after each change. */

const description = (await (await fetch("description")).json()) as Description;
const { input: inputName, mapping } = description;
const page = createPage(description, byId("text"), () => show(pageParts));
const { state } = page;
const isSaved = () => page.text() === state.saved;
let isJsonShown = false;

document.title = `${inputName} – eventload map`;
// Whoever closes or reloads the page is asked before what is not saved goes.
addEventListener("beforeunload", (event) => {
  if (!isSaved()) event.preventDefault();
});
addEventListener("input", ({ target }) => (target as HTMLInputElement).setCustomValidity?.(""));
addEventListener("keydown", (event) => {
  const field = event.target;
  // What is typed and not taken yet goes with Escape.
  if (event.key === "Escape" && field instanceof HTMLInputElement) {
    field.value = field.defaultValue;
  }
  if (event.key.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  if (!event.repeat) void page.save();
});
page.start();

function pageParts(): Record<string, Html> {
  const { table, trouble, preview } = state;
  const problems = problemsOf(page);
  for (const part of document.querySelectorAll<HTMLElement>("#columns, .pane"))
    part.inert = trouble !== undefined || table === undefined;
  document.body.classList.toggle("broken", trouble !== undefined);
  const cannotSave = isSaved() || (trouble?.kind === "refused" && trouble.message === pageEnded);
  byId("state").ariaBusy = String(state.isBusy);
  return {
    name: html`<span>${inputName}</span> <small>→ ${mapping}</small>`,
    state: stateOfRows(),
    said: html`${state.said}`,
    do: html`${button("Undo", page.undo, { class: "button bare", id: "undo", disabled: !page.canUndo() })}
<button class="button" type="button" popovertarget="next"><span>Next<span class="wide"> steps</span></span></button>
${button(isSaved() ? "Saved" : "Save", () => void page.save(), { class: "button primary", id: "save", disabled: cannotSave })}`,
    commands: commandsToCopy(),
    first: state.conflict === undefined ? allGood() : conflictOf(page, state.conflict),
    ...(problems === undefined ? {} : { problems }),
    ...(table === undefined ? {} : { columns: renderColumns(page, table) }),
    "file-note": html`${mapping}, the same as text; it can be edited here too`,
    "row-buttons": rowButtons(),
    ...(preview === undefined
      ? {}
      : {
          views: viewButtons(),
          verdict: renderVerdict(preview),
          pairs: isJsonShown ? html`` : cellPairs(preview),
          request: isJsonShown ? requestsOf(preview) : html``,
        }),
  };
}

/** In how many rows how it stands, or that nobody can say it. */
function stateOfRows(): Html {
  const { trouble, checked } = state;
  if (trouble?.kind === "refused") return html`<span class="tag bad">not checked</span>`;
  if (trouble !== undefined) {
    const [{ line = 1 } = {}] = trouble.problems;
    return html`<span class="tag bad">${mapping} cannot be read: line ${line}</span>`;
  }
  const { rows = 0, invalidRows = 0, skippedRows = 0 } = checked ?? {};
  const counts = [
    ["succeeded", "ready", rows - invalidRows - skippedRows],
    ["invalid", "to fix", invalidRows],
    ["skipped", "left out", skippedRows],
  ] as const;
  const words = counts.map(([look, word, count]) => {
    const shown = html`<span class="dot ${look}"></span><b>${checked === undefined ? "–" : grouped(count)}</b> ${word}`;
    return word === "to fix"
      ? html`<a class="count" href="#problems">${shown}</a>`
      : html`<span class="count">${shown}</span>`;
  });
  const meter = counts.map(([look, , count]) => [look, count] as const);
  return html`${bar(meter, "meter")}${words.map((one) => html`${one} `)}`;
}

function commandsToCopy(): Html {
  return html`${description.next.map(
    ({ what, command: typed }) =>
      html`<div><p>${what}</p>${typed !== undefined && copyableCommand(typed)}</div>`,
  )}`;
}

function allGood(): Html {
  const { checked, trouble } = state;
  const isGood = trouble === undefined && checked?.invalidRows === 0 && checked.events > 0;
  if (!isGood) return html``;
  return html`<section id="all-good" class="card" aria-labelledby="good-title"><h2 id="good-title">All rows are ready</h2>
<p>Save, then run one of these in the terminal.</p><div class="commands">${commandsToCopy()}</div></section>`;
}

function rowButtons(): Html {
  const { checked, preview } = state;
  const row = preview?.row.row ?? 1;
  const rows = checked?.rows ?? row;
  const typed = ({ value }: HTMLInputElement) =>
    page.look(Math.min(rows, Math.max(1, Math.floor(Number(value)) || 1)));
  const number = { type: "number", min: 1, max: rows, id: "number", "aria-label": false };
  const before = () => page.look(Math.max(1, row - 1));
  return html`<label class="row">Row ${field("", String(row), typed, number)}</label>
<span class="quiet">${checked !== undefined && `of ${grouped(rows)}`}</span>
${button("‹", before, { "aria-label": "Row before" })}
${button("›", () => page.look(row + 1), { "aria-label": "Row after" })}
${button("Next to fix", () => page.look(row + 1, true), { disabled: checked?.invalidRows === 0 })}`;
}

function viewButtons(): Html {
  const view = (name: string, isNow: boolean) => {
    const choose = () => {
      isJsonShown = name === "JSON";
      show(pageParts);
    };
    return button(name, choose, { class: false, "aria-pressed": String(isNow) });
  };
  return html`${view("Cells", !isJsonShown)}${view("JSON", isJsonShown)}`;
}
