import type { FileProblem } from "../../model/file-problem.ts";
import { grouped } from "../../model/quantities.ts";
import { type Card, cardsOf, type Fix } from "../cards.ts";
import { type Path, renameAt, setAt } from "../edit-yaml.ts";
import { button, byId, h, show } from "./dom.ts";
import type { PageState } from "./page-state.ts";

/** What a person has done about a problem. */
export interface Done {
  readonly card: string;
  readonly title: string;
  readonly fix: Fix;
  /** Whether it is still so in a text. */
  holds(text: string): boolean;
  undo(): void;
}

/** The problems in the order in which they were first seen, so that none moves when another is fixed. */
const order: string[] = [];

/** @param isNew whether the check is of the text that is shown */
export function showProblems(page: PageState, done: readonly Done[], isNew: boolean): void {
  const [checked, table] = [page.checked(), page.table()];
  if (checked === undefined || table === undefined) return;
  const fixed = new Map(done.map((one) => [one.card, one]));
  const cards = new Map(cardsOf(checked, table, page.known).map((card) => [card.key, card]));
  for (const key of cards.keys()) if (!order.includes(key)) order.push(key);
  const lines = order.flatMap((key) => {
    const [card, did] = [cards.get(key), fixed.get(key)];
    const isOpen = card !== undefined && (did === undefined || (isNew && did.fix.kind !== "keep"));
    return [...(isOpen ? [lineOf(page, card)] : []), ...(did && !isOpen ? [doneLine(did)] : [])];
  });
  const isOpen = [...cards.keys()].some((key) => !fixed.has(key));
  const warnings = checked.warnings.map((warning) => h("li.small", h("p.quiet", warning)));
  const title = isOpen ? (checked.invalidRows > 0 ? "To fix" : "To look at") : "Fixed";
  const hint = h("small", `a click changes the mapping, never ${page.description.input}`);
  const all = [...lines, ...warnings];
  byId("problems").hidden = all.length === 0;
  show(byId("problems-title"), `${title} `, hint);
  show(byId("problem-list"), ...all);
}

function lineOf(page: PageState, card: Card): HTMLElement {
  const { key, title, rest, tag, why, cells, more, row, fixes } = card;
  const name = title || rest || "";
  const marks = cells.flatMap(([cell, times]) => [
    " ",
    h("mark", cell),
    times > 1 && ` ${grouped(times)}`,
  ]);
  const shown = [...marks, more > 0 && ` and ${grouped(more)} more`];
  const see =
    row === undefined
      ? undefined
      : button(`row ${grouped(row)}`, () => page.showRow(row), {
          className: "link",
          ariaLabel: `${name}: show row ${row}`,
        });
  const buttons = fixes.map((fix, at) => {
    const isBest = at === 0 && fix.kind !== "keep" && fix.kind !== "open";
    const one = button(fix.label, () => page.fix(key, title, fix), {
      className: isBest ? "button fix" : "button bare",
      ...(at === 0 ? { id: fixId(key) } : {}),
      ariaLabel: `${name}: ${fix.label}${fix.effect ? `, ${fix.effect}` : ""}`,
    });
    if (isBest && fix.effect) one.append(" ", h("span", fix.effect));
    return one;
  });
  const isSmall = why === undefined;
  return h(
    "li",
    { className: isSmall ? "small" : "" },
    h(
      "p",
      h("strong", title),
      rest && ` ${rest}`,
      " ",
      tag && h("span.tag.warn", tag),
      ...(isSmall ? shown : []),
      " ",
      see,
    ),
    !isSmall && h("p", why, ...shown),
    h("div.fixes", ...buttons),
  );
}

function doneLine({ card, title, fix, undo }: Done): HTMLElement {
  const said = fix.done.startsWith("The ") ? fix.done : `: ${fix.done}`;
  const effect =
    fix.kind === "keys" && fix.effect?.startsWith("fixes ")
      ? ` ${fix.effect.replace("fixes ", "")} fixed.`
      : "";
  return h(
    "li.done",
    h("p", "✓ ", !said.startsWith("The ") && h("strong", title), `${said}${effect}`),
    h(
      "div.fixes",
      button("Undo", undo, {
        className: "button bare",
        id: undoId(card),
        ariaLabel: `Undo: ${title}${said}`,
      }),
    ),
  );
}

export function undoId(card: string): string {
  return `undo ${card}`;
}

export function fixId(card: string): string {
  return `fix ${card}`;
}

/** Says what keeps the text from being a mapping. */
export function showDocumentProblems(
  page: PageState,
  problems: readonly FileProblem[],
  undo: () => void,
): void {
  const { mapping } = page.description;
  const lines = problems.map(({ line = 1, path, message }) => {
    const meant = /did you mean "?(.+?)"?\?/.exec(message)?.[1];
    const place: Path = path.split(".");
    const isKey = message.startsWith("unknown key");
    const repaired = () => meant && (isKey ? renameAt : setAt)(page.text(), place, meant);
    return h(
      "li",
      h(
        "p",
        h("strong", `${mapping}, line ${grouped(line)}`),
        " ",
        h("span.tag.bad", "not a mapping"),
      ),
      h("p", path !== "" && h("mark", path), ` ${message}`),
      h(
        "div.fixes",
        repaired() &&
          button(`Use ${meant}`, () => page.edit(repaired()), { className: "button fix" }),
        button(`Show line ${line}`, () => page.goTo(line), { className: "button bare" }),
        button("Undo", undo, { className: "button bare" }),
      ),
    );
  });
  byId("problems").hidden = false;
  show(byId("problems-title"), "To fix");
  show(byId("problem-list"), ...lines);
}

export function showRefusal(message: string): void {
  byId("problems").hidden = false;
  show(byId("problems-title"), "Not checked");
  show(byId("problem-list"), h("li.small", h("p", message)));
}
