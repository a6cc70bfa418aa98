import type { ExplainRow } from "../../mapping/explain-row.ts";
import type { Json, LoadEvent } from "../../model/event.ts";
import type { EventExplanation, MemberExplanation } from "../../model/explanation.ts";
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
  const body = JSON.parse(event.body(anyTime)) as object;
  const members: MemberExplanation[] = [];
  for (const [name, value] of valuesOfMembers(body)) {
    if (members.length === maxMembers) break;
    members.push({ name, steps: [], value });
  }
  return { index: event.index, resource: event.resource, members };
}

/** Objects within objects that are looked into. */
const deepest = 10;

/** What a body holds besides `event`: `profile.name` for what stands in an object; a list is one. */
function* valuesOfMembers(
  body: object,
  before = "",
  depth = 1,
): Generator<[name: string, value: Json]> {
  for (const [name, value] of Object.entries(body)) {
    if (depth === 1 && name === "event") continue;
    const path = before + name.replaceAll(/[.[\]\\]/g, "\\$&");
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    if (isObject && depth < deepest) yield* valuesOfMembers(value, `${path}.`, depth + 1);
    else yield [path, value];
  }
}
