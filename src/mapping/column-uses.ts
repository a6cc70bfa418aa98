import type { ColumnUse } from "../model/finding.ts";
import { createColumns } from "./columns.ts";
import { compileTemplate } from "./compile-template.ts";
import type { ConditionSpec } from "./condition-schema.ts";
import { blocksOfSpec, type EventNameSpec, type MappingSpec, type MemberSpec } from "./schema.ts";
import type { TransformSpec } from "./value-schema.ts";

/** One place of a mapping that reads a column. */
type Use = Omit<ColumnUse, "column" | "index">;

/**
 * The columns whose cells go into an event or an ordering key, and how they are used. A column that only
 * a condition reads is left out: nothing of it is sent.
 */
export function findColumnUses(spec: MappingSpec, columns: readonly string[]): ColumnUse[] {
  const known = createColumns(columns);
  const nothings = [...spec.nullValues, ...spec.clearValues];
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
      ...(isItself && ["integer", "number", "decimal"].includes(type)
        ? { asNumber: true as const }
        : {}),
      ...(isPadded(given.transform) ? { isPadded: true as const } : {}),
      knownCells: new Set([...nothings, ...Object.keys(map ?? {})]),
    };
    for (const name of given.columns ?? []) add(name, use);
    if (given.column !== undefined) {
      const member = memberName === undefined ? {} : { member: { name: memberName, spec: given } };
      add(given.column, { ...use, ...member });
    }
    if (template === undefined) return;
    for (const { name, transforms } of compileTemplate(template, known, () => {}).inserts) {
      add(name, { ...use, keepsSpace: use.keepsSpace && !takesSpace([...transforms]) });
    }
  };

  for (const { event, members } of blocksOfSpec(spec)) {
    if (typeof event !== "string") addCell(event);
    for (const [name, member] of Object.entries(members)) {
      addCell(typeof member === "string" ? { column: member } : member, name);
    }
  }
  for (const part of spec.orderingKey) {
    const { column, transform } = typeof part === "string" ? { column: part } : part;
    const keepsSpace = !takesSpace(transform) && "in_key";
    add(column, { asText: true, keepsSpace, knownCells: new Set(nothings) });
  }

  return [...uses].flatMap(([name, places]) => {
    const found = known.find(name);
    return found.kind === "found" ? [together(name, found.index, places)] : [];
  });
}

/** Of a mapping that is a function: it may use any column in any way, so each counts as text. */
export function allColumnsAsText(columns: readonly string[]): ColumnUse[] {
  return columns.map((column, index) => ({
    column,
    index,
    asText: true,
    byFunction: true as const,
    // A function usually trims what it takes.
    keepsSpace: false,
    knownCells: new Set<string>(),
  }));
}

/** The columns whose cells decide whether a row, an event or a member is sent. */
export function conditionColumns(spec: MappingSpec): string[] {
  const within = (condition: ConditionSpec | undefined): string[] => {
    if (condition === undefined) return [];
    const { column, equals, all = [], any = [], not } = condition;
    const other = typeof equals === "object" ? [equals.column] : [];
    return [
      ...(column === undefined ? [] : [column]),
      ...other,
      ...[...all, ...any, not].flatMap(within),
    ];
  };
  const ofBlocks = blocksOfSpec(spec).flatMap(({ when, members }) => [
    when,
    ...Object.values(members).map((one) => (typeof one === "string" ? undefined : one.when)),
  ]);
  return [spec.when, ...ofBlocks].flatMap(within);
}

function isPadded(transform: TransformSpec | undefined): boolean {
  return [transform].flat().some((step) => typeof step === "object" && "pad_start" in step);
}

/** Whether a transform leaves no space around a text. */
function takesSpace(transform: TransformSpec | undefined): boolean {
  return [transform]
    .flat()
    .some((step) =>
      typeof step === "object"
        ? step.split !== undefined || step.pad_start !== undefined
        : step === "trim" || step === "collapse_spaces",
    );
}

function together(column: string, index: number, uses: readonly Use[]): ColumnUse {
  const [first = new Set<string>(), ...others] = uses.map(({ knownCells }) => knownCells);
  const knownCells = [...first].filter((cell) => others.every((known) => known.has(cell)));
  const member = uses.find((use) => use.member !== undefined)?.member;
  return {
    column,
    index,
    asText: uses.some(({ asText }) => asText),
    keepsSpace:
      [true, "in_key" as const].find((kept) => uses.some((use) => use.keepsSpace === kept)) ??
      false,
    ...(uses.some(({ asNumber }) => asNumber) ? { asNumber: true } : {}),
    ...(uses.every(({ isPadded }) => isPadded) ? { isPadded: true } : {}),
    knownCells: new Set(knownCells),
    ...(member === undefined ? {} : { member }),
  };
}
