import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { feature, featuresOf, unitBitsOf } from "../../src/lint/cell-features.ts";
import type { CellClass } from "../../src/lint/lint.ts";
import { lints, subjectsOf } from "../../src/lint/lints.ts";

/** Texts near to what the rules look for. */
const anyCell = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(..." \u00a0\u2007\u202f\t0159+-./,:eETérN#–") },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          ...["2024-05-03", "T10:00", "3/4/2024", "31.12.24", "E+15", "1234567890123450000"],
          ...["00172", "NULL", "n/a", "\\N", "(null)", "<null>", "undefined", "#REF!", "Err:502"],
          ...["####", "nil", "-", "—", "Ã¼", "Ã–", "â€™", "Ð¸Ñ", "Feb-24", "3-Feb", "45325"],
          ...["yes", "oui", "nein", "1,5", "2.5", "Ren\u008e", "1890-01-01"],
        ),
      },
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => parts.join(""));

const use = {
  ...{
    column: "Zip of birth",
    index: 0,
    asText: true,
    keepsSpace: true,
    knownCells: new Set<string>(),
  },
};

const column = { ...use, subjects: subjectsOf(use), thisYear: 2026 };
const features = (cell: string) => featuresOf(cell, unitBitsOf(cell));

describe("the features of a cell", () => {
  it("leave out no cell that a lint puts into a class", () => {
    const columnLints = lints.filter((lint) => lint.suits?.(column) ?? true);
    expect(columnLints.length).toBeGreaterThan(6);
    fc.assert(
      fc.property(anyCell, (cell) => {
        const bits = features(cell);
        const missed = columnLints
          .filter((lint) => (lint.features & bits) === 0)
          .map((lint): [string, CellClass | undefined] => [lint.kind, lint.classOf(cell, column)])
          .filter(([, name]) => name !== undefined);
        expect(missed).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  it("are those that regular expressions find", () => {
    const [digits, number] = [/^\d+$/, /^[\d+-]/];
    fc.assert(
      fc.property(anyCell, (cell) => {
        const bits = features(cell);
        const isAll = digits.test(cell);
        expect((bits & feature.digits) !== 0).toBe(isAll);
        expect((bits & feature.number) !== 0).toBe(number.test(cell) && !isAll);
        if (cell.trim() !== cell) expect(bits & feature.edgeSpace).not.toBe(0);
      }),
      { numRuns: 200 },
    );
    expect(["", "Ada", "ada@example.com"].map((cell) => features(cell))).toEqual([
      0,
      feature.shortWord,
      0,
    ]);
  });
});
