import type { Json } from "../model/event.ts";
import { listed } from "../model/quantities.ts";
import { quote, quoteWhole, type RowProblem } from "../model/row.ts";
import { type Coerce, maxShownValues } from "./coerce.ts";
import { type Columns, isBlank, type Report, type Trace, trimmed, within } from "./columns.ts";
import { type CellReader, compileCell } from "./compile-cell.ts";
import { compileCondition } from "./compile-condition.ts";
import { compileConversion } from "./compile-conversion.ts";
import { compileLookup, type LookupTables, type Table } from "./compile-lookup.ts";
import type { EmptyPolicy, MemberSpec, MetaName } from "./schema.ts";
import { conversionKeys } from "./value-schema.ts";

/** A member of the body, bound to the columns of an input. */
export interface CompiledMember {
  /** The `meta` that it holds, instead of a value from cells. */
  readonly meta?: MetaName;
  /** The value, undefined if the member is left out; problems go to the list. */
  read(cells: readonly string[], problems: RowProblem[]): Json | undefined;
}

/** What a mapping file says for all members. */
export interface MemberContext {
  readonly columns: Columns;
  readonly lookups: LookupTables;
  readonly empty: EmptyPolicy;
}

/** Compiles one member of a mapping, short form or long, against the columns of an input. */
export function compileMember(
  given: string | MemberSpec,
  context: MemberContext,
  report: Report,
): CompiledMember {
  if (typeof given === "string") {
    const reportShort: Report = (_, message) => report([], withFixedTextHint(message, given));
    return { read: compileValue({ column: given }, context, reportShort) };
  }
  if (given.meta !== undefined) return { meta: given.meta, read: () => undefined };
  const read = compileValue(given, context, report);
  if (given.when === undefined) return { read };
  const condition = compileCondition(given.when, context.columns, within(report, "when"));
  const { trace } = context.columns;
  return {
    read(cells, problems) {
      const problemsBefore = problems.length;
      const holds = condition.holds(cells, problems);
      if (problems.length > problemsBefore) return undefined;
      if (holds) return read(cells, problems);
      trace?.step({ by: "when", of: condition.wants });
      return undefined;
    },
  };
}

/** Compiles what a member holds where its condition is true. */
function compileValue(
  spec: MemberSpec,
  context: MemberContext,
  report: Report,
): CompiledMember["read"] {
  const { trace } = context.columns;
  if (spec.column === undefined && spec.columns === undefined && spec.template === undefined) {
    const value = (spec.value ?? null) as Json;
    return () => {
      trace?.step({ by: "value", gives: value });
      return value;
    };
  }
  const cell = compileCell(spec, context.columns, report);
  const read = compileFilled(spec, cell, context, report);
  if (context.columns.isClear === undefined) return read;
  return (cells, problems) => {
    const clearing = cell.clearing(cells);
    if (clearing === undefined) return read(cells, problems);
    if (spec.required === true) {
      const message = "is in clear_values, and the mapping requires a value";
      problems.push({ code: "missing_value", ...clearing, message });
      return undefined;
    }
    trace?.step({ by: "column", of: clearing.column, gives: clearing.value });
    trace?.step({ by: "clear_values", gives: null });
    return null;
  };
}

/** Compiles what a member holds where no cell clears it. */
function compileFilled(
  spec: MemberSpec,
  cell: CellReader,
  context: MemberContext,
  report: Report,
): CompiledMember["read"] {
  const { trace } = context.columns;
  const ofBlank = compileBlank(spec, cell, context);
  const otherwise = spec.otherwise as Json | undefined;
  const text = { cell, ofBlank, trace };
  if (spec.map !== undefined) {
    const table = compileMap(spec.map);
    return readText(cell, compileFound(table, { by: "map" }, otherwise, text));
  }
  const convert: OfText = isPlainText(spec)
    ? plainText(ofBlank)
    : compileText(spec, text, compileConversion(spec, context.columns));
  if (spec.lookup === undefined) return readText(cell, convert);
  const table = compileLookup(spec.lookup, context.lookups, within(report, "lookup"));
  const step = { by: "lookup", of: spec.lookup.file } as const;
  return readText(cell, compileFound(table, step, otherwise, text, convert));
}

/** Adds a hint: `source: legacy-crm` may mean the text itself. */
export function withFixedTextHint(message: string, given: string): string {
  if (message.endsWith("?")) return message;
  return `${message}; for this text in every row write { value: ${quoteWhole(given)} }`;
}

/** Whether a cell is at most transformed, as for most members. */
function isPlainText(spec: MemberSpec): boolean {
  const shapes = ["map", "lookup", ...conversionKeys.filter((key) => key !== "type")];
  return (spec.type ?? "string") === "string" && !shapes.some((key) => Object.hasOwn(spec, key));
}

/** Reads a cell, and makes of its text what it becomes. */
export function readText<Value>(
  cell: CellReader,
  become: OfText<Value>,
): (cells: readonly string[], problems: RowProblem[]) => Value | undefined {
  return (cells, problems) => {
    const text = cell.read(cells);
    if (text !== undefined) return become(text, cells, problems);
    problems.push(cell.tooLong(cells));
    return undefined;
  };
}

export function plainText<Value>(ofBlank: OfText<Value>): OfText<Value | string> {
  return (text, cells, problems) => (isBlank(text) ? ofBlank(text, cells, problems) : text);
}

/** What a text becomes; undefined if the member is left out, or if a problem was added to the list. */
export type OfText<Value = Json> = (
  text: string,
  cells: readonly string[],
  problems: RowProblem[],
) => Value | undefined;

interface TextContext<Value = Json> {
  readonly cell: CellReader;
  readonly ofBlank: OfText<Value>;
  readonly trace: Trace | undefined;
}

function compileText(
  spec: MemberSpec,
  { cell, ofBlank, trace }: TextContext,
  convert: Coerce,
): OfText {
  const { type = "string" } = spec;
  return (text, cells, problems) => {
    if (isBlank(text)) return ofBlank(text, cells, problems);
    const coerced = convert(text);
    if (coerced.kind === "value") {
      if (type !== "string") trace?.step({ by: "type", of: type, gives: coerced.value });
      return coerced.value;
    }
    if (coerced.kind === "blank") return ofBlank(text, cells, problems);
    problems.push(cell.problem(cells, coerced.code, coerced.message));
    return undefined;
  };
}

/** What a text becomes that is looked up; `otherwise` if it is not there. */
export function compileFound<Found extends Json, Value extends Json>(
  table: Table<Found>,
  step: { readonly by: "map" | "lookup"; readonly of?: string },
  otherwise: Value | undefined,
  { cell, ofBlank, trace }: TextContext<Value>,
  become?: (found: Found, cells: readonly string[], problems: RowProblem[]) => Value | undefined,
): OfText<Value | Found> {
  return (text, cells, problems) => {
    const found = table.find(text);
    if (found !== undefined) {
      trace?.step({ ...step, gives: found });
      return become === undefined ? found : become(found, cells, problems);
    }
    if (isBlank(text)) return ofBlank(text, cells, problems);
    if (otherwise === undefined) {
      problems.push(cell.problem(cells, "unknown_value", table.notFound));
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

/** The `map` of a member, or of the kind of event. Space around a text does not matter, as in conditions and lookups. */
export function compileMap<Value>(values: Readonly<Record<string, Value>>): Table<Value> {
  const byText = new Map(Object.entries(values).map(([text, value]) => [text.trim(), value]));
  const shown = listed([...byText.keys()], maxShownValues, quote);
  return {
    find: (text) => byText.get(trimmed(text)),
    notFound: `is not in the mapping's map (${shown})`,
  };
}
