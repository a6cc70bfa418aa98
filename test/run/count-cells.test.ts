import { expect, test } from "vitest";
import { createCellCounts } from "../../src/run/check/count-cells.ts";

function counted(cells: readonly string[]) {
  const counts = createCellCounts(["A"]);
  for (const cell of cells) counts.see({ cells: [cell] });
  return counts.counted()[0];
}

test("the cells of a column are counted without the space around, the most frequent first", () => {
  expect(counted(["P", " F", "", "F ", "P", "F"])).toEqual({
    column: "A",
    filled: 5,
    hasMore: false,
    values: [
      ["F", 3],
      ["P", 2],
    ],
    samples: ["P", "F"],
  });
});

test("of more than 500 different cells, or a long one, only the first are known", () => {
  const many = counted(Array.from({ length: 600 }, (_, at) => `n${at}`));
  expect(many).toMatchObject({ filled: 600, hasMore: true, values: [] });
  expect(counted(["P", "x".repeat(201), "P"])).toMatchObject({ filled: 3, hasMore: true });
});
