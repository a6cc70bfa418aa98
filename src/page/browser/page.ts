import { systemClock } from "../../model/clock.ts";
import type { Preview } from "../../run/check/preview.ts";
import type { Card, Fix } from "../cards.ts";
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
import { type Edited, type Path, setAt, yamlContent } from "../edit-yaml.ts";
import { type MappingTable, readTable } from "../mapping-table.ts";
import type { KnownCells } from "../ways.ts";
import { createEditor } from "./editor.ts";

export type Page = ReturnType<typeof createPage>;

export type ShownRow = Exclude<Preview, { kind: "no_such_row" }>;

/** What a person has done about a problem, with the text before it and behind it. */
export interface Done {
  readonly card: Card;
  readonly fix: Fix;
  readonly before: string;
  readonly made: string;
  /** Whether a check has seen it: what that still finds is left to be fixed otherwise. */
  readonly isSeen?: boolean;
}

const waitMs = 250;
export const pageEnded = "eventload map has ended: start it again in the terminal.";

/** The state of the page: one document, what the server makes of it, and what a person can do. All that is shown is made of it. */
export function createPage(description: Description, place: HTMLElement, show: () => void) {
  const state = {
    saved: description.text,
    /** The text as a table; undefined while it is none. */
    table: undefined as MappingTable | undefined,
    checked: undefined as Checked | undefined,
    checkedText: "",
    /** Columns that the mapping reads for anything but a line of the table: conditions, templates, the ordering key. */
    elsewhere: [] as readonly string[],
    isBusy: true,
    /** Why nothing can be said of the rows: what is shown of them is how it stood before. */
    trouble: undefined as Trouble | undefined,
    /** What somebody else has saved, while nobody has decided what is to stay. */
    conflict: undefined as string | undefined,
    preview: undefined as ShownRow | undefined,
    done: [] as readonly Done[],
    /** The problems that are there again, until a check says so. */
    undone: [] as readonly Card[],
    said: "",
    opened: new Set<string>(),
  };
  const editor = createEditor(place, description.text, changed);
  let checking = new AbortController();
  let showing = new AbortController();
  let cancelCheck = () => {};
  /** The row that a person wants to see, until it is shown. */
  let wanted = { from: 1, onlyInvalid: true, isAsked: false };
  /** What decides which cells count: the conditions, null values and input of the text. */
  let countedRows = "";
  /** What ways can read of which cells, and those that somebody wants to know of. */
  const counts = new Map<string, { readonly of: string; readonly counted: Counted }>();
  const wants = new Map<string, Way>();
  let counting = Promise.resolve();

  const page = {
    description,
    state,
    text: editor.text,
    undo: editor.undo,
    canUndo: editor.canUndo,
    /** What the columns hold in all rows, or in those that were looked at first. */
    cells: () => state.checked?.columns ?? description.columns,
    /** What is known of a column. What is asked for and not known is fetched, and then shown. */
    known(column: string): KnownCells {
      const values = page.cells().find((one) => one.column === column)?.values ?? [];
      return { count: countOf, ofTypes: description.conversionKeys, values };
    },
    counted: count,
    /** Replaces the text; undefined says that only a person can make this edit. */
    edit(text: Edited): void {
      if (text === undefined)
        state.said = "Nothing has changed: the name is taken, or only the file can say this.";
      if (text === undefined || text === editor.text()) update();
      else editor.setText(text);
    },
    set: (path: Path, value: unknown) => page.edit(setAt(editor.text(), path, value)),
    fix(card: Card, fix: Fix): void {
      const before = editor.text();
      const made = fix.change === undefined ? before : fix.change.apply(before);
      if (fix.opens !== undefined) openEditor(fix.opens);
      else if (made !== undefined) state.done = [...without(card), { card, fix, before, made }];
      page.edit(made);
      document.getElementById(`undo ${card.key}`)?.focus();
    },
    undoFix({ card, fix: { change }, before }: Done): void {
      state.done = without(card);
      state.undone = [...state.undone, card];
      page.edit(change === undefined ? editor.text() : change.undo(editor.text(), before));
      document.getElementById(`fix ${card.key}`)?.focus();
    },
    /** Shows a row, or the first invalid one from there on. */
    look: (from: number, onlyInvalid = false) => void look(from, onlyInvalid, true),
    open(name: string, isOpen = !state.opened.has(name)): void {
      if (isOpen) state.opened.add(name);
      else state.opened.delete(name);
      update();
    },
    /** Shows the file as text, at a line of it or where a text stands in it. */
    goTo(place: number | string): void {
      const details = document.getElementById("file") as HTMLDetailsElement;
      details.open = true;
      const isThere = (one: string) => !one.trim().startsWith("#") && one.includes(String(place));
      const found = editor.text().split("\n").findIndex(isThere) + 1;
      editor.goToLine(typeof place === "number" ? place : Math.max(1, found));
    },
    save,
    /** Ends a conflict: what is here is saved, or what is on disk is taken. */
    settle(theirs: string, isMine: boolean): void {
      state.conflict = undefined;
      state.saved = theirs;
      if (isMine) void save();
      else page.edit(theirs);
    },
  };
  return { ...page, start: changed };

  function without({ key }: Card): Done[] {
    return state.done.filter(({ card }) => card.key !== key);
  }

  function changed(): void {
    state.table = readTable(editor.text());
    const { when, input, null_values: nulls } = Object(yamlContent(editor.text()));
    countedRows = JSON.stringify([when, input, nulls]);
    wants.clear();
    state.said = "";
    state.isBusy = true;
    checking.abort();
    cancelCheck();
    cancelCheck = systemClock.schedule(waitMs, () => void check());
    update();
  }

  /** Shows the page, and asks for the counts that are missing there, unless a check runs. */
  function update(): void {
    const text = editor.text();
    state.done = state.done.filter(({ fix, made }) => fix.change?.holds(text, made) ?? true);
    show();
    if (state.checkedText === text && wants.size > 0) void count();
  }

  /** Where other cells count now, what a way read of those before, until that is known: nothing is shown in between. */
  function countOf(way: Way): Counted | undefined {
    const path = JSON.stringify(way.path);
    const member = state.table?.members.find((one) => JSON.stringify(one.path) === path);
    const all = Object.entries(way.keys).map(([key, value]) => [key, value ?? null]);
    const keys = Object.fromEntries(all);
    const name = JSON.stringify([member?.spec, keys]);
    const known = counts.get(name);
    if (known?.of !== countedRows) wants.set(name, { ...way, keys });
    return known?.counted;
  }

  function count(): Promise<void> {
    counting = counting.then(async () => {
      if (wants.size === 0) return;
      const asked = [...wants];
      wants.clear();
      const of = countedRows;
      const question = { text: editor.text(), ways: asked.map(([, way]) => way) };
      const answer = await post<Answer<readonly Counted[]>>("count", question);
      for (const [at, [name]] of asked.entries()) {
        const counted = answer.kind === "is" ? answer.what[at] : undefined;
        counts.set(name, { of, counted: counted ?? { problem: "nobody can count this" } });
      }
      update();
    });
    return counting;
  }

  async function check(): Promise<void> {
    checking.abort();
    checking = new AbortController();
    const { signal } = checking;
    const text = editor.text();
    await look(wanted.from, wanted.onlyInvalid, wanted.isAsked);
    const checked = await ask<Checked>("check", { text }, signal);
    if (checked === undefined) return;
    const inTable = readTable(text)?.members.map(({ source, from }) => source === "column" && from);
    const alone = new Set([...checked.unusedColumns, ...(inTable ?? [])]);
    const columns = checked.columns.map(({ column }) => column);
    const elsewhere = columns.filter((column) => column !== "" && !alone.has(column));
    const done = state.done.map((one) => ({ ...one, isSeen: true }));
    Object.assign(state, { checked, checkedText: text, elsewhere, done });
    Object.assign(state, { trouble: undefined, isBusy: false, undone: [] });
    update();
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
    if (preview.kind !== "no_such_row") state.preview = preview;
    wanted = { from: state.preview?.row.row ?? 1, onlyInvalid: false, isAsked: false };
    // After the last one that is not ready comes the first.
    if (preview.kind === "no_such_row") return onlyInvalid ? look(1, from > 1, isAsked) : undefined;
    update();
    if (!isAsked) return;
    const toggle = document.querySelector<HTMLElement>(".sheet-toggle");
    if (toggle?.offsetParent && toggle.ariaExpanded === "false") toggle.click();
    document.querySelector("#pairs .wrong")?.scrollIntoView({ block: "nearest" });
  }

  function openEditor(member: string): void {
    page.open(member, true);
    const lines = document.getElementById(`editor ${member}`);
    lines?.previousElementSibling?.scrollIntoView({ block: "start" });
    lines?.querySelector<HTMLElement>("button, input")?.focus({ preventScroll: true });
  }

  /** @returns undefined if nothing can be said, which is shown, or nobody waits for it any more */
  async function ask<What>(
    address: string,
    question: RowQuestion | { text: string },
    signal: AbortSignal,
  ): Promise<What | undefined> {
    const answer = await post<Answer<What>>(address, question, signal);
    if (signal.aborted) return undefined;
    if (answer.kind === "is") return answer.what;
    if (answer.kind === "document_problems") editor.showProblems(answer.problems);
    Object.assign(state, { trouble: answer, isBusy: false });
    update();
    return undefined;
  }

  async function save(): Promise<void> {
    const text = editor.text();
    const answer = await post<SaveAnswer>("save", { text, before: state.saved });
    if (answer.kind === "saved") state.saved = text;
    if (answer.kind === "changed") state.conflict = answer.text;
    state.said = {
      saved: `Saved ${description.mapping}.`,
      changed: "Not saved: the file has changed on disk.",
      refused: answer.kind === "refused" ? answer.message : "",
    }[answer.kind];
    update();
    if (answer.kind !== "changed") return;
    scrollTo(0, 0);
    document.getElementById("keep")?.focus();
  }
}

async function post<What>(
  address: string,
  body: object,
  signal: AbortSignal | null = null,
): Promise<What | Extract<Trouble, { kind: "refused" }>> {
  const headers = { "content-type": "application/json" };
  try {
    const request = { method: "POST", headers, body: JSON.stringify(body), signal };
    return (await (await fetch(address, request)).json()) as What;
  } catch {
    return { kind: "refused", message: pageEnded };
  }
}
