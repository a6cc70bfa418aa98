import type { EventExplanation, LoadEvent } from "../model/event.ts";
import type { Row, RowProblem } from "../model/row.ts";
import { type Condition, whyLeftOut } from "./compile-condition.ts";
import type { CompiledEvent } from "./compile-event.ts";
import type { Value } from "./compile-value.ts";

/**
 * Explains how the members of a row's events are made.
 *
 * @param made the events that the mapping makes of the row
 * @param importedAt the instant that the body would have
 */
export type ExplainRow = (
  row: Row,
  made: readonly LoadEvent[],
  importedAt: string,
) => readonly EventExplanation[];

/**
 * @param rowCondition that of the whole row
 * @param keyParts the parts of the ordering key that are more than a column; explained with the first event
 */
export function createExplainRow(
  events: readonly (CompiledEvent & Pick<EventExplanation, "resource">)[],
  rowCondition: Condition | undefined,
  keyParts: readonly Value[],
): ExplainRow {
  return (row, made, importedAt) => {
    const { cells } = row;
    const problems: RowProblem[] = [];
    const holds = (condition: Condition | undefined) =>
      condition === undefined || (condition.holds(cells, problems) && problems.length === 0);
    const explained: EventExplanation[] = [];
    let isKeyExplained = keyParts.length === 0;
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
        const orderingKey = keyParts.map((part) => part.explain("ordering_key", cells));
        const members = explain(row, event, importedAt);
        explained.push({ index, resource, members, ...(isKeyExplained ? {} : { orderingKey }) });
        isKeyExplained = true;
      }
    }
    return explained;
  };
}
