import { expect, test } from "vitest";
import { cannotStart } from "../../src/model/errors.ts";

test.each([
  [cannotStart("too_many_invalid", "a.csv", 1300, 12_000, "5"), "1,300 of 12,000 rows cannot"],
  [cannotStart("rows_invalid", "a.csv", 1300), "1,300 rows are invalid"],
  [
    cannotStart("run_unfinished", "a.csv", "eventload resume a.csv"),
    "resume it with eventload resume a.csv",
  ],
])("%s", ({ message }, words) => {
  expect(message).toContain(words);
});
