import { count, grouped } from "../../model/quantities.ts";
import type { ColumnCells } from "../../run/check/count-cells.ts";
import { setAt } from "../edit-yaml.ts";
import {
  blankStep,
  type Keys,
  type Kind,
  keysOfSteps,
  kinds,
  type Member,
  stepsOf,
  textOf,
} from "../mapping-table.ts";
import {
  areAlike,
  areInOtherOrder,
  dateFormats,
  exampleOf,
  formatKeys,
  formatsOf,
  isWritten,
  listSigns,
  otherFraction,
  wordsOf,
  writingsOf,
} from "../ways.ts";
import { button, h } from "./dom.ts";
import type { PageState } from "./page-state.ts";

/** The steps that change a text first, as a person sees them. */
export const stepLabels = {
  trim: "no space around",
  collapse_spaces: "single spaces",
  lowercase: "lower case",
  uppercase: "UPPER CASE",
  title_case: "Title Case",
  digits_only: "digits only",
};

/** What is shown of a member; for all else there is the file. */
const shownKeys = new Set(
  "column type format transform map otherwise default required empty decimal_separator thousands_separator min max true_values false_values separator items timezone".split(
    " ",
  ),
);

/** How a column is read: choices with the numbers of cells that they read, below its line. */
export function editorOf(page: PageState, cells: ColumnCells, member: Member): HTMLElement {
  const { kind, spec, path, name } = member;
  const { column, values, hasMore } = cells;
  const steps = stepsOf(member);
  const { count: countOf } = page.known(column);
  const groups = page.checked()?.problemGroups ?? [];
  const hasMisfits = groups.some((group) => group.column === column);
  const set = (keys: Keys) => page.set(member, keys);
  const reads = (keys: Keys) => {
    const counted = countOf({ path, keys });
    return counted && "reads" in counted ? counted.reads : undefined;
  };
  const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

  const parts: Readonly<Record<Kind, readonly (() => HTMLElement)[]>> = {
    ...{ text: [tidy], email: [tidy], url: [tidy], json: [], other: [] },
    ...{ integer: [numbers, bounds], number: [numbers, bounds], decimal: [numbers, bounds] },
    ...{
      date: [dates],
      datetime: [dates, zone],
      boolean: [words],
      choice: [choices],
      list: [items],
    },
  };
  return h("div", {}, ...parts[kind].map((part) => part()), blank(), inFile());

  function tidy(): HTMLElement {
    const chips = Object.entries(stepLabels).map(([step, label]) => {
      const isOn = steps.includes(step);
      const others = steps.filter((one) => one !== step);
      const on = step === "trim" ? [step, ...others] : [...others, step];
      return chip(label, isOn, () => set(keysOfSteps(isOn ? others : on)));
    });
    return fieldset("Tidy it first", "", row(...chips));
  }

  function dates(): HTMLElement {
    const formats = formatsOf(member);
    const all = [...new Set([...formats, ...dateFormats(kind)])];
    const chips = all.flatMap((format, at) => {
      const isOn = formats.includes(format);
      const cells = reads({ format });
      const isSeen = all
        .slice(0, at)
        .some((one) => areAlike(one, format) && reads({ format: one }) === cells);
      if (!isOn && at > 3 && (!cells || isSeen)) return [];
      const others = formats.filter((one) => one !== format && !areInOtherOrder(one, format));
      const next = isOn ? others : [...others, format];
      const would = hasMisfits && !isOn && others.length === formats.length;
      const onclick = () => next.length > 0 && set(formatKeys(next));
      return [
        chip(exampleOf(format, kind), isOn, onclick, {
          note: format === "iso" ? "" : format,
          cells,
          would,
        }),
      ];
    });
    const other = field(
      "another way…",
      "",
      (input) => tryKeys(input, formatKeys([...formats, input.value])),
      "Another way to write dates, such as dd.MM.yyyy",
    );
    return fieldset(
      "Dates may be written as",
      "choose one or more; the numbers are cells that each can read",
      row(...chips, other),
    );
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

  function numbers(): HTMLElement {
    const also = otherFraction(member);
    const isAlso = steps.some((step) => same(step, also));
    const own = steps.filter((step) => !same(step, also));
    const chips = writingsOf(kind).map((writing) => {
      const keys = {
        decimal_separator: undefined,
        thousands_separator: undefined,
        ...keysOfSteps(own),
        ...writing.keys,
      };
      const isOn = isWritten(member, writing);
      return chip(writing.example, isOn, () => set(keys), {
        note: writing.note,
        cells: reads(keys),
        would: hasMisfits && (reads(keys) ?? 0) > (reads({}) ?? 0),
      });
    });
    const [without, withAlso] = [reads(keysOfSteps(own)), reads(keysOfSteps([...own, also]))];
    const more = without === undefined || withAlso === undefined ? undefined : withAlso - without;
    const [example, note] =
      spec.decimal_separator === "," ? ["45.00", "a point too"] : ["45,00", "a comma too"];
    const toggle = () => set(keysOfSteps(isAlso ? own : [...own, also]));
    const alsoChip = chip(example, isAlso, toggle, {
      note,
      cells: more,
      would: !isAlso && hasMisfits,
    });
    return fieldset(
      "Numbers are written as",
      "the numbers are cells that each can read",
      row(...chips, kind !== "integer" && alsoChip),
    );
  }

  function bounds(): HTMLElement {
    const bound = (key: "min" | "max", label: string) => {
      const change = (input: HTMLInputElement) =>
        tryKeys(input, {
          [key]: input.value === "" ? undefined : Number(input.value.replace(",", ".")),
        });
      return h("label", {}, `${label} `, field("", textOf(spec[key]), change));
    };
    return fieldset("It has to be", "", row(bound("min", "from"), bound("max", "to")));
  }

  function words(): HTMLElement {
    const had = wordsOf(member);
    const folded = new Map<string, number>();
    for (const [cell, times] of values)
      folded.set(cell.toLowerCase(), (folded.get(cell.toLowerCase()) ?? 0) + times);
    const lines = [...folded].flatMap(([word, times]) => {
      const isBlank = isBlanked(word);
      const now = isBlank
        ? "blank"
        : had.yes.some((one) => one.toLowerCase() === word)
          ? "yes"
          : had.no.some((one) => one.toLowerCase() === word)
            ? "no"
            : undefined;
      const choose = (meaning: string) => {
        const [yes, no] = (["yes", "no"] as const).map((side) => [
          ...had[side].filter((one) => one.toLowerCase() !== word),
          ...(meaning === side ? [word] : []),
        ]);
        const blanks = blanked().filter((one) => one !== word);
        if (meaning === "blank") blanks.push(word);
        const own = steps.filter((step) => !isBlankStep(step));
        const all = blanks.length > 0 ? [blankStep(blanks), ...own] : own;
        const lists = yes?.length && no?.length ? { true_values: yes, false_values: no } : {};
        set({ ...lists, ...keysOfSteps(all) });
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
      tooMany() ?? h("div", { className: "words" }, ...lines),
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
    return fieldset(
      "What each cell becomes",
      "",
      tooMany() ?? h("div", { className: "words" }, ...lines, ...other),
    );
  }

  function items(): HTMLElement {
    const separator = textOf(spec.separator);
    const chips = listSigns.map(([sign, label]) => {
      const cells = hasMore
        ? undefined
        : values.reduce((all, [text, times]) => all + (text.includes(sign) ? times : 0), 0);
      return chip(
        sign === "\n" ? label : sign,
        separator === sign,
        () => set({ separator: sign }),
        { note: sign === "\n" ? "" : label, cells },
      );
    });
    const own = listSigns.some(([sign]) => sign === separator) ? "" : separator;
    const other = field(
      "something else…",
      own,
      (input) => tryKeys(input, { separator: input.value || separator }),
      "Another separator",
    );
    const { type = "text" } = Object(spec.items);
    const choose = () =>
      page.edit(
        setAt(
          page.text(),
          Object.hasOwn(spec, "items") ? [...path, "items", "type"] : [...path, "items"],
          Object.hasOwn(spec, "items") ? select.value : { type: select.value },
        ),
      );
    const select = h(
      "select",
      { value: type, onchange: choose, ariaLabel: "Type of an item" },
      ...(["text", "integer", "number", "date", "boolean"] as const).map((one) =>
        h("option", { value: one === "text" ? "string" : one, selected: one === type }, kinds[one]),
      ),
    );
    return h(
      "div",
      {},
      fieldset("Between the items stands", "", row(...chips, other)),
      fieldset("Each item is", "", row(select)),
    );
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
    return fieldset("If the cell is blank", "", row(segments, h("label", {}, "or send ", value)));
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
      typeof step === "string" || isBlankStep(step) || same(step, otherFraction(member));
    if (!steps.every(isKnown)) keys.push("transform");
    if (keys.length === 0) return undefined;
    return h(
      "p",
      { className: "quiet" },
      `${keys.join(", ")}: `,
      button("set in the file", () => page.goTo(name), { className: "link" }),
    );
  }

  function isBlankStep(step: unknown): step is ReturnType<typeof blankStep> {
    const { replace } = Object(step);
    return replace?.with === "" && String(replace.pattern).startsWith("^\\s*(?:");
  }
  function isBlanked(cell: string): boolean {
    return steps.some((step) => isBlankStep(step) && new RegExp(step.replace.pattern).test(cell));
  }
  function blanked(): string[] {
    return [...new Set(values.map(([cell]) => cell.toLowerCase()))].filter(isBlanked);
  }

  function tooMany(): HTMLElement | undefined {
    return hasMore
      ? h("p", { className: "quiet" }, "There are too many different cells to list them.")
      : undefined;
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
    {},
    h(
      "legend",
      {},
      legend,
      note !== "" && " ",
      note !== "" && h("span", { className: "quiet" }, note),
    ),
    ...content,
  );
}

function row(...content: readonly (Node | false)[]): HTMLElement {
  return h("div", { className: "row" }, ...content);
}

interface ChipOptions {
  readonly note?: string;
  readonly cells?: number | undefined;
  /** Whether it would read cells that nothing reads. */
  readonly would?: boolean;
}

function chip(
  label: string,
  isOn: boolean,
  onclick: () => void,
  { note = "", cells, would = false }: ChipOptions = {},
): HTMLElement {
  const helps = would && cells !== undefined && cells > 0;
  const one = button(label, onclick, {
    className: helps ? "chip would" : "chip",
    ariaPressed: String(isOn),
  });
  if (note !== "") one.append(" ", h("span", { className: "quiet" }, note));
  if (cells !== undefined) one.append(" ", h("b", { title: count(cells, "cell") }, grouped(cells)));
  return one;
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
  return [
    h("code", { className: isNew ? "new" : "" }, cell),
    h("span", { className: "quiet num" }, often),
    control,
  ];
}
