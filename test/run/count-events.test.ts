import { describe, expect, it } from "vitest";
import type { LoadEvent } from "../../src/model/event.ts";
import { createEventCounts } from "../../src/run/check/count-events.ts";
import { mapper, rowOf } from "../mapping/given-mapping.ts";

function eventsOf(mapping: string, columns: readonly string[], rows: readonly string[][]) {
  const mapRow = mapper(mapping, columns);
  return rows.map((cells) => {
    const mapped = mapRow(rowOf(cells));
    return mapped.kind === "events" ? mapped.events : [];
  });
}

/** An event that a function made. */
function made(body: object, name: string): LoadEvent {
  const text = JSON.stringify(body);
  const to = { resource: "users", method: "POST" } as const;
  return { id: "", index: 1, name, ...to, data: () => text, body: () => text };
}

describe("events by kind", () => {
  it("tell how many have which member, the most frequent kind first", () => {
    const mapping =
      "version: 1\nresource: users\nevent: { column: A }\n" +
      "members: { x.y: B, id: { meta: event_id }, none: { column: C }, z: { column: C, empty: 'null' } }\n";
    const counts = createEventCounts([[], ["x.y", "id", "none", "z"]]);
    const rows = [
      ["created", "b", ""],
      ["updated", "", ""],
      ["updated", "b", ""],
    ];
    for (const events of eventsOf(mapping, ["A", "B", "C"], rows)) {
      // A body that is asked for again says the same.
      for (const event of events) event.body("2024-05-01T10:00:00.000Z");
      counts.see(events);
    }
    const members = (of: readonly number[]) =>
      ["x.y", "id", "none", "z"].map((name, at) => ({ name, count: of[at] }));
    const place = { resource: "users", method: "POST", index: 1 };
    expect(counts.counted()).toEqual([
      { ...place, event: "updated", count: 2, members: members([1, 2, 0, 2]) },
      { ...place, event: "created", count: 1, members: members([1, 1, 0, 1]) },
    ]);
  });

  it("are told apart by the mapping's event that made them", () => {
    const mapping =
      "version: 1\nresource: users\nevents:\n" +
      "  - { event: e, members: { a: A } }\n  - { event: e, members: { b: A, c: A } }\n";
    const counts = createEventCounts([[], ["a"], ["b", "c"]]);
    for (const events of eventsOf(mapping, ["A"], [["x"]])) counts.see(events);
    expect(counts.counted().map(({ index, members }) => [index, members.length])).toEqual([
      [1, 1],
      [2, 2],
    ]);
  });

  it("take bounded memory, whatever the kinds are called", () => {
    const counts = createEventCounts(undefined);
    for (let at = 0; at < 3000; at++) counts.see([made({}, `e${at}`)]);
    const counted = counts.counted();
    expect(counted).toHaveLength(101);
    expect(counted[0]).toMatchObject({ resource: "users", count: 2900 });
    expect(counted[0]).not.toHaveProperty("event");
  });
});
