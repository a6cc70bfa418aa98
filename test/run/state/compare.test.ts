import { describe, expect, it } from "vitest";
import type { MaxErrors } from "../../../src/model/max-errors.ts";
import type { Differences } from "../../../src/model/run-events.ts";
import type { NightOptions } from "../../../src/run/options/import-options.ts";
import {
  describeDifferences,
  hasNoDifference,
  refuseTooManyDiffering,
} from "../../../src/run/state/compare.ts";
import { createKnownKeys, type KeyState, takenDigest } from "../../../src/run/state/known-keys.ts";
import type { StateFile } from "../../../src/run/state/state-file.ts";
import { compare, holding, open, stateText, type TestRow } from "./night-under-test.ts";

const row = (key: string, ...values: string[]): TestRow => ({ kind: "events", key, values });
const skipped = (key: string): TestRow => ({ kind: "skipped", key });
const invalid = (key?: string): TestRow =>
  key === undefined ? { kind: "invalid" } : { kind: "invalid", key };

/** The input of the night before, all of which arrived, and what else is known. */
async function afterNight(
  lastRows: readonly TestRow[],
  others: Record<string, KeyState> = {},
): Promise<Pick<StateFile, "keys">> {
  const last = { keys: createKnownKeys() };
  compare(last, lastRows);
  const known = lastRows.map(({ key = "" }) => [key, { d: takenDigest(last.keys.entry(key)) }]);
  return open(await holding(stateText({ ...Object.fromEntries(known), ...others })));
}

describe("keys differ", () => {
  const open1: KeyState = {};

  it.each<[string, TestRow[], Record<string, KeyState>, TestRow[]]>([
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
    ["1 of 1 keys differs: 1 new", [row("a", "1")], { a: { gone: true } }, [row("a", "1")]],
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

  it("without gone events by none that is missing", async () => {
    const found = compare(await afterNight([row("a", "1"), row("b", "1")]), [row("a", "1")], false);
    expect(found).toMatchObject({ unchanged: 1, gone: 0, missing: 1 });
    expect(hasNoDifference(found)).toBe(true);
    expect(describeDifferences(found)[1]).toContain("The input lacks 1 of the keys");
  });

  it("and a night is not over while rows are invalid", async () => {
    const log = await afterNight([row("a", "1")]);
    expect(hasNoDifference(compare(log, [row("a", "1"), invalid()]))).toBe(false);
    expect(hasNoDifference(compare(await afterNight([row("a", "1")]), [invalid("a")]))).toBe(false);
  });
});

describe("too many keys are gone or changed", () => {
  const nothing: Differences = {
    ...{ new: 0, changed: 0, open: 0, invalid: 0, left_out: 0, gone: 0, missing: 0 },
    ...{ unchanged: 1, newlyMissing: 0, events: 0, unreadableRows: 0, before: 1000 },
    blankLinesBetween: 0,
    makesGoneEvents: true,
  };
  const refuseBoth = (found: Partial<Differences>, most: NightOptions) =>
    refuseTooManyDiffering({ ...nothing, ...found }, "people.csv", "people.state.jsonl", most);
  const refuse = (found: Partial<Differences>, maxGone?: MaxErrors) =>
    refuseBoth(found, maxGone === undefined ? {} : { maxGone });

  it("only if they are more than the share, and newly so", () => {
    refuse({ newlyMissing: 100 });
    refuse({ missing: 900, newlyMissing: 10, before: 110 });
    expect(() => refuse({ newlyMissing: 101 })).toThrow(
      "people.csv lacks 101 of the 1,000 keys in people.state.jsonl, more than --max-gone 10% allows: nothing was sent. Check whether the export is complete; if it is, give a higher --max-gone.",
    );
  });

  it("not of a few, unless the input is empty", () => {
    refuse({ newlyMissing: 2, before: 4 });
    expect(() => refuse({ newlyMissing: 3, before: 19 })).toThrow("--max-gone");
    expect(() => refuse({ unchanged: 0, newlyMissing: 1, before: 1 })).toThrow("--max-gone");
    refuse({ unchanged: 0, newlyMissing: 1, before: 1 }, "100%");
    expect(() => refuse({ newlyMissing: 2, before: 4 }, 1)).toThrow("--max-gone 1 ");
    expect(() => refuse({ newlyMissing: 1, before: 4 }, "0%")).toThrow("--max-gone 0% ");
  });

  it("changed: only if that is asked for, of those that are known", () => {
    const changed = { changed: 201, new: 5000, open: 900 };
    refuseBoth(changed, {});
    refuseBoth({ ...changed, changed: 200 }, { maxChanged: "20%" });
    refuseBoth({ changed: 2, before: 4 }, { maxChanged: "20%" });
    expect(() => refuseBoth(changed, { maxChanged: "20%" })).toThrow(
      "people.csv changes 201 of the 1,000 keys in people.state.jsonl, more than --max-changed 20% allows: nothing was sent. Check whether its cells are as usual; if they are, give a higher --max-changed.",
    );
    expect(() => refuseBoth({ changed: 3 }, { maxChanged: 2 })).toThrow("--max-changed 2 ");
  });
});
