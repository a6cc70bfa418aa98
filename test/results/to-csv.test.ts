import fc from "fast-check";
import { expect, test } from "vitest";
import { toCsv } from "../../src/results/to-csv.ts";
import { nastyCells } from "../nasty-cells.ts";
import { parseCsvText } from "../temporary-folder.ts";

const tables = fc.integer({ min: 1, max: 5 }).chain((columns) =>
  fc.array(fc.array(nastyCells, { minLength: columns, maxLength: columns }), {
    minLength: 1,
    maxLength: 8,
  }),
);

test("whatever is in the cells is read again as it was", () => {
  fc.assert(
    fc.property(tables, (lines) => {
      expect(parseCsvText(toCsv(lines))).toEqual(lines);
    }),
    { numRuns: 500 },
  );
});

test("plain cells stand without quotes, so that a person can read them", () => {
  expect(toCsv([["a", "00172", "x y", ""]])).toBe("a,00172,x y,\n");
});
