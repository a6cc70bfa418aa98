import type { PendingEvent } from "../../src/delivery/pending-event.ts";
import type { LoadEvent, Resource } from "../../src/model/event.ts";
import type { Outcome } from "../../src/model/outcome.ts";
import type { PendingRow } from "../../src/model/pending-row.ts";

/** An event whose body tells which it is. */
export function eventOf(row: number, index = 1, resource: Resource = "users"): LoadEvent {
  return {
    id: `id-${row}-${index}`,
    index,
    name: "user.updated",
    resource,
    method: "POST",
    data: () => JSON.stringify({ event: "user.updated", row, index }),
    body: (importedAt) => JSON.stringify({ event: "user.updated", row, index, importedAt }),
  };
}

export function rowOf({ body }: { readonly body: string }): number {
  return (JSON.parse(body) as { row: number }).row;
}

/** How the events of a row stand, those without an outcome as not sent. */
export function outcomesOf(row: PendingRow<PendingEvent>): readonly Outcome[] {
  if (row.events.length === 0) return row.outcomes;
  return row.events.map((event, place) => row.outcomes[place] ?? event.outcome("not_sent"));
}
