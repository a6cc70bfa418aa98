import { isEventId, type PlannedRow } from "./domain/plan-row.ts";
import type { Row } from "./domain/row.ts";

/** How the lines of a results file differ from what the run before made of them. */
export interface ChangesSince {
  /** Events to be sent that can be compared, as their ids are known. */
  readonly compared: number;
  /** Those whose data are not what they were: somebody mended them, or some program did more. */
  readonly changed: number;
  /** Lines that a program has written anew, as it seems. */
  readonly rewritten: number;
}

/** Counts them. An event id is a hash of the data, so another one tells that these are others. */
export function countChanges() {
  let compared = 0;
  let changed = 0;
  let rewritten = 0;
  return {
    see({ earlier }: Row, planned: PlannedRow): void {
      if (earlier === undefined) return;
      if (earlier.isRewritten === true) rewritten++;
      if (planned.kind !== "send" || !isEventId(earlier.eventId)) return;
      const [event, another] = planned.events;
      if (event === undefined || another !== undefined) return;
      compared++;
      if (event.id !== earlier.eventId.toLowerCase()) changed++;
    },
    counted: (): ChangesSince => ({ compared, changed, rewritten }),
  };
}
