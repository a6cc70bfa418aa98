import { expect, test } from "vitest";
import { reconcile } from "../../src/domain/accounts.ts";
import { noEndings } from "../../src/domain/outcome.ts";

const written = { rowsWritten: 3, rowsSettled: 3, linesWritten: 4 };
const counts = { ...noEndings(), succeeded: 3, invalid: 1 };

test("adds up where every row stands in the results with its outcome", () => {
  expect(reconcile(3, written, counts)).toEqual({
    rowsRead: 3,
    rowsSettled: 3,
    rowsNotSettled: 0,
    lines: 4,
    addsUp: true,
  });
});

test.each([
  ["a row was not written", 4, written, counts],
  ["a row was written that was not read", 2, written, counts],
  ["a row has no outcome", 3, { ...written, rowsSettled: 2 }, counts],
  ["a line is missing", 3, { ...written, linesWritten: 3 }, counts],
  ["a line is too many", 3, { ...written, linesWritten: 5 }, counts],
  ["an outcome was counted twice", 3, written, { ...counts, succeeded: 4 }],
  ["something was not sent", 3, written, { ...counts, succeeded: 2, not_sent: 1 }],
])("does not where %s", (_, rows, tally, endings) => {
  const accounts = reconcile(rows, tally, endings);
  expect(accounts.addsUp).toBe(false);
  expect(accounts.rowsRead).toBe(accounts.rowsSettled + accounts.rowsNotSettled);
});
