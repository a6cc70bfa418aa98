import { goneEvent, type LoadEvent, type MappedRow } from "../model/event.ts";
import type { FileProblem } from "../model/file-problem.ts";
import type { OnKeyFailure } from "../model/outcome.ts";
import type { Row, RowProblem } from "../model/row.ts";
import { createColumns, type Report, within } from "./columns.ts";
import { compileWhen, whyLeftOut } from "./compile-condition.ts";
import { compileEvent } from "./compile-event.ts";
import type { LookupTables } from "./compile-lookup.ts";
import { cellsOfKeyIn, compileOrderingKey, readOrderingKey } from "./compile-ordering-key.ts";
import { createExplainRow, type ExplainRow } from "./explain-row.ts";
import type { LoadedMapping } from "./load-mapping.ts";
import type { NamedInput } from "./mapped-event.ts";
import type { EventSpec } from "./schema.ts";

/**
 * Turns a row into its events, or a line of a results file into its one event. Pure: the same row
 * always gives the same events.
 */
export type Mapper = (row: Row) => MappedRow;

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
  const problems: FileProblem[] = [];
  const report: Report = (path, message) => {
    problems.push(problemOf({ path, message }));
  };
  const known = createColumns(columns, spec);

  const context = { columns: known, lookups, empty: spec.empty, input };
  const keyParts = compileOrderingKey(spec.orderingKey, context, within(report, "ordering_key"));
  const rowCondition = compileWhen(spec.when, known, report);
  const compile = (event: EventSpec, index: number) =>
    compileEvent(event, index, context, within(report, ...event.path));
  const compiled = spec.events.map((event, at) => compile(event, at + 1));
  const gone = spec.gone === undefined ? [] : [compile(spec.gone, goneEvent)];
  if (problems.length > 0) return { kind: "invalid", problems };

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
    keyParts.filter((_, at) => typeof spec.orderingKey[at] === "object"),
  );
  const { onKeyFailure } = spec;
  return { kind: "compiled", mapRow, keyOf, onKeyFailure, cellsOfKey, explain };
}
