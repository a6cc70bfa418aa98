import type { PendingRow } from "../../src/delivery/pending-event.ts";
import type { LoadEvent, Resource } from "../../src/model/event.ts";
import type { Outcome } from "../../src/model/outcome.ts";
import type { AttemptRecord, Intent } from "../../src/model/run-record.ts";

/** What the journal is given of an event, and the outcome that it has. */
export type EventRecord =
  | Intent
  | AttemptRecord
  | { readonly kind: "outcome"; readonly rowOfRun: number; readonly outcome: Outcome };

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

/** Which event a record is about: `row/event`. */
export function placeOf(record: EventRecord): string {
  const event = record.kind === "outcome" ? record.outcome.event : record.event;
  return `${record.rowOfRun}/${event}`;
}

/** Events that were perhaps sent, as far as the records tell. */
export function openIntents(records: readonly EventRecord[]): Set<string> {
  const open = new Set<string>();
  for (const record of records) {
    if (record.kind === "intent") open.add(placeOf(record));
    else open.delete(placeOf(record));
  }
  return open;
}

/** How the events of a row stand, those without an outcome as not sent. */
export function outcomesOf(row: PendingRow): readonly Outcome[] {
  if (row.events.length === 0) return row.outcomes;
  return row.events.map((event, place) => row.outcomes[place] ?? event.outcome("not_sent"));
}
