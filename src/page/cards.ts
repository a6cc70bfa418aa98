import { parse } from "yaml";
import type { Finding } from "../model/finding.ts";
import { count, grouped, sum } from "../model/quantities.ts";
import { yesNoMeaning } from "../model/yes-no.ts";
import type { ProblemGroup } from "../run/check/group-problems.ts";
import { blankSteps } from "./blank-steps.ts";
import type { Checked } from "./contract.ts";
import { addingItems, type Change, type Path, settingKeys } from "./edit-yaml.ts";
import {
  asText,
  type Keys,
  keysOfKind,
  keysOfSteps,
  type MappingTable,
  type Member,
  memberKindOf,
  stepsOfMember,
} from "./mapping-table.ts";
import { aboutKinds, bestChoice, counted, flagWordsOf, type KnownCells } from "./ways.ts";

/** A problem as a person sees it: what is wrong, and what helps. */
export interface Card {
  /** Names the problem, also after another check. */
  readonly key: string;
  readonly title: string;
  /** Goes on where the title ends. */
  readonly rest?: string;
  readonly tag?: string;
  readonly why?: string;
  /** The cells that are the reason, with their numbers where they say something. */
  readonly cells: readonly (readonly [cell: string, count: number])[];
  readonly more: number;
  readonly row?: number;
  readonly fixes: readonly Fix[];
}

/** With neither a change nor an editor to open, all stays as it is, and is not shown any more. */
export interface Fix {
  readonly label: string;
  /** What the fix changes, in cells or rows. */
  readonly effect?: string;
  /** What is true once the fix is done. */
  readonly done: string;
  readonly change?: Change;
  readonly opens?: string;
}

/** What there is to fix or to look at, what makes most rows invalid first. */
export function cardsOf(
  checked: Checked,
  { members }: MappingTable,
  knownOf: (column: string) => KnownCells,
): Card[] {
  const groups = checked.problemGroups.map((group) => {
    const own = members.filter(({ source, from }) => source === "column" && from === group.column);
    const isTyped = ({ kind, spec }: Member) => kind !== "text" || spec.required === "true";
    return cardOfGroup(group, own.find(isTyped) ?? own[0], knownOf(group.column ?? ""));
  });
  const findings = checked.findings.map((finding) => {
    if (finding.kind === "last_rows") return cardOfLastRows(finding, checked);
    return cardOfFinding(finding, members, knownOf(finding.column ?? ""));
  });
  const canBeFixed = ({ fixes: [best] }: Card) => best?.change !== undefined;
  return [...groups, ...findings.toSorted((a, b) => Number(canBeFixed(b)) - Number(canBeFixed(a)))];
}

const maxCellsShown = 3;
/** Of a longer cell only the beginning is known. */
const longestWhole = 200;

function cardOfGroup(group: ProblemGroup, member: Member | undefined, known: KnownCells): Card {
  const { code, column = "", count: all, message } = group;
  const isFlag = member?.kind === "boolean";
  const cells = new Map<string, number>();
  for (const { value = "", count: times } of group.cases) {
    const cell = isFlag ? value.trim().toLowerCase() : value.trim();
    if (cell !== "") cells.set(cell, (cells.get(cell) ?? 0) + times);
  }
  const shown = [...cells].slice(0, maxCellsShown);
  const isCut = [...cells.keys()].some((cell) => cell.length > longestWhole);
  const isWhole = sum(group.cases.map(({ count: times }) => times)) === all && !isCut;
  const isBlank = code === "missing_value";
  const whyNot = member && aboutKinds[member.kind].whyNot?.(member);
  return {
    key: `${code} ${column}`,
    title: column || count(all, "row"),
    ...(column === ""
      ? { rest: message ?? "cannot be read" }
      : {
          tag: count(all, "cell"),
          why: isBlank
            ? "Blank, and the row needs it"
            : (whyNot ?? `${message ?? "Cannot be read"}:`),
        }),
    cells: shown,
    more: isBlank ? 0 : all - sum(shown.map(([, times]) => times)),
    row: group.first[0]?.row ?? 1,
    fixes: member === undefined ? [] : fixesOf(group, member, known, isWhole ? [...cells] : []),
  };
}

/** @param cells those that are wrong, if all of them are known */
function fixesOf(
  { code, column = "", count: all }: ProblemGroup,
  member: Member,
  known: KnownCells,
  cells: readonly (readonly [cell: string, count: number])[],
): Fix[] {
  const { kind, path } = member;
  const words = cells.map(([cell]) => cell);
  const setting = (label: string, keys: Keys, done: string, effect = fixes(all)): Fix => {
    return { label, effect, done, change: settingKeys(path, keys) };
  };
  const leaveOut = (condition: object): Fix => {
    const rows = count(all, "row");
    const change = addingItems(whenPath, [condition]);
    return { label: "Leave the rows out", effect: rows, done: `${rows} left out.`, change };
  };
  if (code === "missing_value") {
    const done = "may be blank.";
    return [
      setting("Send the rows without it", { required: undefined }, done, count(all, "row")),
      leaveOut({ column, blank: false }),
    ];
  }
  const asBlank = setting(
    all === 1 ? "Count it as blank" : "Count them as blank",
    keysOfSteps([...blankSteps(words), ...stepsOfMember(member)]),
    `${all === 1 ? "this cell counts" : `these ${grouped(all)} cells count`} as blank.`,
  );
  const ifKnown = (fix: Fix) => (words.length > 0 ? [fix] : []);
  const toText = (label: string) =>
    setting(label, keysOfKind("text", {}, known.ofTypes), "is text, as it is.");
  const choose: Fix = { label: "Choose…", done: "", opens: member.name };
  const best = kind === "boolean" ? bestWords(member, cells) : bestChoice(member, known);
  const fixesBest = () => {
    if (typeof best === "string") return [];
    const { label, fix = label, keys } = best.choice;
    const done = kind === "boolean" ? `${fix}.` : `cells like ${label} are read.`;
    return [setting(fix, keys, done, fixes(best.gain))];
  };
  switch (kind) {
    case "text":
    case "email":
    case "url": {
      // Nothing is offered that may not be the best.
      if (best === "pending") return [];
      const out = leaveOut({ column, not_in: words });
      return [
        ...fixesBest(),
        ...ifKnown(asBlank),
        ...ifKnown(out),
        toText("Accept any text"),
      ].slice(0, 3);
    }
    case "choice": {
      const keys = Object.fromEntries(words.map((word) => [word, word]));
      const done = "these choices are sent as they are.";
      const change = settingKeys([...path, "map"], keys);
      const asIs = { label: "Send them as they are", effect: fixes(all), done, change };
      return [...ifKnown(asIs), choose, ...ifKnown(asBlank)];
    }
    default: {
      const blank = best === "none" ? ifKnown(asBlank) : [];
      return [...fixesBest(), ...blank, choose, toText("Make it text")];
    }
  }
}

/** The words among some cells that mean yes or no in any language, said so. */
function bestWords(member: Member, cells: readonly (readonly [cell: string, count: number])[]) {
  const had = flagWordsOf(member);
  const of = (side: "yes" | "no") => cells.filter(([word]) => yesNoMeaning(word) === side);
  const wordsFor = (side: "yes" | "no") => of(side).map(([word]) => word);
  const gain = sum([...of("yes"), ...of("no")].map(([, times]) => times));
  if (gain === 0) return "none";
  const keys = {
    true_values: [...had.yes, ...wordsFor("yes")],
    false_values: [...had.no, ...wordsFor("no")],
  };
  const label = (["yes", "no"] as const)
    .flatMap((side) => (of(side).length > 0 ? `${wordsFor(side).join(", ")} = ${side}` : []))
    .join("; ");
  return { choice: { label, fix: label, keys }, gain };
}

const whenPath: Path = ["when", "all"];

function fixes(cells: number): string {
  return `fixes ${count(cells, "cell")}`;
}

function cardOfFinding(finding: Finding, members: readonly Member[], known: KnownCells): Card {
  const { kind, column, count: all, first, message } = finding;
  const done = column === undefined ? "The rows are fine as they are." : "is fine as it is.";
  return {
    key: `${kind} ${column ?? ""}`,
    title: column ?? "",
    ...(column === undefined
      ? { rest: message }
      : { tag: count(all, "cell"), why: message.replace(/^./, (first) => first.toUpperCase()) }),
    cells: [],
    more: 0,
    row: first[0]?.row ?? 1,
    fixes: [...fixesOfSuggestion(finding, members, known), { label: "Fine as it is", done }],
  };
}

/** What `check` suggests too, a line for the mapping. */
function fixesOfSuggestion(
  { kind, count: all, suggestion }: Finding,
  members: readonly Member[],
  known: KnownCells,
): Fix[] {
  const suggested: Readonly<Record<string, unknown>> = Object(parse(suggestion ?? ""));
  const items = suggested.null_values as readonly string[] | undefined;
  if (items !== undefined) {
    return [{ ...countingAsBlank(items, all), change: addingItems(["null_values"], items) }];
  }
  const member = members.find(({ name }) => Object.hasOwn(suggested, name));
  if (member === undefined) return [];
  const { path, spec } = member;
  const isNew = ([key, value]: [string, unknown]) => asText(spec[key]) !== asText(value);
  const keys: Keys = Object.fromEntries(
    Object.entries(Object(suggested[member.name])).filter(isNew),
  );
  const seemed = memberKindOf({ ...spec, ...keys });
  const of = (label: string, effect: string, done: string): Fix[] => [
    { label, effect, done, change: settingKeys(path, keys) },
  ];
  if (kind === "surrounding_spaces")
    return of("Remove the space", fixes(all), "has no space around it.");
  if (seemed === "text") return of("Make it text", fixes(all), "is text, with its zeros.");
  const then = counted(member, keys, known);
  if (then === undefined || "problem" in then) return [];
  const name = aboutKinds[seemed].label.toLowerCase();
  const whole = then.misfits === 0 ? "" : ` of ${grouped(then.reads + then.misfits)}`;
  return of(`Read it as ${name}`, `${grouped(then.reads)}${whole} cells`, `is read as ${name}.`);
}

function countingAsBlank(cells: readonly string[], all: number) {
  const words = cells.map((cell) => `“${cell}”`).join(", ");
  const done = `${words} ${cells.length > 1 ? "count" : "counts"} as blank.`;
  return { label: `Count ${words} as blank`, effect: count(all, "cell"), done };
}

function cardOfLastRows({ count: rows, first }: Finding, checked: Checked): Card {
  const { lastRows } = checked;
  const isOne = rows === 1;
  const it = isOne ? "it" : "them";
  const which = isOne ? "The last row" : `The last ${rows} rows`;
  const verb = isOne ? "is" : "are";
  const items = lastRows.map((cells) => conditionWithout(cells, checked));
  const filled = lastRows.flatMap((cells) => cells.filter((cell) => cell.trim() !== ""));
  return {
    key: "last_rows",
    title: isOne ? `${which} looks like a total` : `${which} look like totals or notes`,
    cells: filled.slice(0, maxCellsShown).map((cell) => [cell, 1]),
    more: 0,
    row: first[0]?.row ?? 1,
    fixes: [
      {
        ...{ label: `Leave ${it} out`, effect: count(rows, "row") },
        ...{ done: `${which} ${verb} left out.`, change: addingItems(whenPath, items) },
      },
      { label: `Keep ${it}`, done: `${which} ${verb} kept.` },
    ],
  };
}

/** What every row meets but this one: a word that no other has; else another cell, or one where this has none. */
function conditionWithout(row: readonly string[], checked: Checked) {
  const { columns, lastRows, rows, skippedRows } = checked;
  const named = columns.flatMap((one, at) => {
    return one.column === "" ? [] : [{ ...one, cell: row[at]?.trim() ?? "" }];
  });
  const not = ({ column, cell }: { column: string; cell: string }) => ({ column, not_in: [cell] });
  const word = named.find(({ cell, values }) => {
    return /^\P{N}*\p{L}\P{N}*$/u.test(cell) && values.some((of) => of[0] === cell && of[1] === 1);
  });
  if (word !== undefined) return not(word);
  const blank = named.filter(({ cell }) => cell === "");
  // One that all the others fill is enough.
  const always = blank.find(({ filled }) => filled === rows - skippedRows - lastRows.length);
  const others = always === undefined ? blank : [always];
  return {
    any: [
      ...named.filter(({ cell }) => cell !== "").map(not),
      ...others.map(({ column }) => ({ column, blank: false })),
    ],
  };
}
