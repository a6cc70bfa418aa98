import { expect, test } from "vitest";
import type { Row } from "../../src/model/row.ts";
import { countChangedCells, describeChanges } from "../../src/run/changes-since.ts";
import { describeRetriedBefore } from "../../src/run/retried-before.ts";

const names = ["A", "B", "C", "D", "E"];
const compared = names.map((column, at) => ({ column, index: at, indexBefore: 4 - at }));

function rowOf(row: number, cells: readonly string[], line = row + 1): Row {
  return { row, line, cells };
}

test("changed cells are counted by column and row, and few of them are kept", () => {
  const cells = countChangedCells(compared);
  const original = (row: number) => rowOf(row, ["e", "d", "c", "b", "a"]);
  for (const row of [1, 2, 3]) {
    // Two lines of one row, for its two events.
    for (const line of [2 * row, 2 * row + 1]) {
      cells.see(rowOf(row, ["a", "b!", row > 1 ? "c!" : "c", "d", "e"], line), original(row));
    }
  }
  const columns = cells.counted();
  expect(columns).toMatchObject([
    { column: "B", rows: 3, first: [{ place: { row: 1 } }, { place: { row: 2 } }] },
    { column: "C", rows: 2, first: [{ before: "c", after: "c!" }, { place: { row: 3 } }] },
  ]);
  expect(columns[0]?.first).toHaveLength(2);
  const one = { compared: 2, changed: 1, columns: columns.slice(0, 1) };
  expect(describeChanges(one)).toEqual([
    "1 of 2 events differs from what it was then, and gets a new id.",
    'Changed since then: column "B" in 3 rows (row 1: "b" is now "b!"; row 2: "b" is now "b!").',
  ]);
});

test("of many columns the most changed are shown, with nothing that a terminal would obey", () => {
  const cells = countChangedCells(compared);
  cells.see(rowOf(1, ["\u001b[2J", "", "", "", ""]), rowOf(1, ["e", "d", "c", "b", "a"]));
  cells.see(rowOf(2, ["a", "b", "c", "d", "x"]), rowOf(2, ["e", "d", "c", "b", "a"]));
  const [said] = describeChanges({ compared: 0, changed: 0, columns: cells.counted() });
  expect(said).toBe(
    'Changed since then: column "E" in 2 rows (row 1: "e" is now ""), column "A" in 1 row (row 1: "a" is now "\\u001b[2J"), column "B" in 1 row (row 1: "b" is now ""), and 2 more columns.',
  );
  expect(describeChanges({ compared: 3, changed: 0, columns: [] })).toEqual([]);
});

test("what other retries have settled is said in a sentence", () => {
  const retry = (number: number, delivered: number, unknown = 0) => ({
    ...{ results: `p.retry-${number}.results.csv`, delivered, unknown },
  });
  expect(describeRetriedBefore([])).toEqual([]);
  expect(describeRetriedBefore([retry(1, 1), retry(2, 0, 2)])).toEqual([
    "1 event was delivered by p.retry-1.results.csv and is left out.",
    "2 events are unknown since p.retry-2.results.csv and are not sent again under --delivery at-most-once.",
  ]);
  expect(describeRetriedBefore([retry(1, 1000), retry(2, 2), retry(3, 3)])).toEqual([
    "1,005 events were delivered by p.retry-1.results.csv (1,000), p.retry-2.results.csv (2) and p.retry-3.results.csv (3) and are left out.",
  ]);
});
