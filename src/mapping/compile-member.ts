import type { Json } from "../model/event.ts";
import { quote, type RowProblem } from "../model/row.ts";
import type { Coerce } from "./coerce.ts";
import { type Columns, isBlank, type Trace, trimmed } from "./columns.ts";
import { type CellReader, compileCell, type PartProblem } from "./compile-cell.ts";
import { compileCondition } from "./compile-condition.ts";
import { compileConversion, compileScaled } from "./compile-conversion.ts";
import { compileLookup, type LookupTables } from "./compile-lookup.ts";
import type { EmptyPolicy, MemberSpec, MetaName } from "./schema.ts";
import { isOfBirth } from "./two-digit-years.ts";
import { conversionKeys } from "./value-schema.ts";

/** A member of the body, bound to the columns of an input. */
export type CompiledMember =
  | {
      readonly kind: "cells";
      /** The value, undefined if the member is left out; problems go to the list. */
      read(cells: readonly string[], problems: RowProblem[]): Json | undefined;
    }
  | {
      readonly kind: "meta";
      readonly meta: MetaName;
      /** Whether a row has it; absent if every row does. */
      readonly isWanted?: IsWanted;
    }
  | { readonly kind: "problems"; readonly problems: readonly PartProblem[] };

/** Whether a row has a member. If a cell cannot be compared, its problem goes to the list. */
export type IsWanted = (cells: readonly string[], problems: RowProblem[]) => boolean;

/** What a mapping file says for all members. */
export interface MemberContext {
  readonly columns: Columns;
  readonly lookups: LookupTables;
  readonly empty: EmptyPolicy;
  /** The day of the run, in UTC, such as `2024-05-31`. */
  readonly runDay?: string | undefined;
}

/** The last day that a two-digit year may give; undefined if a member may hold future dates. */
function lastDayOf(name: string, spec: MemberSpec, { runDay }: MemberContext): string | undefined {
  return runDay !== undefined && isOfBirth(name, spec) ? runDay : undefined;
}

/** Compiles one member of a mapping, short form or long, against the columns of an input. */
export function compileMember(
  name: string,
  given: string | MemberSpec,
  context: MemberContext,
): CompiledMember {
  const spec: MemberSpec = typeof given === "string" ? { column: given } : given;
  const member = compileValue(name, given, spec, context);
  if (spec.when === undefined) return member;
  const condition = compileCondition(spec.when, context.columns);
  if (condition.kind === "problems" || member.kind === "problems") {
    const ofCondition = condition.kind === "problems" ? condition.problems : [];
    const ofWhen = ofCondition.map(({ at, message }) => ({ at: ["when", ...at], message }));
    return {
      kind: "problems",
      problems: [...(member.kind === "problems" ? member.problems : []), ...ofWhen],
    };
  }
  const { trace } = context.columns;
  const isWanted: IsWanted = (cells, problems) => {
    const problemsBefore = problems.length;
    const holds = condition.holds(cells, problems);
    if (problems.length > problemsBefore) return false;
    if (!holds) trace?.step({ by: "when", of: condition.wants });
    return holds;
  };
  if (member.kind === "meta") return { ...member, isWanted };
  const { read } = member;
  return {
    kind: "cells",
    read: (cells, problems) => (isWanted(cells, problems) ? read(cells, problems) : undefined),
  };
}

/** Compiles what a member holds where its condition is true. */
function compileValue(
  name: string,
  given: string | MemberSpec,
  spec: MemberSpec,
  context: MemberContext,
): CompiledMember {
  if (spec.meta !== undefined) return { kind: "meta", meta: spec.meta };
  const { trace } = context.columns;
  if (spec.column === undefined && spec.columns === undefined && spec.template === undefined) {
    const value = (spec.value ?? null) as Json;
    const read = () => {
      trace?.step({ by: "value", gives: value });
      return value;
    };
    return { kind: "cells", read };
  }
  const cell = compileCell(spec, context.columns);
  const lookup =
    spec.lookup === undefined ? undefined : compileLookup(spec.lookup, context.lookups);
  if (cell.kind === "problems" || lookup?.kind === "problems") {
    const ofCell = cell.kind === "problems" ? cell.problems : [];
    const ofLookup = lookup?.kind === "problems" ? lookup.problems : [];
    const ofShort = ofCell.map(({ message }) => ({
      at: [],
      message: withFixedTextHint(message, given),
    }));
    return {
      kind: "problems",
      problems: typeof given === "string" ? ofShort : [...ofCell, ...ofLookup],
    };
  }
  const ofBlank = compileBlank(spec, cell, context);
  if (isPlainText(spec)) return { kind: "cells", read: readPlainText(cell, ofBlank) };
  const become =
    spec.map === undefined
      ? compileText(spec, {
          ...{ cell, lookup, ofBlank, trace },
          convert: compileConversion(spec, context.columns, lastDayOf(name, spec, context)),
        })
      : compileMapped(spec.map, spec.otherwise as Json | undefined, { cell, ofBlank, trace });
  return {
    kind: "cells",
    read(cells, problems) {
      const text = cell.read(cells);
      if (text === undefined) {
        problems.push(cell.tooLong(cells));
        return undefined;
      }
      return become(text, cells, problems);
    },
  };
}

/** Adds a hint: `source: legacy-crm` may mean the text itself. */
export function withFixedTextHint(message: string, given: unknown): string {
  const isNear = message.endsWith("?") || typeof given !== "string";
  return isNear ? message : `${message}; for this text in every row write { value: ${given} }`;
}

/** Whether a cell is at most transformed, as for most members. */
function isPlainText(spec: MemberSpec): boolean {
  const shapes = ["map", "lookup", ...conversionKeys.filter((key) => key !== "type")];
  return (spec.type ?? "string") === "string" && !shapes.some((key) => Object.hasOwn(spec, key));
}

function readPlainText(
  cell: CellReader,
  ofBlank: OfText,
): Extract<CompiledMember, { kind: "cells" }>["read"] {
  return (cells, problems) => {
    const text = cell.read(cells);
    if (text === undefined) {
      problems.push(cell.tooLong(cells));
      return undefined;
    }
    return isBlank(text) ? ofBlank(text, cells, problems) : text;
  };
}

/** What a text becomes; undefined if the member is left out, or if a problem was added to the list. */
type OfText = (text: string, cells: readonly string[], problems: RowProblem[]) => Json | undefined;

interface TextContext {
  readonly cell: CellReader;
  readonly ofBlank: OfText;
  readonly trace: Trace | undefined;
}

function compileText(
  spec: MemberSpec,
  context: TextContext & {
    readonly lookup: Extract<ReturnType<typeof compileLookup>, { kind: "lookup" }> | undefined;
    readonly convert: Coerce;
  },
): OfText {
  const { type = "string", lookup: lookupSpec, otherwise: given } = spec;
  const { cell, ofBlank, trace, lookup, convert } = context;
  const traceType = trace && tracedType(spec, trace);
  const converted: OfText = (text, cells, problems) => {
    if (isBlank(text)) return ofBlank(text, cells, problems);
    const coerced = convert(text);
    if (coerced.kind === "value") {
      if (type !== "string") traceType?.(text, coerced.value);
      return coerced.value;
    }
    if (coerced.kind === "blank") return ofBlank(text, cells, problems);
    problems.push(cell.problem(cells, coerced.code, coerced.message));
    return undefined;
  };
  if (lookup === undefined) return converted;
  const otherwise = given as Json | undefined;
  return (text, cells, problems) => {
    if (isBlank(text)) return ofBlank(text, cells, problems);
    const found = lookup.find(text);
    if (found !== undefined) {
      trace?.step({ by: "lookup", of: lookupSpec?.file ?? "", gives: found });
      return converted(found, cells, problems);
    }
    if (otherwise === undefined) {
      problems.push(cell.problem(cells, "unknown_value", lookup.notFound));
    } else trace?.step({ by: "otherwise", gives: otherwise });
    return otherwise;
  };
}

function tracedType(spec: MemberSpec, trace: Trace): (text: string, value: Json) => void {
  const { type = "string", scale } = spec;
  const scaled = compileScaled(spec);
  return (text, value) => {
    if (scale !== undefined) {
      trace.step({ by: "scale", of: String(scale), gives: scaled(trimmed(text)) ?? "" });
    }
    trace.step({ by: "type", of: type, gives: value });
  };
}

function compileMapped(
  map: NonNullable<MemberSpec["map"]>,
  otherwise: Json | undefined,
  { cell, ofBlank, trace }: TextContext,
): OfText {
  const values = compileMap(map);
  return (text, cells, problems) => {
    const value = values.find(text);
    if (value !== undefined) {
      trace?.step({ by: "map", gives: value });
      return value;
    }
    if (isBlank(text)) return ofBlank(text, cells, problems);
    if (otherwise === undefined) {
      problems.push(cell.problem(cells, "unknown_value", values.notInMap));
    } else trace?.step({ by: "otherwise", gives: otherwise });
    return otherwise;
  };
}

function compileBlank(
  spec: MemberSpec,
  cell: CellReader,
  { columns: { trace }, empty: emptyOfFile }: MemberContext,
): OfText {
  const fallback = spec.default as Json | undefined;
  if (fallback !== undefined) {
    return () => {
      trace?.step({ by: "default", gives: fallback });
      return fallback;
    };
  }
  if (spec.required === true) {
    return (_, cells, problems) => {
      problems.push(cell.problem(cells, "missing_value", "is blank, and the mapping requires it"));
      return undefined;
    };
  }
  const empty = spec.empty ?? emptyOfFile;
  const become = becomesEmpty(empty);
  if (trace === undefined) return become;
  return (text) => {
    const value = become(text);
    trace.step({ by: "empty", of: empty, ...(value === undefined ? {} : { gives: value }) });
    return value;
  };
}

function becomesEmpty(empty: EmptyPolicy): (text: string) => Json | undefined {
  switch (empty) {
    case "omit":
      return () => undefined;
    case "null":
      return () => null;
    case "keep":
      return (text) => text;
    default:
      return empty satisfies never;
  }
}

/** The `map` of a member, or of the kind of event. */
export interface CompiledMap<Value> {
  /** What a text becomes. Space around it does not matter, as in conditions and lookups. */
  find(text: string): Value | undefined;
  /** The message for a cell that is not in the map. */
  readonly notInMap: string;
}

const maxShownValues = 10;

export function compileMap<Value>(values: Readonly<Record<string, Value>>): CompiledMap<Value> {
  const byText = new Map(Object.entries(values).map(([text, value]) => [text.trim(), value]));
  const shown = [...byText.keys()].slice(0, maxShownValues).map(quote).join(", ");
  const more = byText.size > maxShownValues ? ", …" : "";
  return {
    find(text) {
      const value = byText.get(text);
      return value === undefined ? byText.get(text.trim()) : value;
    },
    notInMap: `is not in the mapping's map (${shown}${more})`,
  };
}
