import { parse } from "yaml";
import type { Finding } from "../model/finding.ts";
import { count, grouped, sum } from "../model/quantities.ts";
import type { ProblemGroup } from "../run/check/group-problems.ts";
import type { Checked } from "./contract.ts";
import type { Path } from "./edit-yaml.ts";
import {
  blankStep,
  type Keys,
  type Kind,
  keysOfKind,
  keysOfSteps,
  type MappingTable,
  type Member,
  stepsOf,
  textOf,
} from "./mapping-table.ts";
import { bestChoice, bestKeys, counted, type Known, kinds, meaningOf, wordsOf } from "./ways.ts";

/** A problem as a person sees it: what is wrong, and what helps. */
export interface Card {
  /** Of the same problem the same, also after a check. */
  readonly key: string;
  readonly title: string;
  /** Goes on where the title ends. */
  readonly rest?: string;
  /** How many cells it is about. */
  readonly tag?: string;
  readonly why?: string;
  /** The cells that are the reason, with their numbers where they say something. */
  readonly cells: readonly (readonly [cell: string, count: number])[];
  readonly more: number;
  /** The first row of them. */
  readonly row?: number;
  /** The best is the first. */
  readonly fixes: readonly Fix[];
}

export type Fix = {
  readonly label: string;
  /** What it changes, in cells or rows. */
  readonly effect?: string;
  /** What is so once it is done. */
  readonly done: string;
} & (
  | { readonly kind: "keys"; readonly member: Member; readonly within: Path; readonly keys: Keys }
  /** Adds to a list of the file. */
  | { readonly kind: "items"; readonly path: Path; readonly items: readonly unknown[] }
  /** It stays as it is, and is not shown any more. */
  | { readonly kind: "keep" }
  | { readonly kind: "open"; readonly column: string }
);

/** What there is to fix or to look at, what makes most rows invalid first. */
export function cardsOf(
  checked: Checked,
  { members }: MappingTable,
  knownOf: (column: string) => Known,
): Card[] {
  const memberOf = (column: string, wanted: (member: Member) => boolean) => {
    const own = members.filter(({ source, from }) => source === "column" && from === column);
    return own.find(wanted) ?? own[0];
  };
  const groups = checked.problemGroups.map((group) => {
    const isTyped = ({ kind, spec }: Member) => kind !== "text" || spec.required === "true";
    const member = group.column === undefined ? undefined : memberOf(group.column, isTyped);
    return cardOfGroup(group, member, knownOf(group.column ?? ""));
  });
  const findings = checked.findings.map((finding) => {
    if (finding.kind === "last_rows") return cardOfLastRows(finding, checked);
    const member = memberOf(finding.column ?? "", ({ kind }) => kind === "text");
    return cardOfFinding(finding, member, knownOf(finding.column ?? ""));
  });
  const canBeFixed = ({ fixes: [best] }: Card) => best !== undefined && best.kind !== "keep";
  return [...groups, ...findings.toSorted((a, b) => Number(canBeFixed(b)) - Number(canBeFixed(a)))];
}

const maxShown = 3;

function cardOfGroup(group: ProblemGroup, member: Member | undefined, known: Known): Card {
  const { code, column = "", count: all, message } = group;
  const isFlag = member?.kind === "boolean";
  const cells = new Map<string, number>();
  for (const { value = "", count: times } of group.cases) {
    const cell = isFlag ? value.trim().toLowerCase() : value.trim();
    if (cell !== "") cells.set(cell, (cells.get(cell) ?? 0) + times);
  }
  const list = [...cells];
  const shown = list.slice(0, maxShown);
  const isWhole = sum(group.cases.map(({ count: times }) => times)) === all;
  const isBlank = code === "missing_value";
  return {
    key: `${code} ${column}`,
    title: column || count(all, "row"),
    ...(column === "" ? { rest: message ?? "cannot be read" } : { tag: count(all, "cell") }),
    ...(column === ""
      ? {}
      : { why: isBlank ? "Blank, and the row needs it" : whyNot(member, message) }),
    cells: shown,
    more: isBlank ? 0 : all - sum(shown.map(([, times]) => times)),
    row: group.first[0]?.row ?? 1,
    fixes: member === undefined ? [] : fixesOf(group, member, known, isWhole ? list : []),
  };
}

function whyNot(member: Member | undefined, message: string | undefined): string {
  const why = member && kinds[member.kind].whyNot?.(member);
  return why ?? `${message ?? "Cannot be read"}:`;
}

/** @param cells those that are wrong, if all of them are known */
function fixesOf(
  { code, column = "", count: all }: ProblemGroup,
  member: Member,
  known: Known,
  cells: readonly (readonly [cell: string, count: number])[],
): Fix[] {
  const { kind } = member;
  const keysFix = (
    label: string,
    keys: Keys,
    done: string,
    effect = fixes(all),
    within: Path = [],
  ): Fix => ({
    ...{ kind: "keys", label, effect, done, member, keys, within },
  });
  const words = cells.map(([cell]) => cell);
  const leaveOut = (conditions: readonly object[], rows = all): Fix => ({
    ...{
      kind: "items",
      label: "Leave the rows out",
      effect: count(rows, "row"),
      path: when,
      items: conditions,
    },
    done: `${count(rows, "row")} left out.`,
  });
  if (code === "missing_value") {
    return [
      keysFix(
        "Send the rows without it",
        { required: undefined },
        "may be blank.",
        count(all, "row"),
      ),
      leaveOut([{ column, blank: false }]),
    ];
  }
  const asBlank = keysFix(
    all === 1 ? "Count it as blank" : "Count them as blank",
    keysOfSteps([blankStep(words), ...stepsOf(member)]),
    `${all === 1 ? "this cell counts" : `these ${grouped(all)} cells count`} as blank.`,
  );
  const blank = words.length > 0 ? [asBlank] : [];
  const out = words.length > 0 ? [leaveOut([{ column, not_in: words }])] : [];
  const open: Fix = { kind: "open", label: "Choose…", done: "", column };
  const isText = kind === "text" || kind === "email" || kind === "url";
  const asText = keysFix(
    isText ? "Accept any text" : "Make it text",
    keysOfKind("text", {}, known.ofTypes),
    "is text, as it is.",
  );
  if (isText) return [...blank, ...out, asText];
  if (kind === "choice") {
    const keys = Object.fromEntries(words.map((word) => [word, word]));
    const asIs = keysFix(
      "Send them as they are",
      keys,
      "these choices are sent as they are.",
      fixes(all),
      ["map"],
    );
    return [...(words.length > 0 ? [asIs] : []), open, ...blank];
  }
  const [label, keys, done, fixed] = kind === "boolean" ? flagFix() : choiceFix();
  return keys === undefined
    ? [...(fixed === 0 ? blank : []), open, asText]
    : [keysFix(label, keys, done, fixes(fixed)), open, asText];

  type Best = readonly [label: string, keys: Keys | undefined, done: string, fixed: number];

  function choiceFix(): Best {
    const best = bestChoice(member, known);
    if (typeof best === "string") return ["", undefined, "", best === "none" ? 0 : Number.NaN];
    return [best.choice.fix, best.choice.keys, best.choice.done, best.gain];
  }

  function flagFix(): Best {
    const of = (side: "yes" | "no") => words.filter((word) => meaningOf(word) === side);
    const sides = [
      ["yes", of("yes")],
      ["no", of("no")],
    ] as const;
    const said = (verb: (list: readonly string[]) => string, join: string) =>
      sides
        .flatMap(([side, list]) =>
          list.length > 0 ? `${list.join(join)}${verb(list)}${side}` : [],
        )
        .join("; ");
    const [yes, no] = [of("yes"), of("no")];
    const had = wordsOf(member);
    const known = new Set([...yes, ...no]);
    const fixed = sum(cells.flatMap(([word, times]) => (known.has(word) ? times : [])));
    const lists = { true_values: [...had.yes, ...yes], false_values: [...had.no, ...no] };
    const done = said((list) => (list.length > 1 ? " are " : " is "), " and ");
    return [said(() => " = ", ", "), fixed > 0 ? lists : undefined, `${done}.`, fixed];
  }
}

const when: Path = ["when", "all"];

function fixes(cells: number): string {
  return `fixes ${count(cells, "cell")}`;
}

/** What a column of text seems to be, by the kind of the finding. */
const seems: Readonly<Record<string, Kind>> = {
  ...{ mixed_decimals: "number", scientific_numbers: "number", mixed_yes_and_no: "boolean" },
  ...{ mixed_date_forms: "date", mixed_date_order: "date", ambiguous_date_order: "date" },
};

function cardOfFinding(finding: Finding, member: Member | undefined, known: Known): Card {
  const { kind, column, count: all, first, message, suggestion } = finding;
  const done = column === undefined ? "The rows are fine as they are." : "is fine as it is.";
  const keep: Fix = { kind: "keep", label: "Fine as it is", done };
  return {
    key: `${kind} ${column ?? ""}`,
    title: column ?? "",
    ...(column === undefined
      ? { rest: message }
      : { tag: count(all, "cell"), why: message.replace(/^./, (first) => first.toUpperCase()) }),
    cells: [],
    more: 0,
    row: first[0]?.row ?? 1,
    fixes: [...fixOf(), keep],
  };

  function fixOf(): Fix[] {
    const of = (label: string, keys: Keys, effect: string, done: string): Fix[] =>
      member === undefined ? [] : [{ kind: "keys", member, within: [], label, keys, effect, done }];
    if (kind === "null_values" && suggestion !== undefined) {
      const { null_values: cells } = parse(suggestion) as {
        readonly null_values: readonly string[];
      };
      const done = `${cells.join(", ")} ${cells.length > 1 ? "count" : "counts"} as blank.`;
      return [
        {
          ...{ kind: "items", path: ["null_values"], items: cells },
          label: `Count ${cells.join(", ")} as blank`,
          effect: count(all, "cell"),
          done,
        },
      ];
    }
    if (member === undefined || column === undefined) return [];
    if (kind === "surrounding_spaces") {
      return of(
        "Remove the space",
        keysOfSteps(["trim", ...stepsOf(member)]),
        fixes(all),
        "has no space around it.",
      );
    }
    if (kind === "dropped_leading_zeros") {
      return of(
        "Make it text",
        keysOfKind("text", {}, known.ofTypes),
        fixes(all),
        "is text, with its zeros.",
      );
    }
    const seemed = Object.hasOwn(seems, kind) ? seems[kind] : undefined;
    if (seemed === undefined || seemed === "other") return [];
    const found = bestKeys(seemed, column, known);
    const keys = found && keysOfKind(seemed, found, known.ofTypes);
    const then = keys && counted(member, keys, known);
    if (keys === undefined || then === undefined || !("reads" in then)) return [];
    const name = kinds[seemed].label.toLowerCase();
    const of_ = then.misfits === 0 ? "" : ` of ${grouped(then.reads + then.misfits)}`;
    return of(`Read it as ${name}`, keys, `${grouped(then.reads)}${of_} cells`, `is ${name}.`);
  }
}

function cardOfLastRows({ count: rows, first }: Finding, { lastRows, columns }: Checked): Card {
  const conditions = new Map<string, string[]>();
  for (const cells of lastRows) {
    const at = cells.findIndex((cell) => cell.trim() !== "");
    const column = columns[at]?.column ?? "";
    conditions.set(column, [...(conditions.get(column) ?? []), cells[at]?.trim() ?? ""]);
  }
  const [one, it] =
    rows === 1
      ? ["The last row looks like a total", "it"]
      : [`The last ${rows} rows look like totals or notes`, "them"];
  const filled = lastRows.flatMap((cells) => cells.filter((cell) => cell.trim() !== ""));
  const name = textOf(first[0]?.value);
  return {
    key: "last_rows",
    title: one,
    cells: filled.slice(0, maxShown).map((cell) => [cell, 1]),
    more: 0,
    row: first[0]?.row ?? 1,
    fixes: [
      {
        ...{ kind: "items", label: `Leave ${it} out`, effect: count(rows, "row"), path: when },
        items: [...conditions].map(([column, cells]) => ({ column, not_in: cells })),
        done:
          rows === 1
            ? `The last row, ${name}, is left out.`
            : `The last ${rows} rows are left out.`,
      },
      {
        kind: "keep",
        label: `Keep ${it}`,
        done: rows === 1 ? "The last row is kept." : "The last rows are kept.",
      },
    ],
  };
}
