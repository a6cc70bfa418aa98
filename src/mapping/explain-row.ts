import type { LoadEvent } from "../model/event.ts";
import type { EventExplanation, MemberExplanation } from "../model/explanation.ts";
import type { Row } from "../model/row.ts";
import { createColumns } from "./columns.ts";
import { compileCondition, whyNot } from "./compile-condition.ts";
import type { LookupTables } from "./compile-lookup.ts";
import { explainEventName, explainMember } from "./explain-member.ts";
import { type InputIdentity, metaValues } from "./mapped-event.ts";
import type { MetaName } from "./member-schema.ts";
import type { MappingSpec } from "./schema.ts";

/**
 * Tells how the members of a row's events come about.
 *
 * @param events those that the mapping makes of the row
 * @param importedAt the instant that the body would have
 */
export type ExplainRow = (
  row: Row,
  events: readonly LoadEvent[],
  importedAt: string,
) => readonly EventExplanation[];

/** Binds a mapping to the columns of an input: one without problems, that has been compiled. */
export function compileExplanation(
  spec: MappingSpec,
  columnNames: readonly string[],
  input: InputIdentity,
  lookups: LookupTables,
  runDay?: string,
): ExplainRow {
  const columns = createColumns(columnNames, spec.nullValues);
  const context = { columns, lookups, empty: spec.empty, runDay };
  return (row, events, importedAt) => {
    const { cells } = row;
    const only = row.earlier?.event;
    return spec.events.flatMap(({ resource, event, onlyWhen, members }, at): EventExplanation[] => {
      const index = at + 1;
      if (only !== undefined && only !== index) return [];
      for (const given of [spec.onlyWhen, onlyWhen]) {
        const condition = given === undefined ? undefined : compileCondition(given, columns);
        if (condition?.kind === "condition" && !condition.holds(cells)) {
          return [{ index, resource, leftOut: whyNot(condition), members: [] }];
        }
      }
      const made = events.find((one) => one.index === index);
      const meta = (name: string, of: MetaName): MemberExplanation => {
        const value = made && metaValues(row, made.id, importedAt, input)[of];
        const given = value === undefined ? {} : { gives: value };
        const step = { by: "meta", of, ...given };
        return { name, steps: [step], ...(value === undefined ? {} : { value }) };
      };
      const explained = Object.entries(members).map(([name, member]) =>
        typeof member === "object" && member.meta !== undefined
          ? meta(name, member.meta)
          : explainMember(name, member, cells, context),
      );
      return [
        { index, resource, members: [explainEventName(event, cells, columns), ...explained] },
      ];
    });
  };
}
