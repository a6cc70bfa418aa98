import { describe, expect, it, test } from "vitest";
import { createNightWriter, effectOf, type NightWriter } from "../../../src/run/state/night.ts";
import type { StateLog } from "../../../src/run/state/state-log.ts";
import { createSimulatedDisk } from "../../journal/simulated-disk.ts";
import { compare, event, open, path, runNight, type TestRow } from "./night-under-test.ts";

const row = (key: string, ...values: string[]): TestRow => ({ kind: "events", key, values });
const gone: readonly TestRow[] = [];

/** What a night adds to the log after it has begun, line by line; the night before had `lastRows`, and all arrived. */
async function linesOf(
  lastRows: readonly TestRow[],
  rows: readonly TestRow[],
  send: (night: NightWriter, log: StateLog) => Promise<void> | void,
): Promise<string[]> {
  const disk = createSimulatedDisk();
  const ports = { random: () => 0.1, send: () => "succeeded" as const };
  await runNight(disk, lastRows, { date: "2026-11-22", makesGone: true, ...ports });
  const log = await open(disk);
  const found = compare(log, rows);
  await log.begin({ run: "2026-11-23T01:00:00.000Z", results: "people.csv", input: "people.csv" });
  const bytes = (await disk.read(path))?.length ?? 0;
  await send(createNightWriter(log, found), log);
  await log.write(true);
  const added = (await disk.read(path))?.subarray(bytes).toString().trimEnd().split("\n") ?? [];
  return added
    .filter((line) => line !== "" && !line.startsWith('{"sum"'))
    .map((line) => line.replace(/"d":"[\da-f]{16}"/, '"d"'));
}

const openLine = '{"k":["a"]}';
const knownLine = '{"k":["a"],"d"}';
const nothingLine = '{"k":["a"],"gone":true}';

describe("a key", () => {
  it("is not known before its first event leaves, and known when all have succeeded", async () => {
    const lines = await linesOf([], [row("a", "1", "2"), row("a", "3")], async (night, log) => {
      night.take("a", 2);
      night.leaving("a");
      await log.write(true);
      night.settled("a", event("1"), "succeeded");
      night.leaving("a");
      night.settled("a", event("1"), "succeeded");
      night.take("a", 1);
      night.leaving("a");
      await log.write(true);
      night.settled("a", event("1"), "succeeded");
    });
    expect(lines).toEqual([openLine, knownLine]);
  });

  it.each([
    ["with nothing", [], nothingLine],
    ["with events", [row("a", "0")], knownLine],
  ])("has what it had, %s, if none of its events took effect", async (_, lastRows, line) => {
    const lines = await linesOf(lastRows, [row("a", "1", "2")], (night) => {
      night.take("a", 2);
      night.leaving("a");
      night.settled("a", event("1"), "none");
      night.settled("a", event("1"), "none");
    });
    expect(lines).toEqual([openLine, line]);
  });

  it.each([
    ["none", "succeeded"],
    ["succeeded", "none"],
    ["unknown", "none"],
    ["unknown", "succeeded"],
  ] as const)("stays open after %s and %s", async (one, other) => {
    const lines = await linesOf([row("a", "0")], [row("a", "1", "2")], (night) => {
      night.take("a", 2);
      night.leaving("a");
      night.settled("a", event("1"), one);
      night.settled("a", event("1"), other);
    });
    expect(lines).toEqual([openLine]);
  });

  it("of which not all events were read stays open", async () => {
    const lines = await linesOf([], [row("a", "1"), row("a", "2")], (night) => {
      night.take("a", 1);
      night.leaving("a");
      night.settled("a", event("1"), "succeeded");
    });
    expect(lines).toEqual([openLine]);
  });

  it("cannot be taken with events that were not there", async () => {
    await linesOf([], [row("a", "1")], (night) => {
      expect(night.take("a", 2)).toBe(false);
      expect(night.take("b", 1)).toBe(false);
    });
  });
});

describe("a key that is gone", () => {
  it.each([
    ["succeeded", [openLine, nothingLine]],
    ["none", [openLine, knownLine]],
    ["unknown", [openLine]],
  ] as const)("after its event: %s", async (effect, expected) => {
    const lines = await linesOf([row("a", "1")], gone, async (night, log) => {
      const keys: string[] = [];
      for await (const key of night.goneKeys()) {
        keys.push(key);
        night.leaving(key);
        await log.write(true);
        night.settled(key, event("1"), effect);
      }
      expect(keys).toEqual(["a"]);
    });
    expect(lines).toEqual(expected);
  });

  it("is none while the key of a row cannot be read", async () => {
    const lines = await linesOf([row("a", "1")], [{ kind: "invalid" }], async (night) => {
      for await (const key of night.goneKeys()) expect(key).toBe("none");
    });
    expect(lines).toEqual([]);
  });
});

test.each([
  ["succeeded", { status: "succeeded", attempts: 2, unanswered: 1, httpStatus: 200 }],
  ["none", { status: "blocked", attempts: 0, unanswered: 0 }],
  ["none", { status: "not_sent", attempts: 3, unanswered: 0 }],
  ["none", { status: "rejected", attempts: 1, unanswered: 0, httpStatus: 422 }],
  ["unknown", { status: "rejected", attempts: 2, unanswered: 0, httpStatus: 422 }],
  ["unknown", { status: "rejected", attempts: 1, unanswered: 0, httpStatus: 501 }],
  // Of a service whose statuses are listed, one that is not on the list.
  ["unknown", { status: "rejected", attempts: 1, unanswered: 0, httpStatus: 202 }],
  ["unknown", { status: "rejected", attempts: 2, unanswered: 1, httpStatus: 422 }],
  ["unknown", { status: "failed", attempts: 5, unanswered: 0, httpStatus: 500 }],
  ["unknown", { status: "unknown", attempts: 1, unanswered: 1 }],
] as const)("the effect is %s: %j", (effect, outcome) => {
  expect(effectOf(outcome)).toBe(effect);
});
