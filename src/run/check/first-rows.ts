import type { ExplainRow } from "../../mapping/explain-row.ts";
import type { EventExplanation, Json, LoadEvent, MemberExplanation } from "../../model/event.ts";
import { placeOf } from "../../model/place.ts";
import type { Row } from "../../model/row.ts";
import type { PlannedRow } from "../prepare/plan-row.ts";
import type { FirstRow } from "./check-report.ts";

export interface FirstRows {
  see(row: Row, planned: PlannedRow): void;
  readonly rows: readonly FirstRow[];
}

const maxRows = 3;
const maxMembers = 1000;

/**
 * Keeps what the mapping makes of the first rows, without those that are left out or cannot be read.
 *
 * @param explain undefined if a function makes the members
 */
export function createFirstRows(explain: ExplainRow | undefined): FirstRows {
  const rows: FirstRow[] = [];
  return {
    rows,
    see(row, planned) {
      if (rows.length === maxRows || row.problem !== undefined) return;
      const { events: made, problems } = planned;
      if (made.length === 0 && problems.length === 0) return;
      const events = explain?.(row, made, anyTime).map(withoutSendingValues) ?? made.map(inBody);
      if (events.length > 0) rows.push({ ...placeOf(row), events });
    },
  };
}

const anyTime = "1970-01-01T00:00:00.000Z";

/** Before the input has been read to its end its events have no ids, and before they are sent no time. */
const knownWhenSent: ReadonlySet<string | undefined> = new Set(["event_id", "imported_at"]);

function withoutSendingValues(event: EventExplanation): EventExplanation {
  const members = event.members.map((member): MemberExplanation => {
    const isMeta = member.steps.some(({ by, of }) => by === "meta" && knownWhenSent.has(of));
    if (!isMeta) return member;
    return { name: member.name, steps: member.steps.map(({ gives: _, ...step }) => step) };
  });
  return { ...event, members };
}

/** Of an event that a function made only the values are known. */
function inBody(event: LoadEvent): EventExplanation {
  const { event: _, ...body } = JSON.parse(event.body(anyTime)) as Record<string, Json>;
  const members = Object.entries(body).slice(0, maxMembers);
  return {
    index: event.index,
    resource: event.resource,
    members: members.map(([name, value]) => ({ name, steps: [], value })),
  };
}
