import type { EventExplanation, Json, LoadEvent, MemberExplanation, Step } from "../model/event.ts";
import type { Row, RowProblem } from "../model/row.ts";
import { createColumns, type Trace } from "./columns.ts";
import { compileCondition, whyLeftOut } from "./compile-condition.ts";
import { compileEvent } from "./compile-event.ts";
import type { LookupTables } from "./compile-lookup.ts";
import { compileOrderingKey } from "./compile-ordering-key.ts";
import { type InputIdentity, metaValues } from "./mapped-event.ts";
import type { MappingSpec } from "./schema.ts";

/**
 * Explains how the members of a row's events are made.
 *
 * @param events those that the mapping makes of the row
 * @param importedAt the instant that the body would have
 */
export type ExplainRow = (
  row: Row,
  events: readonly LoadEvent[],
  importedAt: string,
) => readonly EventExplanation[];

/**
 * Binds a mapping to the columns of an input: one that compiles without problems. It is compiled once
 * more, with a trace of every step.
 */
export function compileExplanation(
  spec: MappingSpec,
  columnNames: readonly string[],
  input: InputIdentity,
  lookups: LookupTables,
): ExplainRow {
  const trace = createSteps();
  const columns = createColumns(columnNames, spec, trace);
  const context = { columns, lookups, empty: spec.empty, input };
  const nothing = () => {}; // what could be reported has been
  const rowCondition =
    spec.when === undefined ? undefined : compileCondition(spec.when, columns, nothing);
  const withTransforms = spec.orderingKey.filter((part) => typeof part === "object");
  const keyParts = compileOrderingKey(withTransforms, columns, nothing);
  const compiled = spec.events.map((event, at) => ({
    index: at + 1,
    resource: event.resource,
    ...compileEvent(event, at + 1, context, nothing),
  }));

  const explain = (name: string, read: Read): MemberExplanation => {
    trace.clear();
    const problems: RowProblem[] = [];
    const value = read(problems);
    const [problem] = problems;
    return {
      name,
      steps: [...trace.steps],
      ...(value === undefined || problem !== undefined ? {} : { value }),
      ...(problem === undefined ? {} : { problem }),
    };
  };

  return (row, events, importedAt) => {
    const { cells } = row;
    let ofRow: readonly RowProblem[] = [];
    let isFirst = keyParts.length > 0;
    const explainKey = () => {
      if (!isFirst) return {};
      isFirst = false;
      const explained = keyParts.map((read) =>
        explain("ordering_key", (problems) => read(cells, problems)),
      );
      return { orderingKey: explained };
    };
    return compiled.flatMap(
      ({ index, resource, condition, readName, members }): EventExplanation[] => {
        // A problem of the row's own condition is explained once.
        if (ofRow.length > 0) return [];
        const problems: RowProblem[] = [];
        const unmet = [rowCondition, condition].find(
          (one) => one !== undefined && (!one.holds(cells, problems) || problems.length > 0),
        );
        if (problems.length > 0) {
          if (unmet === rowCondition) ofRow = problems;
          const explained = problems.map((problem) => ({ name: "when", steps: [], problem }));
          return [{ index, resource, members: explained }];
        }
        if (unmet !== undefined) {
          return [{ index, resource, leftOut: whyLeftOut(unmet), members: [] }];
        }
        const made = events.find((one) => one.index === index);
        const meta = made && metaValues(row, made.id, importedAt, input);
        const event = explain("event", (problems) => readName(cells, problems));
        const explained = members.map((member) =>
          explain(member.name, (problems) => {
            if (member.meta === undefined) return member.read(cells, problems);
            const value = meta?.[member.meta];
            const given = value === undefined ? {} : { gives: value };
            trace.step({ by: "meta", of: member.meta, ...given });
            return value;
          }),
        );
        return [{ index, resource, members: [event, ...explained], ...explainKey() }];
      },
    );
  };
}

type Read = (problems: RowProblem[]) => Json | undefined;

/** The steps to one value. A repeated read of a cell, as for a message, is no step. */
function createSteps(): Trace & { readonly steps: readonly Step[]; clear(): void } {
  const steps: Step[] = [];
  const read = new Set<string>();
  return {
    steps,
    clear() {
      steps.length = 0;
      read.clear();
    },
    cell(column, cell, counted) {
      if (read.has(column)) return;
      read.add(column);
      steps.push({ by: "column", of: column, gives: cell });
      if (counted !== cell) steps.push({ by: "null_values", gives: counted });
    },
    step(step) {
      steps.push(step);
    },
  };
}
