import { expect, test } from "vitest";
import { describePlaces } from "../../src/model/place.ts";

const failed = "people.failed.csv";

test.each([
  [[{ row: 7, line: 8 }], "row 7 (line 8)"],
  [[{ row: 7, line: 8, source: "north.csv" }], "row 7 (line 8 of north.csv)"],
  [[{ row: 7, line: 2, source: "north.csv", resultsFile: failed }], `row 7 (line 2 of ${failed})`],
  [
    [
      { row: 7, line: 2, resultsFile: failed },
      { row: 9, line: 3, resultsFile: failed },
    ],
    "rows 7 (line 2 of people.failed.csv), 9 (line 3 of people.failed.csv)",
  ],
  [
    [
      { row: 7, line: 2, resultsFile: failed },
      { row: 9, line: undefined, resultsFile: failed },
    ],
    "rows 7 (line 2 of people.failed.csv), 9",
  ],
])("%j is told as %s", (places, told) => {
  expect(describePlaces(places, false)).toBe(told);
});
