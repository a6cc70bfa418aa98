import { expect, test } from "vitest";
import { noCounts, type StatusCounts } from "../../src/model/outcome.ts";
import { reconcile } from "../../src/run/reconcile.ts";

const counts = { ...noCounts(), succeeded: 3, invalid: 1 };

function writtenOf(rows: number, lines: number, endings: StatusCounts = counts) {
  return { rows, tally: { counts: endings, events: 3, lines, attempts: 3, unanswered: 0 } };
}

const written = writtenOf(3, 4);

test("adds up where every row stands in the results with its outcome", () => {
  expect(reconcile(3, 3, written, counts)).toEqual({
    rowsRead: 3,
    rowsSettled: 3,
    rowsNotSettled: 0,
    rowsWritten: 3,
    lines: 4,
    addsUp: true,
  });
});

const unsent = { ...counts, succeeded: 2, not_sent: 1 };

test.each([
  ["a row was not written", 4, 4, written, counts],
  ["a row was written that was not read", 2, 2, written, counts],
  ["a row has no outcome", 3, 2, written, counts],
  ["a row has ended twice", 3, 4, written, counts],
  ["a line is missing", 3, 3, writtenOf(3, 3), counts],
  ["a line is too many", 3, 3, writtenOf(3, 5), counts],
  ["an outcome was counted twice", 3, 3, written, { ...counts, succeeded: 4 }],
  ["an outcome was counted as another", 3, 3, written, { ...counts, succeeded: 2, failed: 2 }],
  ["an outcome was written twice", 3, 3, writtenOf(3, 4, { ...counts, succeeded: 4 }), counts],
  ["something was not sent", 3, 3, writtenOf(3, 4, unsent), unsent],
  ["it is not known what is on the disk", 3, 3, undefined, counts],
])("does not where %s", (_, rowsRead, rowsSettled, onDisk, endings) => {
  const accounts = reconcile(rowsRead, rowsSettled, onDisk, endings);
  expect(accounts.addsUp).toBe(false);
  expect(accounts.rowsRead).toBe(accounts.rowsSettled + accounts.rowsNotSettled);
});

test("of an empty input adds up", () => {
  expect(reconcile(0, 0, writtenOf(0, 0, noCounts()), noCounts()).addsUp).toBe(true);
});
