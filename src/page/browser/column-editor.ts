import { type Content, type Html, html } from "../../model/look/html.ts";
import { count, grouped, sum } from "../../model/quantities.ts";
import { yesNoMeaning } from "../../model/yes-no.ts";
import type { ColumnCells } from "../../run/check/count-cells.ts";
import { blankedBy, blankSteps } from "../blank-steps.ts";
import { asText, type Keys, keysOfSteps, type Member, stepsOfMember } from "../mapping-table.ts";
import {
  aboutKinds,
  counted,
  flagWordsOf,
  formatKeys,
  formatsOf,
  isChosen,
  listSigns,
} from "../ways.ts";
import { button, field, link } from "./dom.ts";
import type { Page } from "./page.ts";

/** What is shown of a member; for all else there is the file. */
const shownKeys = new Set(
  "column type format transform map otherwise default required empty decimal_separator thousands_separator true_values false_values separator".split(
    " ",
  ),
);

/** How a column is read: choices with the numbers of cells that they read, below its line. */
export function editorOf(page: Page, cells: ColumnCells, member: Member): Html {
  const { kind, spec, path, name } = member;
  const { column, values, hasMore } = cells;
  const steps = stepsOfMember(member);
  const known = page.known(column);
  const set = (keys: Keys) => page.set(path, keys);
  const numberOf = (keys: Keys, what: "reads" | "misfits") => {
    const found = counted(member, keys, known);
    return found && "reads" in found ? found[what] : undefined;
  };
  return html`<div>${aboutKinds[kind].legend && chips()}${kind === "boolean" && words()}${
    kind === "choice" && choices()
  }${blank()}${inFile()}</div>`;

  /** The ways to read its cells, with those that would help in amber. */
  function chips(): Html {
    const now = numberOf({}, "misfits") ?? 0;
    const seen = new Set<number>();
    const shown = (aboutKinds[kind].choices?.(member) ?? []).map(
      ({ label, note, isOn, keys, alone, isRare }) => {
        const gain = now === 0 || isOn ? 0 : now - (numberOf(keys, "misfits") ?? now);
        const cells = alone ? numberOf(alone, "reads") : gain > 0 ? gain : countIn(keys);
        // Nor one that reads as many as one that is shown: the same ones.
        if (isRare && !isOn && (!cells || seen.has(cells))) return false;
        seen.add(cells ?? 0);
        const look = { class: gain > 0 ? "chip would" : "chip", "aria-pressed": String(isOn) };
        const number =
          cells !== undefined && html` <b title="${count(cells, "cell")}">${grouped(cells)}</b>`;
        const text = html`${label}${note && html` <span class="quiet">${note}</span>`}${number}`;
        return button(text, () => set(keys), look);
      },
    );
    const [legend, note] = aboutKinds[kind].legend ?? ["", ""];
    return fieldset(legend, note, html`<div class="row">${shown}${another()}</div>`);
  }

  function countIn({ separator }: Keys): number | undefined {
    if (kind !== "list" || hasMore) return undefined;
    return sum(values.flatMap(([text, times]) => (text.includes(String(separator)) ? times : [])));
  }

  function another(): Content {
    if (kind === "date" || kind === "datetime") {
      const label = "Another way to write dates, such as dd.MM.yyyy";
      const keysOf = (typed: string) => formatKeys([...formatsOf(member), typed]);
      return tried(label, "", keysOf, "another way…");
    }
    if (kind !== "list") return "";
    const separator = asText(spec.separator);
    const own = listSigns.some(([sign]) => sign === separator) ? "" : separator;
    const keysOf = (typed: string) => ({ separator: typed || separator });
    return tried("Another separator", own, keysOf, "something else…");
  }

  function words(): Html {
    const had = flagWordsOf(member);
    const sides = { blank: steps.flatMap(blankedBy), yes: had.yes, no: had.no };
    const own = steps.filter((step) => blankedBy(step).length === 0);
    const lines = timesOf((cell) => cell.toLowerCase()).map(([word, times]) => {
      const others = (all: readonly string[]) => all.filter((one) => one.toLowerCase() !== word);
      const has = Object.entries(sides).find(([, all]) => others(all).length < all.length);
      const choose = (meaning: string) => {
        const [blank = [], yes = [], no = []] = Object.entries(sides).map(([side, all]) =>
          side === meaning ? [...others(all), word] : others(all),
        );
        // No list may be empty: then the usual words count.
        const some = yes.length > 0 && no.length > 0;
        const lists = { true_values: some ? yes : undefined, false_values: some ? no : undefined };
        set({ ...lists, ...keysOfSteps([...blankSteps(blank), ...own]) });
      };
      const meaning = segment(`What ${word} means`, ["yes", "no", "blank"], has?.[0], choose);
      return cellLine(word, times, has === undefined, meaning);
    });
    const legend = "Which words mean yes, which mean no?";
    return fieldset(legend, "upper and lower case are the same", linesOf(lines));
  }

  function choices(): Html {
    const map: Readonly<Record<string, unknown>> = Object(spec.map);
    const folded = timesOf((cell) => {
      const lower = steps.includes("lowercase") ? cell.toLowerCase() : cell;
      return steps.includes("uppercase") ? lower.toUpperCase() : lower;
    });
    const unused = Object.keys(map).filter((code) => folded.every(([one]) => one !== code));
    const all = [...folded, ...unused.map((code) => [code, 0] as const)];
    const lines = all.map(([code, times]) => {
      const becomes = Object.hasOwn(map, code) ? asText(map[code]) : "";
      const change = ({ value }: HTMLInputElement) =>
        page.set([...path, "map", code], value || undefined);
      const control = field(`${code} becomes`, becomes, change, { placeholder: "to fix" });
      return cellLine(code, times, becomes === "", control);
    });
    const change = ({ value }: HTMLInputElement) => set({ otherwise: value || undefined });
    const label = "Any other cell becomes";
    const other = field(label, asText(spec.otherwise), change, { placeholder: "to fix" });
    const last = cellLine("any other cell", undefined, false, other);
    return fieldset("What each cell becomes", "", linesOf([...lines, last]));
  }

  /** The different cells with their numbers, those that count as one added up. */
  function timesOf(fold: (cell: string) => string) {
    const folded = new Map<string, number>();
    for (const [cell, times] of values)
      folded.set(fold(cell), (folded.get(fold(cell)) ?? 0) + times);
    return [...folded];
  }

  function linesOf(lines: readonly Html[]): Html {
    return hasMore
      ? html`<p class="quiet">There are too many different cells to list them.</p>`
      : html`<div class="words">${lines}</div>`;
  }

  function blank(): Html {
    const ofFile = page.state.table?.empty ?? "omit";
    const none = { default: undefined, required: undefined, empty: undefined };
    const policies = { omit: "leave the field out", null: "send null" } as const;
    const required = "the row is not ready";
    const keysOf: Readonly<Record<string, Keys>> = {
      [policies.omit]: { ...none, empty: ofFile === "omit" ? undefined : "omit" },
      [policies.null]: { ...none, empty: ofFile === "null" ? undefined : "null" },
      [required]: { ...none, required: true },
    };
    const policy = policies[(asText(spec.empty) || ofFile) as keyof typeof policies];
    const kept = spec.required === "true" ? required : policy;
    const now = spec.default === undefined ? kept : undefined;
    const legend = "If the cell is blank";
    const choose = (choice: string) => set(keysOf[choice] ?? none);
    const keysWith = (typed: string) => {
      return { ...none, default: typed === "" ? undefined : typedValue(typed) };
    };
    const value = tried("or send", asText(spec.default), keysWith, "a value");
    const segments = segment(legend, Object.keys(keysOf), now, choose);
    return fieldset(
      legend,
      "",
      html`<div class="row">${segments}<label>or send ${value}</label></div>`,
    );
  }

  /** What a person has typed, as a value of the member's type. */
  function typedValue(typed: string): unknown {
    const flag = kind === "boolean" ? yesNoMeaning(typed) : undefined;
    if (flag !== undefined) return flag === "yes";
    if (!["integer", "number", "list", "json", "choice"].includes(kind)) return typed;
    try {
      return JSON.parse(typed);
    } catch {
      return typed;
    }
  }

  function inFile(): Content {
    const isKnown = (step: unknown) =>
      typeof step === "string" || blankedBy(step).length > 0 || isChosen(step, member);
    if (Object.keys(spec).every((key) => shownKeys.has(key)) && steps.every(isKnown)) return "";
    return html`<p class="quiet">More of how it is read is ${link("set in the file", () => page.goTo(name))}.</p>`;
  }

  /** A field whose keys are tried before they stand in the text: what no mapping may say is said at the field. */
  function tried(
    label: string,
    value: string,
    keysOf: (typed: string) => Keys,
    placeholder: string,
  ): Html {
    const change = async (input: HTMLInputElement) => {
      const way = { path, keys: keysOf(input.value) };
      page.known(column).count(way);
      await page.counted();
      const counted = page.known(column).count(way);
      const problem = counted && "problem" in counted ? counted.problem : "";
      input.setCustomValidity(problem);
      if (problem === "") set(way.keys);
      else input.reportValidity();
    };
    return field(label, value, change, { placeholder });
  }
}

function fieldset(legend: string, note: string, content: Content): Html {
  return html`<fieldset><legend>${legend}${note !== "" && html` <span class="quiet">${note}</span>`}</legend>${content}</fieldset>`;
}

function segment(
  label: string,
  choices: readonly string[],
  now: string | undefined,
  choose: (choice: string) => void,
): Html {
  const buttons = choices.map((choice) =>
    button(choice, () => choose(choice), { class: false, "aria-pressed": String(choice === now) }),
  );
  return html`<span class="seg" role="group" aria-label="${label}">${buttons}</span>`;
}

function cellLine(cell: string, times: number | undefined, isNew: boolean, control: Html): Html {
  const often = times !== undefined && count(times, "cell");
  return html`<code${isNew && html` class="new"`}>${cell}</code><span class="quiet num">${often}</span>${control}`;
}
