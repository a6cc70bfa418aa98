import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { feature, featuresOf, unitBitsOf } from "../../src/lint/cell-features.ts";
import { lints, subjectsOf } from "../../src/lint/lints.ts";

/** Texts near to what the rules look for. */
const anyCell = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(..." \u00a0\u2007\u202f\t0159+-./,:@eETérN#–") },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          ...["2024-05-03", "T10:00", "3/4/2024", "31.12.24", "1.5E+15", "1234567890123450000"],
          ...["00172", "NULL", "n/a", "\\N", "(null)", "<null>", "undefined", "#REF!", "Err:502"],
          ...["####", "nil", "-", "—", "Ã¼", "Ã–", "â€™", "Ð¸Ñ", "Feb-24", "3-Feb", "45325"],
          ...["yes", "oui", "nein", "1,5", "2.5", "Ren\u008e", "1890-01-01", "18900101", "a@x.io"],
        ),
      },
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => parts.join(""));

const use = { column: "Zip of birth", index: 0, asText: true, knownCells: new Set<string>() };
/** Each lint suits one of them. */
const columns = [
  { ...use, keepsSpace: true },
  { ...use, keepsSpace: true, asText: false, asNumber: true as const },
].map((one) => ({ ...one, subjects: subjectsOf(one), thisYear: 2026 }));
const features = (cell: string) => featuresOf(cell, unitBitsOf(cell));

const cells = fc.sample(anyCell, 20_000);

describe.each(lints.map((lint) => [lint.kind, lint] as const))("%s", (_, lint) => {
  const column = columns.find((one) => lint.suits?.(one) ?? true) ?? expect.fail("none suits");
  const found = cells.filter((cell) => lint.classOf(cell, column) !== undefined);

  it("sees each cell that it puts into a class, by the features that it names", () => {
    expect(found).not.toEqual([]); // else the cells above lack what it looks for
    expect(found.filter((cell) => (lint.features & features(cell)) === 0)).toEqual([]);
  });

  it("would not without any one of them", () => {
    const needed = new Set(found.map((cell) => features(cell) & lint.features));
    for (const one of Object.values(feature)) {
      if ((lint.features & one) !== 0) expect(needed).toContain(one);
    }
  });
});

describe("the features of a cell", () => {
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
