import { count, grouped } from "../model/quantities.ts";
import type { Row } from "../model/row.ts";
import { isEventId, type PlannedRow } from "./plan-row.ts";

/** How the lines of a results file differ from what the run before made of them. */
export interface ChangesSince {
  /** Events to be sent that can be compared, as their ids are known. */
  readonly compared: number;
  /** Those whose data are not what they were. */
  readonly changed: number;
}

/** Counts them. An event id is a hash of the data, so another one tells that these are others. */
export function countChanges() {
  let compared = 0;
  let changed = 0;
  return {
    see({ earlier }: Row, planned: PlannedRow): void {
      if (planned.kind !== "send" || !isEventId(earlier?.eventId ?? "")) return;
      const [event, another] = planned.events;
      if (event === undefined || another !== undefined) return;
      compared++;
      if (event.id !== earlier?.eventId.toLowerCase()) changed++;
    },
    counted: (): ChangesSince => ({ compared, changed }),
  };
}

/** The same for people; undefined if they are what they were. */
export function describeChanges({ compared, changed }: ChangesSince): string | undefined {
  if (changed === 0) return undefined;
  return changed === 1
    ? `1 of ${count(compared, "event")} differs from what was sent then, and gets a new id.`
    : `${grouped(changed)} of ${count(compared, "event")} differ from what was sent then, and get new ids.`;
}
