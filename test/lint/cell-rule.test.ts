import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CellRule, feature, featuresOf, unitBitsOf } from "../../src/lint/cell-rule.ts";
import { createFindings } from "../../src/lint/create-findings.ts";
import { isIsoDate, mayBeNumericDate } from "../../src/lint/date-forms.ts";
import { dates } from "../../src/lint/dates.ts";
import { doubleEncoding } from "../../src/lint/double-encoding.ts";
import { lostLeadingZeros } from "../../src/lint/leading-zeros.ts";
import { nullValues } from "../../src/lint/null-values.ts";
import { mixedNotations } from "../../src/lint/number-notation.ts";
import { spaces } from "../../src/lint/spaces.ts";
import {
  longNumbers,
  scientificNumbers,
  spreadsheetErrors,
} from "../../src/lint/spreadsheet-damage.ts";

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
        ),
      },
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => parts.join(""));

const use = {
  ...{ column: "Zip", index: 0, asText: true, keepsSpace: true, knownCells: new Set<string>() },
};

const features = (cell: string) => featuresOf(cell, unitBitsOf(cell));

describe("the features of a cell", () => {
  it("leave out no cell in which a rule finds something", () => {
    const makers = [
      ...[scientificNumbers, longNumbers, spreadsheetErrors, doubleEncoding, spaces],
      ...[dates, lostLeadingZeros, nullValues, mixedNotations],
    ];
    const accepts = () => true;
    fc.assert(
      fc.property(fc.array(anyCell, { maxLength: 12 }), (cells) => {
        const findings = createFindings([use], accepts);
        const rules = makers.map((make) => make(use, accepts) as CellRule);
        cells.forEach((cell, at) => {
          const row = { row: at + 1, line: at + 2, cells: [cell] };
          findings.see(row, "invalid");
          for (const rule of rules) rule.see(cell, row, true, features(cell));
        });
        expect(findings.found()).toEqual(rules.flatMap((rule) => rule.found()));
      }),
      { numRuns: 200 },
    );
  });

  it("are those that regular expressions find", () => {
    const [digits, number, noBreak] = [/^\d+$/, /^[\d+-]/, /[\u00a0\u2007\u202f]/];
    fc.assert(
      fc.property(anyCell, (cell) => {
        const bits = features(cell);
        const isAll = digits.test(cell);
        expect((bits & feature.digits) !== 0).toBe(isAll);
        expect((bits & feature.number) !== 0).toBe(number.test(cell) && !isAll);
        expect((bits & feature.noBreakSpace) !== 0).toBe(noBreak.test(cell));
        if (cell.trim() !== cell) expect(bits & feature.edgeSpace).not.toBe(0);
      }),
      { numRuns: 200 },
    );
    expect(["", "Ada", "ada@example.com"].map((cell) => features(cell))).toEqual([0, 0, 0]);
  });

  it("tell dates by their shape", () => {
    const isoDate = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d|$)/;
    const numericDate = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d\d)((?:,? \d{1,2}:\d\d.{0,10})?)$/;
    const near = fc.oneof(
      anyCell,
      fc.stringMatching(/^\d{4}-\d\d-\d\d[T ]?(\d\d:\d\d)?$/),
      fc.stringMatching(/^\d{1,2}[/.-]\d{1,2}[/.-]\d\d(\d\d)?$/),
    );
    fc.assert(
      fc.property(near, (cell) => {
        expect(isIsoDate(cell)).toBe(isoDate.test(cell));
        if (numericDate.test(cell)) expect(mayBeNumericDate(cell)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it("tell numbers with an exponent", () => {
    const scientific = /^\s*[+-]?\d+(?:[.,](\d+))?e([+-]\d{1,3})\s*$/i;
    const near = fc.oneof(anyCell, fc.stringMatching(/^ ?[+-]?\d+[.,]?\d*[eE][+-]\d{1,4} ?$/));
    fc.assert(
      fc.property(near, (cell) => {
        const rule = scientificNumbers(use, () => false) as CellRule;
        rule.see(cell, { row: 1, line: 2 }, true, features(cell));
        expect(rule.found().length).toBe(scientific.test(cell) ? 1 : 0);
      }),
      { numRuns: 200 },
    );
  });
});
