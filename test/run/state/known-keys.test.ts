import { expect, test } from "vitest";
import {
  addEvents,
  createKnownKeys,
  eventsLeft,
  fateOf,
  type KeyEntry,
  type Known,
  seeRow,
  takeEvents,
  takenDigest,
} from "../../../src/run/state/known-keys.ts";
import { event, events } from "./night-under-test.ts";

test("a million keys take at most 40 bytes each, also where the table has just grown", () => {
  const keys = createKnownKeys();
  let worst = 0;
  for (let at = 0; at < 1_000_000; at++) {
    keys.entry(`a.person.with.a.long.name.${at}@example.com`);
    if (at >= 100_000 && at % 500 === 0) worst = Math.max(worst, keys.bytes / keys.size);
  }
  expect(keys.size).toBe(1_000_000);
  expect(worst).toBeLessThanOrEqual(40);
});

test("an entry keeps what is known of its key", () => {
  const keys = createKnownKeys();
  const all: [string, Known, live: number][] = [
    ["ann", { kind: "events", digest: "00000000ffffffff" }, 1],
    ["bob", { kind: "open" }, 2],
    ["eve", { kind: "open" }, 3],
    ["ann", { kind: "nothing" }, 2],
    ["bob", { kind: "events", digest: "0123456789abcdef" }, 2],
    ["joe", { kind: "open" }, 3],
  ];
  for (const [key, known, live] of all) {
    keys.setKnown(keys.entry(key), known);
    expect([keys.known(keys.entry(key)), keys.live]).toEqual([known, live]);
  }
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
