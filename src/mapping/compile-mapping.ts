import {
  type EventExplanation,
  goneEvent,
  type LoadEvent,
  type MappedRow,
} from "../model/event.ts";
import { type FileProblem, inFileOrder } from "../model/file-problem.ts";
import type { OnKeyFailure } from "../model/outcome.ts";
import type { Row, RowProblem } from "../model/row.ts";
import { createColumns } from "./columns.ts";
import { type Condition, compileCondition, whyLeftOut } from "./compile-condition.ts";
import { type CompiledEvent, compileEvent } from "./compile-event.ts";
import { compileLookups, type LookupTables } from "./compile-lookup.ts";
import { cellsOfKeyIn, compileOrderingKey, readOrderingKey } from "./compile-ordering-key.ts";
import type { LoadedMapping } from "./load-mapping.ts";
import type { NamedInput } from "./mapped-event.ts";

/**
 * Turns a row into its events, or a line of a results file into its one event. Pure: the same row
 * always gives the same events.
 */
export type Mapper = (row: Row) => MappedRow;

/** Explains how the members of a row's events are made; `importedAt` is the instant that the body would have. */
export type ExplainRow = (
  row: Row,
  made: readonly LoadEvent[],
  importedAt: string,
) => readonly EventExplanation[];

export type CompileResult =
  | {
      readonly kind: "compiled";
      readonly mapRow: Mapper;
      /** The ordering key of a row, without the rest of the mapping; undefined if it has none. */
      readonly keyOf: ((cells: readonly string[]) => string | undefined) | undefined;
      readonly onKeyFailure: OnKeyFailure;
      /** The cells of a row of which nothing but its ordering key is known. */
      readonly cellsOfKey: (key: string) => readonly string[];
      /** Undefined if a function makes the members. */
      readonly explain: ExplainRow | undefined;
    }
  | { readonly kind: "invalid"; readonly problems: readonly FileProblem[] };

/**
 * Binds a mapping to the columns of an input, so that no row needs a lookup by name. Columns that the
 * input lacks, or has twice, are all reported at once.
 */
export function compileMapping(
  mapping: LoadedMapping,
  columns: readonly string[],
  input: NamedInput,
  lookups: LookupTables = new Map(),
): CompileResult {
  const { spec, problemOf } = mapping;
  const problems = [...mapping.columnProblems(columns)];
  const compiledLookups = compileLookups(spec, lookups, (path, message) => {
    problems.push(problemOf({ path, message }));
  });
  if (problems.length > 0) return { kind: "invalid", problems: inFileOrder(problems) };

  const known = createColumns(columns, spec);
  const context = { columns: known, lookups: compiledLookups, empty: spec.empty, input };
  const keyParts = compileOrderingKey(spec.orderingKey, context);
  const rowCondition = spec.when && compileCondition(spec.when, known);
  const compiled = spec.events.map((event, at) => compileEvent(event, at + 1, context));
  const gone = spec.gone === undefined ? [] : [compileEvent(spec.gone, goneEvent, context)];

  let rowProblems: RowProblem[] = [];
  const takeProblems = () => {
    const problems = rowProblems;
    rowProblems = [];
    return problems;
  };
  const mapCells = (row: Row): MappedRow & { orderingKey?: string } => {
    if (row.problem !== undefined) return { kind: "invalid", problems: [row.problem] };
    if (rowCondition !== undefined && row.isGone !== true) {
      const holds = rowCondition.holds(row.cells, rowProblems);
      if (rowProblems.length > 0) return { kind: "invalid", problems: takeProblems() };
      if (!holds) return { kind: "skipped", code: "condition", message: whyLeftOut(rowCondition) };
    }
    if (row.isGone === true && gone.length === 0) {
      const message = "the mapping makes no event for a gone key any more";
      return { kind: "skipped", code: "event_gone", message };
    }
    const events: LoadEvent[] = [];
    let reason = "";
    for (const { condition, build } of row.isGone === true ? gone : compiled) {
      if (condition !== undefined) {
        const problemsBefore = rowProblems.length;
        const holds = condition.holds(row.cells, rowProblems);
        if (rowProblems.length > problemsBefore) continue;
        if (!holds) {
          reason = whyLeftOut(condition);
          continue;
        }
      }
      const event = build(row, rowProblems);
      if (event !== undefined) events.push(event);
    }
    if (rowProblems.length > 0) return { kind: "invalid", problems: takeProblems() };
    if (events.length === 0) return { kind: "skipped", code: "condition", message: reason };
    return { kind: "events", events };
  };
  const keyColumns = spec.orderingKey.map((part) =>
    typeof part === "string" ? part : part.column,
  );
  const mapRow: Mapper =
    keyParts.length === 0
      ? mapCells
      : (row) => {
          const mapped = mapCells(row);
          const orderingKey = readOrderingKey(keyParts, row.cells, rowProblems);
          if (rowProblems.length > 0) {
            const problems = takeProblems();
            return mapped.kind === "events" ? { kind: "invalid", problems } : mapped;
          }
          // Where a cell of the key is wrong, nobody knows whose row it is.
          const isWrong =
            mapped.kind === "invalid" &&
            mapped.problems.some(({ column }) => keyColumns.includes(column ?? ""));
          if (orderingKey !== undefined && !isWrong) mapped.orderingKey = orderingKey;
          return mapped;
        };
  const keyOf =
    keyParts.length === 0
      ? undefined
      : (cells: readonly string[]) => readOrderingKey(keyParts, cells, []);
  const cellsOfKey = cellsOfKeyIn(columns, keyColumns, known);
  const explain = createExplainRow(
    compiled.map((event, at) => ({ resource: spec.events[at]!.resource, ...event })),
    rowCondition,
  );
  const { onKeyFailure } = spec;
  return { kind: "compiled", mapRow, keyOf, onKeyFailure, cellsOfKey, explain };
}

function createExplainRow(
  events: readonly (CompiledEvent & Pick<EventExplanation, "resource">)[],
  rowCondition: Condition | undefined,
): ExplainRow {
  return (row, made, importedAt) => {
    const { cells } = row;
    const problems: RowProblem[] = [];
    const holds = (condition: Condition | undefined) =>
      condition === undefined || (condition.holds(cells, problems) && problems.length === 0);
    const explained: EventExplanation[] = [];
    for (const { index, resource, condition, explain } of events) {
      problems.length = 0;
      const unmet = [rowCondition, condition].find((one) => !holds(one));
      if (problems.length > 0) {
        const members = problems.map((problem) => ({ name: "when", steps: [], problem }));
        explained.push({ index, resource, members });
        // A problem of the row's own condition is explained once.
        if (unmet === rowCondition) break;
      } else if (unmet !== undefined) {
        explained.push({ index, resource, leftOut: whyLeftOut(unmet), members: [] });
      } else {
        const event = made.find((one) => one.index === index);
        explained.push({ index, resource, members: explain(row, event, importedAt) });
      }
    }
    return explained;
  };
}
