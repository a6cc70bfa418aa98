import { expect, test } from "vitest";
import {
  addEvents,
  createKnownKeys,
  eventsLeft,
  fateOf,
  type KeyEntry,
  seeRow,
  takeEvents,
  takenDigest,
} from "../../../src/run/state/known-keys.ts";
import { event, events } from "./night-under-test.ts";

test("keys take at most 40 bytes each, also where the table has just grown", () => {
  const keys = createKnownKeys();
  let worst = 0;
  for (let at = 0; at < 400_000; at++) {
    keys.entry(`a.person.with.a.long.name.${at}@example.com`);
    if (at >= 100_000 && at % 500 === 0) worst = Math.max(worst, keys.bytes / keys.size);
  }
  expect(keys.size).toBe(400_000);
  expect(worst).toBeLessThanOrEqual(40);
});

test("a digest depends on the resources, the data and the order of the events, not on their rows", () => {
  const digestOf = (...rows: (typeof one)[][]) => {
    const entry = seen(...rows);
    for (const row of rows) {
      takeEvents(entry, row.length);
      addEvents(entry, row);
    }
    return takenDigest(entry);
  };
  const [one, two] = [event("1"), event("2")];
  const all = [
    digestOf([one, two]),
    digestOf([two, one]),
    digestOf([one]),
    digestOf([one, { ...two, resource: "users" }]),
    digestOf([one, two, two]),
  ];
  expect(new Set(all).size).toBe(all.length);
  expect(digestOf([one], [two])).toBe(all[0]);
  expect(digestOf([{ ...one, id: "another" }, two])).toBe(all[0]);
});

test("events that were not there when all rows were seen are not taken", () => {
  const entry = seen(events("1", "2"));
  expect([takeEvents(entry, 1), eventsLeft(entry), fateOf(entry)]).toEqual([...[true, 1, "new"]]);
  expect(takeEvents(entry, 2)).toBe(false);
  expect([takeEvents(entry, 1), eventsLeft(entry), fateOf(entry)]).toEqual([...[true, 0, "new"]]);
});

function seen(...rows: ReturnType<typeof events>[]): KeyEntry {
  const entry = createKnownKeys().entry("ann@example.com");
  for (const row of rows) seeRow(entry, row);
  return entry;
}
