import { count, grouped, sum } from "../../model/quantities.ts";
import type { ColumnCells } from "../../run/check/count-cells.ts";
import { setAt } from "../edit-yaml.ts";
import {
  blankedBy,
  blankStep,
  type Keys,
  type Kind,
  keysOfSteps,
  type Member,
  stepsOf,
  textOf,
} from "../mapping-table.ts";
import {
  counted,
  formatKeys,
  formatsOf,
  kinds,
  listSigns,
  otherFraction,
  wordsOf,
} from "../ways.ts";
import { button, h } from "./dom.ts";
import type { PageState } from "./page-state.ts";

/** What is shown of a member; for all else there is the file. */
const shownKeys = new Set(
  "column type format transform map otherwise default required empty decimal_separator thousands_separator min max true_values false_values separator items timezone".split(
    " ",
  ),
);

const itemTypes = (["integer", "number", "date", "boolean"] as const).map(
  (kind) => [kind, kinds[kind].label] as const,
);

/** How a column is read: choices with the numbers of cells that they read, below its line. */
export function editorOf(page: PageState, cells: ColumnCells, member: Member): HTMLElement {
  const { kind, spec, path, name } = member;
  const { column, values, hasMore } = cells;
  const steps = stepsOf(member);
  const known = page.known(column);
  const set = (keys: Keys) => page.set(member, keys);
  const numberOf = (keys: Keys, what: "reads" | "misfits") => {
    const found = counted(member, keys, known);
    return found && "reads" in found ? found[what] : undefined;
  };

  const parts: Readonly<Record<Kind, readonly (() => HTMLElement)[]>> = {
    ...{ text: [], email: [], url: [], json: [], other: [], date: [], datetime: [zone] },
    ...{ integer: [bounds], number: [bounds], decimal: [bounds] },
    ...{ boolean: [words], choice: [choices], list: [items] },
  };
  return h(
    "div",
    kinds[kind].legend && chips(),
    ...parts[kind].map((part) => part()),
    blank(),
    inFile(),
  );

  /** The ways to read its cells, with those that would help in amber. */
  function chips(): HTMLElement {
    const now = numberOf({}, "misfits") ?? 0;
    const seen = new Set<number>();
    const shown = (kinds[kind].choices?.(member) ?? []).flatMap(
      ({ label, note, isOn, keys, alone, isRare }) => {
        const gain = now === 0 || isOn ? 0 : now - (numberOf(keys, "misfits") ?? now);
        const cells = alone ? numberOf(alone, "reads") : gain > 0 ? gain : countIn(keys);
        // Nor one that reads as many as one that is shown: the same ones.
        if (isRare && !isOn && (!cells || seen.has(cells))) return [];
        seen.add(cells ?? 0);
        const one = button(label, () => set(keys), {
          className: gain > 0 ? "chip would" : "chip",
          ariaPressed: String(isOn),
        });
        if (note !== "") one.append(" ", h("span.quiet", note));
        if (cells !== undefined)
          one.append(" ", h("b", { title: count(cells, "cell") }, grouped(cells)));
        return [one];
      },
    );
    const [legend, note] = kinds[kind].legend ?? ["", ""];
    return fieldset(legend, note, row(...shown, ...others()));
  }

  /** Of a list, the cells that hold its separator. */
  function countIn({ separator }: Keys): number | undefined {
    if (kind !== "list" || hasMore) return undefined;
    return sum(values.flatMap(([text, times]) => (text.includes(String(separator)) ? times : [])));
  }

  function others(): HTMLElement[] {
    const of = (
      placeholder: string,
      label: string,
      value: string,
      keysOf: (typed: string) => Keys,
    ) => [field(placeholder, value, (input) => tryKeys(input, keysOf(input.value)), label)];
    if (kind === "date" || kind === "datetime") {
      const label = "Another way to write dates, such as dd.MM.yyyy";
      return of("another way…", label, "", (typed) => formatKeys([...formatsOf(member), typed]));
    }
    if (kind !== "list") return [];
    const separator = textOf(spec.separator);
    const own = listSigns.some(([sign]) => sign === separator) ? "" : separator;
    return of("something else…", "Another separator", own, (typed) => ({
      separator: typed || separator,
    }));
  }

  function zone(): HTMLElement {
    const zoneOf = (input: HTMLInputElement) =>
      tryKeys(input, { timezone: input.value || undefined });
    return fieldset(
      "Times without a zone are those of",
      "",
      row(field("UTC", textOf(spec.timezone), zoneOf, "Time zone")),
    );
  }

  function bounds(): HTMLElement {
    const bound = (key: "min" | "max", label: string) => {
      const change = (input: HTMLInputElement) =>
        tryKeys(input, {
          [key]: input.value === "" ? undefined : Number(input.value.replace(",", ".")),
        });
      return h("label", `${label} `, field("", textOf(spec[key]), change));
    };
    return fieldset("It has to be", "", row(bound("min", "from"), bound("max", "to")));
  }

  function words(): HTMLElement {
    const had = wordsOf(member);
    const blanks = steps.flatMap(blankedBy);
    const own = steps.filter((step) => blankedBy(step).length === 0);
    const folded = new Map<string, number>();
    for (const [cell, times] of values) {
      const word = cell.toLowerCase();
      folded.set(word, (folded.get(word) ?? 0) + times);
    }
    const lines = [...folded].flatMap(([word, times]) => {
      const others = (all: readonly string[]) => all.filter((one) => one.toLowerCase() !== word);
      const sides = { blank: blanks, yes: had.yes, no: had.no };
      const has = Object.entries(sides).find(([, all]) => others(all).length < all.length);
      const now = has?.[0];
      const choose = (meaning: string) => {
        const [blank = [], yes = [], no = []] = Object.entries(sides).map(([side, all]) =>
          side === meaning ? [...others(all), word] : others(all),
        );
        // No list may be empty: then the usual words count.
        const some = yes.length > 0 && no.length > 0;
        const lists = { true_values: some ? yes : undefined, false_values: some ? no : undefined };
        set({ ...lists, ...keysOfSteps(blank.length > 0 ? [blankStep(blank), ...own] : own) });
      };
      return line(
        word,
        times,
        now === undefined,
        segment(`What ${word} means`, ["yes", "no", "blank"], now, choose),
      );
    });
    return fieldset(
      "Which words mean yes, which mean no?",
      "upper and lower case are the same",
      tooMany() ?? h("div.words", ...lines),
    );
  }

  function choices(): HTMLElement {
    const map: Readonly<Record<string, unknown>> = Object(spec.map);
    const folded = new Map(Object.keys(map).map((code) => [code, 0]));
    for (const [cell, times] of values) {
      const lower = steps.includes("lowercase") ? cell.toLowerCase() : cell;
      const code = steps.includes("uppercase") ? lower.toUpperCase() : lower;
      folded.set(code, (folded.get(code) ?? 0) + times);
    }
    const lines = [...folded].flatMap(([code, times]) => {
      const becomes = Object.hasOwn(map, code) ? textOf(map[code]) : "";
      const change = ({ value }: HTMLInputElement) =>
        page.edit(setAt(page.text(), [...path, "map", code], value || undefined));
      return line(code, times, becomes === "", field("to fix", becomes, change, `${code} becomes`));
    });
    const others = field(
      "to fix",
      textOf(spec.otherwise),
      ({ value }) => set({ otherwise: value || undefined }),
      "Any other cell becomes",
    );
    const other = line("any other cell", undefined, false, others);
    return fieldset("What each cell becomes", "", tooMany() ?? h("div.words", ...lines, ...other));
  }

  function items(): HTMLElement {
    const { type = "string" } = Object(spec.items);
    const isThere = Object.hasOwn(spec, "items");
    const choose = ({ target }: Event) => {
      const chosen = (target as HTMLSelectElement).value;
      const [at, value] = isThere ? [["items", "type"], chosen] : [["items"], { type: chosen }];
      page.edit(setAt(page.text(), [...path, ...at], value));
    };
    const options = [["string", "Text"] as const, ...itemTypes].map(([value, label]) =>
      h("option", { value, selected: value === type }, label),
    );
    const select = h(
      "select",
      { value: type, onchange: choose, ariaLabel: "Type of an item" },
      ...options,
    );
    return fieldset("Each item is", "", row(select));
  }

  function blank(): HTMLElement {
    const ofFile = page.table()?.empty ?? "omit";
    const policy = textOf(spec.empty) || ofFile;
    const now =
      spec.default !== undefined
        ? undefined
        : spec.required === "true"
          ? "the row is not ready"
          : { omit: "leave the field out", null: "send null" }[policy];
    const none = { default: undefined, required: undefined, empty: undefined };
    const of: Readonly<Record<string, Keys>> = {
      "leave the field out": { ...none, empty: ofFile === "omit" ? undefined : "omit" },
      "send null": { ...none, empty: ofFile === "null" ? undefined : "null" },
      "the row is not ready": { ...none, required: true },
    };
    const segments = segment("If the cell is blank", Object.keys(of), now, (choice) =>
      set(of[choice] ?? none),
    );
    const value = field("a value", textOf(spec.default), (input) =>
      tryKeys(input, {
        ...none,
        default: input.value === "" ? undefined : typedValue(input.value),
      }),
    );
    return fieldset("If the cell is blank", "", row(segments, h("label", "or send ", value)));
  }

  /** What a person has typed, as a value of the member's type. */
  function typedValue(typed: string): unknown {
    if (kind === "boolean")
      return /^(yes|true)$/i.test(typed) ? true : /^(no|false)$/i.test(typed) ? false : typed;
    try {
      return ["integer", "number", "list", "json", "choice"].includes(kind)
        ? JSON.parse(typed)
        : typed;
    } catch {
      return typed;
    }
  }

  function inFile(): HTMLElement | undefined {
    const keys = Object.keys(spec).filter((key) => !shownKeys.has(key));
    const isKnown = (step: unknown) =>
      typeof step === "string" ||
      blankedBy(step).length > 0 ||
      JSON.stringify(step) === JSON.stringify(otherFraction(member));
    if (!steps.every(isKnown)) keys.push("transform");
    if (keys.length === 0) return undefined;
    return h(
      "p.quiet",
      `${keys.join(", ")}: `,
      button("set in the file", () => page.goTo(name), { className: "link" }),
    );
  }

  function tooMany(): HTMLElement | undefined {
    return hasMore ? h("p.quiet", "There are too many different cells to list them.") : undefined;
  }

  /** Tries keys before they stand in the text: what no mapping may say is said at the field. */
  async function tryKeys(input: HTMLInputElement, keys: Keys): Promise<void> {
    page.known(column).count({ path, keys });
    await page.counted();
    const counted = page.known(column).count({ path, keys });
    const problem = counted && "problem" in counted ? counted.problem : "";
    input.setCustomValidity(problem);
    if (problem === "") set(keys);
    else input.reportValidity();
  }
}

function fieldset(
  legend: string,
  note: string,
  ...content: readonly (Node | undefined)[]
): HTMLElement {
  return h(
    "fieldset",
    h("legend", legend, note !== "" && " ", note !== "" && h("span.quiet", note)),
    ...content,
  );
}

function row(...content: readonly (Node | false)[]): HTMLElement {
  return h("div.row", ...content);
}

function segment(
  label: string,
  choices: readonly string[],
  now: string | undefined,
  choose: (choice: string) => void,
): HTMLElement {
  const buttons = choices.map((choice) =>
    button(choice, () => choose(choice), { className: "", ariaPressed: String(choice === now) }),
  );
  return h("span", { className: "seg", role: "group", ariaLabel: label }, ...buttons);
}

function field(
  placeholder: string,
  value: string,
  change: (input: HTMLInputElement) => void,
  ariaLabel?: string,
): HTMLElement {
  const onchange = ({ target }: Event) => change(target as HTMLInputElement);
  const oninput = ({ target }: Event) => (target as HTMLInputElement).setCustomValidity("");
  return h("input", {
    placeholder,
    value,
    onchange,
    oninput,
    ...(ariaLabel === undefined ? {} : { ariaLabel }),
  });
}

/** A cell with how often it is there and what it becomes. */
function line(
  cell: string,
  times: number | undefined,
  isNew: boolean,
  control: HTMLElement,
): HTMLElement[] {
  const often = times === undefined ? "" : count(times, "cell");
  return [h("code", { className: isNew ? "new" : "" }, cell), h("span.quiet.num", often), control];
}
