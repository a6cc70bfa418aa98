import type { ColumnUse } from "../model/finding.ts";
import { nullSigns, nullTexts, nullWordsOfPrograms } from "../model/null-words.ts";
import { type Columns, createColumns } from "./columns.ts";
import { compileTemplate } from "./compile-template.ts";
import { blocksOfSpec, type MappingSpec, type MemberSpec } from "./schema.ts";
import { compileTransform } from "./transform.ts";
import type { TransformSpec } from "./value-schema.ts";

type Use = Omit<ColumnUse, "index">;

/**
 * The columns whose cells go into an event or an ordering key, and how they are used. A column that only
 * a condition reads is left out: nothing of it is sent.
 */
export function findColumnUses(spec: MappingSpec, columns: readonly string[]): ColumnUse[] {
  const known = createColumns(columns);
  const nothings = [...spec.nullValues, ...spec.clearValues];
  const ofKey = spec.orderingKey.map((part): Use => {
    const { column, transform } = typeof part === "string" ? { column: part } : part;
    const keepsSpace = !takesSpace(transform) && "in_key";
    return { column, asText: true, keepsSpace, knownCells: new Set(nothings) };
  });
  const ofEvents = blocksOfSpec(spec).flatMap(({ event, members }) => [
    ...(typeof event === "string" ? [] : usesOf(event, known, nothings)),
    ...Object.entries(members).flatMap(([name, member]) =>
      usesOf(typeof member === "string" ? { column: member } : member, known, nothings, name),
    ),
  ]);
  const uses = new Map<string, Use[]>();
  for (const use of [...ofEvents, ...ofKey]) {
    uses.set(use.column, [...(uses.get(use.column) ?? []), use]);
  }
  return [...uses].flatMap(([name, places]) => {
    const found = known.find(name);
    return found.kind === "found" ? [mergeUses(name, found.index, places)] : [];
  });
}

const nullCells = [...nullWordsOfPrograms, ...nullSigns, ...nullTexts];

function usesOf(
  given: MemberSpec,
  known: Columns,
  nothings: readonly string[],
  name?: string,
): Use[] {
  const { type = "string", transform, map, lookup, column, template } = given;
  const isItself = map === undefined && lookup === undefined;
  const isText = type === "string" && isItself;
  const apply = compileTransform(transform);
  const madeBlank = apply === undefined ? [] : nullCells.filter((cell) => apply(cell) === "");
  const use = (column: string, ...steps: readonly (TransformSpec | undefined)[]): Use => ({
    column,
    asText: isText,
    keepsSpace: isText && ![...steps, transform].some(takesSpace),
    ...(isItself && ["integer", "number", "decimal"].includes(type) && { asNumber: true }),
    ...(isPadded(transform) && { isPadded: true }),
    knownCells: new Set([...nothings, ...Object.keys(map ?? {}), ...madeBlank]),
  });
  const member = name === undefined ? {} : { member: { name, spec: given } };
  const inserts = template === undefined ? [] : compileTemplate(template, known).inserts;
  return [
    ...(given.columns ?? []).map((column) => use(column)),
    ...(column === undefined ? [] : [{ ...use(column), ...member }]),
    ...inserts.map(({ name, transforms }) => use(name, [...transforms])),
  ];
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

function isPadded(transform: TransformSpec | undefined): boolean {
  return [transform].flat().some((step) => typeof step === "object" && "pad_start" in step);
}

function takesSpace(transform: TransformSpec | undefined): boolean {
  return [transform]
    .flat()
    .some((step) =>
      typeof step === "object"
        ? step.split !== undefined || step.pad_start !== undefined
        : step === "trim" || step === "collapse_spaces",
    );
}

function mergeUses(column: string, index: number, uses: readonly Use[]): ColumnUse {
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
