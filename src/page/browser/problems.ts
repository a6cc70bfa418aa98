import { type Content, type Html, html } from "../../model/look/html.ts";
import { grouped } from "../../model/quantities.ts";
import { type Card, cardsOf } from "../cards.ts";
import type { Trouble } from "../contract.ts";
import { renameAt, setAt } from "../edit-yaml.ts";
import { button, link } from "./dom.ts";
import type { Done, Page } from "./page.ts";

/** The problems in the order in which they were first seen, so that none moves when another is fixed. */
const order: string[] = [];

/** What there is to fix, what is fixed, and what keeps the page from its work: undefined as long as nobody knows. */
export function problemsOf(page: Page): Html | undefined {
  const { trouble, checked, table } = page.state;
  if (trouble !== undefined) return troubleOf(page, trouble);
  if (checked === undefined || table === undefined) return undefined;
  const fixed = new Map(page.state.done.map((one) => [one.card.key, one]));
  const all = [...page.state.undone, ...cardsOf(checked, table, page.known)];
  const cards = new Map(all.map((card) => [card.key, card]));
  for (const key of cards.keys()) if (!order.includes(key)) order.push(key);
  const lines = order.map((key) => {
    const [card, did] = [cards.get(key), fixed.get(key)];
    const isToFix = did === undefined || (did.isSeen && did.fix.change !== undefined);
    return [did !== undefined && doneLine(page, did), isToFix && card && cardLine(page, card)];
  });
  const isToFix = [...cards.keys()].some((key) => !fixed.has(key));
  const warnings = checked.warnings.map((warning) =>
    problemLine("small", html`<span class="quiet">${warning}</span>`, ""),
  );
  const title = isToFix ? (checked.invalidRows > 0 ? "To fix" : "To look at") : "Fixed";
  if (!lines.flat().some(Boolean) && warnings.length === 0) return html``;
  const hint = `a click changes the mapping, never ${page.description.input}`;
  return problemList(html`${title} <small>${hint}</small>`, [lines, warnings]);
}

function problemList(title: Content, lines: Content): Html {
  return html`<h2>${title}</h2><ul class="problems">${lines}</ul>`;
}

/** What is wrong, and below it why; what helps stands beside both. */
function problemLine(look: string, head: Content, why: Content, fixes: Content = ""): Html {
  return html`<li class="${look}">${head !== "" && html`<p>${head}</p>`}${why !== "" && html`<p>${why}</p>`}<div class="fixes">${fixes}</div></li>`;
}

function cardLine(page: Page, card: Card): Html {
  const { key, title, rest = "", tag, why, cells, more, row, fixes } = card;
  const name = title || rest;
  const areCounted = cells.some(([, times]) => times > 1);
  const shown = html`${cells.map(
    ([cell, times], at) =>
      html`${at > 0 && areCounted && ","} <mark>${cell}</mark>${times > 1 && ` ${grouped(times)}`}`,
  )}${more > 0 && ` and ${grouped(more)} more`}`;
  const see =
    row !== undefined &&
    link(`row ${grouped(row)}`, () => page.look(row), `${name}: show row ${row}`);
  const buttons = fixes.map((fix, at) => {
    const { label, effect } = fix;
    const isBest = at === 0 && fix.change !== undefined;
    const look = {
      class: isBest ? "button fix" : "button bare",
      id: at === 0 && `fix ${key}`,
      "aria-label": `${name}: ${label}${effect ? `, ${effect}` : ""}`,
    };
    const text = html`${label}${isBest && effect && html` <span>${effect}</span>`}`;
    return button(text, () => page.fix(card, fix), look);
  });
  const head = html`<strong>${title}</strong> ${rest} ${tag && html`<span class="tag warn">${tag}</span>`}`;
  return why === undefined
    ? problemLine("small", html`${head}${shown} ${see}`, "", buttons)
    : problemLine("", html`${head} ${see}`, html`${why}${shown}`, buttons);
}

function doneLine(page: Page, did: Done): Html {
  const { card, fix } = did;
  const { key, title } = card;
  const isWhole = fix.done.startsWith("The ");
  const colon = /^(?:is|has|may) /.test(fix.done) ? "" : ":";
  const fixes = /^fixes (.*)/.exec(fix.effect ?? "")?.[1];
  const look = {
    class: "button bare",
    id: `undo ${key}`,
    "aria-label": `Undo: ${isWhole ? fix.done : `${title}${colon} ${fix.done}`}`,
  };
  const said = html`✓ ${!isWhole && html`<strong>${title}</strong>${colon} `}${fix.done}${fixes && ` ${fixes} fixed.`}`;
  return problemLine(
    "done",
    said,
    "",
    button("Undo", () => page.undoFix(did), look),
  );
}

function troubleOf(page: Page, trouble: Trouble): Html {
  if (trouble.kind === "refused")
    return problemList("Not checked", problemLine("small", trouble.message, ""));
  const { mapping } = page.description;
  const lines = trouble.problems.map(({ line = 1, path, message }) => {
    const meant = /did you mean "?(.+?)"?\?/.exec(message)?.[1];
    const edit = message.startsWith("unknown key") ? renameAt : setAt;
    const repaired = () => meant && edit(page.text(), path.split("."), meant);
    const head = html`<strong>${mapping}, line ${grouped(line)}</strong> <span class="tag bad">not a mapping</span>`;
    const bare = { class: "button bare" };
    return problemLine("", head, html`${path !== "" && html`<mark>${path}</mark> `}${message}`, [
      repaired() && button(`Use ${meant}`, () => page.edit(repaired()), { class: "button fix" }),
      button(`Show line ${line}`, () => page.goTo(line), bare),
      button("Undo", page.undo, bare),
    ]);
  });
  return problemList("To fix", lines);
}

/** What somebody else has saved, and the choice that a person has. */
export function conflictOf(page: Page, theirs: string): Html {
  const head = html`<strong>${page.description.mapping} has changed on disk</strong>`;
  const why =
    "Somebody has saved it since you opened it here. Keep mine replaces that file. Take the file drops your changes, and Undo brings them back.";
  const line = problemLine("", head, why, [
    button("Keep mine", () => page.settle(theirs, true), { class: "button", id: "keep" }),
    button("Take the file", () => page.settle(theirs, false)),
  ]);
  return problemList("Not saved", line);
}
