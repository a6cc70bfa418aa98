import { expect, test } from "vitest";
import { describeChanges } from "../../src/cli/describe-changes.ts";

test.each([
  [{ compared: 9, changed: 0, rewritten: 0 }, undefined],
  [{ compared: 100, changed: 19, rewritten: 0 }, "note"],
  [{ compared: 100, changed: 49, rewritten: 0 }, "note"],
  [{ compared: 19, changed: 19, rewritten: 0 }, "note"],
  [{ compared: 100, changed: 50, rewritten: 0 }, "warning"],
  [{ compared: 9, changed: 0, rewritten: 1 }, "warning"],
])("more than anyone mends by hand is warned of: %j", (changes, kind) => {
  expect(describeChanges(changes)?.kind).toBe(kind);
});

test("the warning says what such programs do", () => {
  expect(describeChanges({ compared: 1312, changed: 1097, rewritten: 0 })?.message).toBe(
    "1,097 of 1,312 events differ from what was sent then, and get new ids: if nobody mended so many, a spreadsheet program has changed them; look whether leading zeros, dates, decimals and long numbers are as they were.",
  );
});
