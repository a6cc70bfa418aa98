import { describe, expect, it, test } from "vitest";
import type { Differences } from "../../../src/run/options/run-events.ts";
import { describeDifferences, isOver, refuseTooManyGone } from "../../../src/run/state/compare.ts";
import type { Known } from "../../../src/run/state/known-keys.ts";
import { createSimulatedDisk } from "../../journal/simulated-disk.ts";
import { compare, open, runNight, type TestRow } from "./night-under-test.ts";

const row = (key: string, ...values: string[]): TestRow => ({ kind: "events", key, values });
const skipped = (key: string): TestRow => ({ kind: "skipped", key });
const invalid = (key?: string): TestRow =>
  key === undefined ? { kind: "invalid" } : { kind: "invalid", key };

/** The input of the night before, all of which arrived, and what else is known. */
async function afterNight(
  lastRows: readonly TestRow[],
  others: Record<string, Known> = {},
): Promise<Awaited<ReturnType<typeof open>>> {
  const disk = createSimulatedDisk();
  const ports = { random: () => 0.1, send: () => "succeeded" as const };
  await runNight(disk, lastRows, { date: "2026-11-22", makesGone: true, ...ports });
  const log = await open(disk);
  for (const [key, known] of Object.entries(others)) log.keys.setKnown(log.keys.entry(key), known);
  return log;
}

describe("keys differ", () => {
  const open1: Known = { kind: "open", since: "2026-11-21", isAway: false };
  const open2: Known = { kind: "open", since: "2026-11-22", isAway: false };

  it.each<[string, TestRow[], Record<string, Known>, TestRow[]]>([
    ["None of 1 keys differs", [row("a", "1")], {}, [row("a", "1")]],
    ["1 of 1 keys differs: 1 new", [], {}, [row("a", "1")]],
    [
      "2 of 3 keys differ: 2 changed",
      [row("a", "1"), row("b", "1", "2"), row("c", "1")],
      {},
      [...[row("a", "2"), row("b", "2"), row("b", "1"), row("c", "1")]],
    ],
    ["None of 1 keys differs", [row("a", "1", "2")], {}, [row("a", "1"), row("a", "2")]],
    [
      "2 of 3 keys differ: 1 new, 1 open since 2026-11-22",
      [row("b", "1")],
      { a: open2 },
      [...[row("a", "1"), row("b", "1"), row("c", "1")]],
    ],
    [
      "2 of 2 keys differ: 2 open since 2026-11-21 or later",
      [],
      { a: open1, b: open2 },
      [...[row("a", "1"), row("b", "1")]],
    ],
    // A key that the service knows to be gone is new if it comes back.
    ["1 of 1 keys differs: 1 new", [row("a", "1")], { a: { kind: "nothing" } }, [row("a", "1")]],
    ["1 of 2 keys differs: 1 gone", [row("a", "1"), row("b", "1")], {}, [row("a", "1")]],
    ["1 of 1 keys differs: 1 gone", [], { a: open2 }, []],
    // They keep what they had, whatever their other rows say.
    [
      "None of 2 keys differs",
      [row("a", "1"), row("b", "1")],
      {},
      [...[row("a", "2"), invalid("a"), skipped("b")]],
    ],
    ["1 of 1 keys differs: 1 changed", [row("a", "1")], {}, [row("a", "2"), skipped("a")]],
    // Any key may be that of the row that cannot be read.
    ["1 of 1 keys differs: 1 new", [row("a", "1")], {}, [row("b", "1"), invalid()]],
  ])("%s", async (sentence, lastRows, others, rows) => {
    const found = compare(await afterNight(lastRows, others), rows);
    expect(describeDifferences(found, "people.state.jsonl")).toEqual([sentence]);
  });

  it("without gone events only on the first night that lacks them, and when they are back", async () => {
    const disk = createSimulatedDisk();
    const send = () => "succeeded" as const;
    const nights = [[row("a", "1"), row("b", "1")], [row("a", "1")], [row("a", "1")]];
    const said: unknown[] = [];
    for (const rows of [...nights, nights[0] ?? [], nights[0] ?? [], nights[1] ?? []]) {
      const ports = { date: "2026-11-22", makesGone: false, random: () => 0.1, send };
      const found = await runNight(disk, rows, ports);
      const { gone, newlyGone, back, unchanged } = found;
      said.push([found.new, unchanged, gone, newlyGone, back, isOver(found)]);
    }
    expect(said).toEqual([
      [2, 0, 0, 0, 0, false],
      [0, 1, 1, 1, 0, false],
      [0, 1, 0, 0, 0, true],
      [0, 2, 0, 0, 1, true],
      [0, 2, 0, 0, 0, true],
      [0, 1, 1, 1, 0, false],
    ]);
  });

  it("and of those that it lacks, each unreadable row may be one", async () => {
    const all = ["a", "b", "c", "d"].map((key) => row(key, "1"));
    const found = compare(await afterNight(all), [row("a", "1"), invalid()]);
    expect(found).toMatchObject({ gone: 0, newlyGone: 0, lacking: 2, inLastInput: 4 });
  });

  it("and a night is not over while rows are invalid", async () => {
    const log = await afterNight([row("a", "1")]);
    expect(isOver(compare(log, [row("a", "1"), invalid()]))).toBe(false);
    expect(isOver(compare(await afterNight([row("a", "1")]), [invalid("a")]))).toBe(false);
  });
});

const nothing: Differences = {
  ...{ new: 0, changed: 0, open: 0, openSince: undefined, unchanged: 0, invalid: 0, left_out: 0 },
  ...{ gone: 0, newlyGone: 0, lacking: 0, back: 0, events: 0, unreadableRows: 0, before: 0 },
  ...{ inLastInput: 0, tellsGone: true },
};

test("if more than half of a large state differ, the usual causes are said", () => {
  const found = { ...nothing, new: 14, changed: 1988, open: 12, openSince: "2026-11-22" };
  const describe = (before: number) =>
    describeDifferences({ ...found, unchanged: 197_986, before }, "people.state.jsonl");
  const sentence = "2,014 of 200,000 keys differ: 14 new, 1,988 changed, 12 open since 2026-11-22";
  expect(describe(4000)).toEqual([sentence]);
  expect(describe(3999)).toEqual([
    sentence,
    "More than half of the keys in people.state.jsonl differ. Usual causes: it is another export, the export writes cells in another way (dates, decimals), or a member holds the time of the export",
  ]);
  const other = { ...nothing, new: 2000, gone: 1500, before: 1500 };
  expect(describeDifferences(other, "people.state.jsonl", "2026-11-20")[1]).toContain(
    "Usual causes: the mapping changed on 2026-11-20, it is another export, ",
  );
  const few = { ...nothing, changed: 999, before: 999 };
  expect(describeDifferences(few, "people.state.jsonl")).toHaveLength(1);
});

describe("too many keys are gone", () => {
  const refuse = (found: Partial<Differences>, most = 0.1) =>
    refuseTooManyGone(
      { ...nothing, unchanged: 1, ...found },
      { kind: "share", most },
      "people.csv",
      "people.state.jsonl",
    );

  it("only if they are newly gone, and more than the share", () => {
    refuse({ gone: 900, lacking: 100, inLastInput: 1000 });
    expect(() => refuse({ lacking: 101, inLastInput: 1000 })).toThrow(
      "101 of the 1,000 keys in people.state.jsonl are gone from people.csv, 10.1 %, more than --max-gone 10% allows: nothing was sent. Check whether the export is complete; if it is, give --max-gone 11%.",
    );
  });

  it("not of a few, unless the input is empty", () => {
    refuse({ lacking: 2, inLastInput: 4 });
    expect(() => refuse({ lacking: 3, inLastInput: 19 })).toThrow("give --max-gone 16%");
    const empty = { unchanged: 0, lacking: 1, inLastInput: 1 };
    expect(() => refuse(empty)).toThrow("give --max-gone 100%");
    refuse(empty, 1);
  });
});
