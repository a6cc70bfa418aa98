import type { ColumnUse } from "../model/column-use.ts";
import { isRecord, type YamlFinding, type YamlPath } from "../model/yaml-document.ts";
import { type ColumnLookup, createColumns } from "./columns.ts";
import { compileTemplate } from "./compile-cell.ts";
import { orFixed } from "./compile-member.ts";
import type { ConditionSpec, EventNameSpec, MappingSpec, MemberSpec } from "./schema.ts";
import type { TransformSpec } from "./value-schema.ts";

/** One place of a mapping that reads a column. */
type Use = Omit<ColumnUse, "column" | "index">;

/**
 * The columns whose cells go into an event or an `ordering_key` key, with what becomes of them. A column
 * that only a condition looks at is none of them: nothing of it is sent.
 */
export function findColumnUses(spec: MappingSpec, columns: readonly string[]): ColumnUse[] {
  const known = createColumns(columns);
  const nothings = spec.nullValues;
  const uses = new Map<string, Use[]>();
  const add = (name: string, use: Use) => {
    const known = uses.get(name);
    if (known === undefined) uses.set(name, [use]);
    else known.push(use);
  };

  const addCell = (given: MemberSpec | EventNameSpec, memberName?: string) => {
    const type = "type" in given ? (given.type ?? "string") : "string";
    const { map, template } = given;
    const lookup = "lookup" in given ? given.lookup : undefined;
    const isItself = map === undefined && lookup === undefined;
    const use = {
      asText: type === "string" && isItself,
      keepsSpace: type === "string" && isItself && !takesSpace(given.transform),
      ...(isItself && makesNumber(type) ? { asNumber: true as const } : {}),
      knownCells: new Set([...nothings, ...Object.keys(map ?? {})]),
    };
    for (const name of given.columns ?? []) add(name, use);
    if (given.column !== undefined) {
      const member = memberName === undefined ? {} : { member: { name: memberName, spec: given } };
      add(given.column, { ...use, ...member });
    }
    const compiled = template === undefined ? undefined : compileTemplate(template, known);
    if (compiled?.kind !== "compiled") return;
    for (const name of compiled.columns) add(name, use);
  };

  for (const { event, members } of spec.events) {
    if (typeof event !== "string") addCell(event);
    for (const [name, member] of Object.entries(members)) {
      addCell(typeof member === "string" ? { column: member } : member, name);
    }
  }
  for (const name of spec.orderingColumns) {
    add(name, { asText: true, keepsSpace: true, knownCells: new Set(nothings) });
  }

  return [...uses].flatMap(([name, places]) => {
    const found = known.find(name);
    return found.kind === "found" ? [together(name, found.index, places)] : [];
  });
}

function makesNumber(type: string): boolean {
  return type === "integer" || type === "number" || type === "decimal";
}

/** The columns whose cells decide whether a row, or an event of it, is sent. */
export function conditionColumns({ when, events }: MappingSpec): string[] {
  const within = (condition: ConditionSpec | undefined): string[] => {
    if (condition === undefined) return [];
    const { column, all = [], any = [], not } = condition;
    return [...(column === undefined ? [] : [column]), ...[...all, ...any, not].flatMap(within)];
  };
  return [when, ...events.map((event) => event.when)].flatMap(within);
}

/** Whether a transform leaves no space around a text. */
function takesSpace(transform: TransformSpec | undefined): boolean {
  return [transform].flat().some((step) => step === "trim" || step === "collapse_spaces");
}

function together(column: string, index: number, uses: readonly Use[]): ColumnUse {
  const [first = new Set<string>(), ...others] = uses.map(({ knownCells }) => knownCells);
  const knownCells = [...first].filter((cell) => others.every((known) => known.has(cell)));
  const member = uses.find((use) => use.member !== undefined)?.member;
  return {
    column,
    index,
    asText: uses.some(({ asText }) => asText),
    keepsSpace: uses.some(({ keepsSpace }) => keepsSpace),
    ...(uses.some(({ asNumber }) => asNumber) ? { asNumber: true } : {}),
    knownCells: new Set(knownCells),
    ...(member === undefined ? {} : { member }),
  };
}

/**
 * Looks up the columns that a mapping file names although its form is wrong, so that those which the
 * input does not have are reported together with the rest. A mapping of the right form is compiled
 * instead, which finds the same and more.
 */
export function findColumnProblems(content: unknown, columns: readonly string[]): YamlFinding[] {
  const known = createColumns(columns);
  const column = known.find;
  const inText = (text: unknown, path: YamlPath, find: (text: string) => Lookup): YamlFinding[] => {
    const found = typeof text === "string" && text !== "" ? find(text) : undefined;
    return found?.kind === "problem" ? [{ path, message: found.message }] : [];
  };
  const inList = (list: unknown, path: YamlPath): YamlFinding[] =>
    listOf(list).flatMap((name, at) => inText(name, [...path, at], column));
  /** A member, the kind of event or a condition: whatever says where a cell is. */
  const inCell = (cell: unknown, path: YamlPath): YamlFinding[] => {
    if (!isRecord(cell)) return [];
    const fill = (template: string) => compileTemplate(template, known);
    return [
      ...inText(cell.column, [...path, "column"], column),
      ...inList(cell.columns, [...path, "columns"]),
      ...inText(cell.template, [...path, "template"], fill),
    ];
  };
  const inCondition = (condition: unknown, path: YamlPath): YamlFinding[] => {
    if (!isRecord(condition)) return [];
    const several = ["all", "any"].flatMap((key) =>
      listOf(condition[key]).flatMap((one, at) => inCondition(one, [...path, key, at])),
    );
    return [
      ...inCell(condition, path),
      ...several,
      ...inCondition(condition.not, [...path, "not"]),
    ];
  };
  const inBlock = (block: unknown, path: YamlPath): YamlFinding[] => {
    if (!isRecord(block)) return [];
    const members = isRecord(block.members) ? Object.entries(block.members) : [];
    return [
      ...inCondition(block.when, [...path, "when"]),
      ...inCell(block.event, [...path, "event"]),
      ...members.flatMap(([name, member]) => {
        const place = [...path, "members", name];
        if (typeof member !== "string") return inCell(member, place);
        const found = inText(member, place, column);
        return found.map((one) => ({ ...one, message: orFixed(one.message, member) }));
      }),
    ];
  };
  if (!isRecord(content)) return [];
  return [
    ...inList(content.ordering_key, ["ordering_key"]),
    ...inBlock(content, []),
    ...listOf(content.events).flatMap((block, at) => inBlock(block, ["events", at])),
  ];
}

type Lookup = ColumnLookup | { readonly kind: "compiled" };

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
