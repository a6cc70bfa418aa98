import { describe, expect, it } from "vitest";
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
  const open1: Known = { kind: "open" };

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
      "2 of 3 keys differ: 1 new, 1 open",
      [row("b", "1")],
      { a: open1 },
      [...[row("a", "1"), row("b", "1"), row("c", "1")]],
    ],
    ["2 of 2 keys differ: 2 open", [], { a: open1, b: open1 }, [...[row("a", "1"), row("b", "1")]]],
    // A key that the service knows to be gone is new if it comes back.
    ["1 of 1 keys differs: 1 new", [row("a", "1")], { a: { kind: "nothing" } }, [row("a", "1")]],
    ["1 of 2 keys differs: 1 gone", [row("a", "1"), row("b", "1")], {}, [row("a", "1")]],
    ["1 of 1 keys differs: 1 gone", [], { a: open1 }, []],
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
    expect(describeDifferences(found)).toEqual([sentence]);
  });

  it("without gone events by none that is missing, and what is back has what it had", async () => {
    const disk = createSimulatedDisk();
    const send = () => "succeeded" as const;
    const both = [row("a", "1"), row("b", "1")];
    const said: unknown[] = [];
    for (const rows of [both, [row("a", "1")], [row("a", "1")], both]) {
      const ports = { date: "2026-11-22", makesGone: false, random: () => 0.1, send };
      const found = await runNight(disk, rows, ports);
      said.push([found.new, found.unchanged, found.gone, found.missing, isOver(found)]);
      const second = describeDifferences(found)[1];
      expect(second?.startsWith("The input lacks 1 of the keys")).toBe(
        found.missing > 0 ? true : undefined,
      );
    }
    expect(said).toEqual([
      [2, 0, 0, 0, false],
      [0, 1, 0, 1, true],
      [0, 1, 0, 1, true],
      [0, 2, 0, 0, true],
    ]);
  });

  it("and of those that it lacks, each unreadable row may be one", async () => {
    const all = ["a", "b", "c", "d"].map((key) => row(key, "1"));
    const found = compare(await afterNight(all), [row("a", "1"), invalid()]);
    expect(found).toMatchObject({ gone: 0, lacking: 2, before: 4 });
  });

  it("and a night is not over while rows are invalid", async () => {
    const log = await afterNight([row("a", "1")]);
    expect(isOver(compare(log, [row("a", "1"), invalid()]))).toBe(false);
    expect(isOver(compare(await afterNight([row("a", "1")]), [invalid("a")]))).toBe(false);
  });
});

const nothing: Differences = {
  ...{ new: 0, changed: 0, open: 0, unchanged: 0, invalid: 0, left_out: 0, gone: 0, missing: 0 },
  ...{
    lacking: 0,
    lackedBefore: 0,
    events: 0,
    unreadableRows: 0,
    before: 0,
    makesGoneEvents: true,
  },
};

describe("too many keys are gone", () => {
  const refuse = (found: Partial<Differences>, most = 0.1) =>
    refuseTooManyGone(
      { ...nothing, unchanged: 1, ...found },
      { kind: "share", most },
      "people.csv",
      "people.state.jsonl",
    );

  it("only if they are more than the share, and get gone events", () => {
    refuse({ gone: 900, lacking: 100, before: 1000 });
    refuse({ lacking: 900, lackedBefore: 890, before: 1000, makesGoneEvents: false });
    expect(() => refuse({ lacking: 900, lackedBefore: 800, before: 1000 })).toThrow("--max-gone");
    expect(() => refuse({ lacking: 101, before: 1000 })).toThrow(
      "101 of the 1,000 keys in people.state.jsonl are gone from people.csv, 10.1 %, more than --max-gone 10% allows: nothing was sent. Check whether the export is complete; if it is, give --max-gone 11%.",
    );
  });

  it("not of a few, unless the input is empty", () => {
    refuse({ lacking: 2, before: 4 });
    expect(() => refuse({ lacking: 3, before: 19 })).toThrow("give --max-gone 16%");
    const empty = { unchanged: 0, lacking: 1, before: 1 };
    expect(() => refuse(empty)).toThrow("give --max-gone 100%");
    refuse(empty, 1);
  });
});
