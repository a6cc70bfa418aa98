import { describe, expect, it } from "vitest";
import { findingsIn, short } from "./given-columns.ts";

describe("decimals in both notations in one column", () => {
  it.each([
    ["A", ["1.234,5", "2,500.5", "3,100.25"], 1, [1]],
    ["A", ["12.5", "7.25", "12,5", "17"], 1, [3]],
    ["A", ["12,5", "-7,25", "+12.5", "17"], 1, [3]],
    ["A", ["1,234,567", "1.234.567", "9,5"], 1, [1]],
    ["{ column: A, type: number }", ["0.125", "12,5"], 1, [2]],
    ["{ column: A, type: decimal, decimal_separator: ',' }", ["0,125", "12.5 ", "1,5"], 1, [2]],
  ])("%s: %j", (member, given, count, rows) => {
    expect(short(findingsIn(member, given))).toEqual([["mixed_notations", count, rows]]);
  });

  it("are shown with one of each", () => {
    const [found] = findingsIn("A", ["1.234,5", "2,500.5", "3,100.25"]);
    expect(found?.message).toBe(
      "1 cell has a decimal comma, as in 1.234,5, and others do not, as in 2,500.5: write them all in one notation",
    );
  });

  it.each([
    ["A", ["12.5", "1,234", "1,234,567.5"]],
    ["A", ["1.234", "1,234"]],
    // Lists, versions, addresses, coordinates and dates are no numbers.
    ["A", ["1,2", "1,2,3", "1.5"]],
    ["A", ["1.2", "1.2.3", "1,5"]],
    ["A", ["10.0.0.1", "10,5", "10.5"]],
    ["A", ["52.5,13.4", "48.1,11.5"]],
    ["A", ["03.04.2024", "1,5", "1.5"]],
    ["{ column: A, map: { '1,5': a, '1.5': b } }", ["1,5", "1.5"]],
  ])("not %s: %j", (member, given) => {
    expect(short(findingsIn(member, given)).filter(([kind]) => kind === "mixed_notations")).toEqual(
      [],
    );
  });
});

describe("a point that may separate thousands", () => {
  const number = "{ column: A, type: number }";

  it.each([
    [
      number,
      ["1.234", "2.500"],
      'it: { column: A, type: number, decimal_separator: ",", thousands_separator: . }',
    ],
    [
      number,
      ["950", "1.234", "-12.500", "100.000"],
      'it: { column: A, type: number, decimal_separator: ",", thousands_separator: . }',
    ],
    [
      "{ column: A, type: decimal }",
      ["1.234", "2.500"],
      'it: { column: A, type: decimal, decimal_separator: ",", thousands_separator: . }',
    ],
  ])("%s: %j", (member, given, suggestion) => {
    const [found, ...others] = findingsIn(member, given);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ kind: "ambiguous_thousands", suggestion });
    expect(found?.message).toContain(
      " and no cell of the column shows whether the point separates",
    );
  });

  it.each([
    [number, ["1.234"]],
    [number, ["1.234", "2.500", "0.125"]],
    [number, ["1.234", "2.500", "2.5"]],
    [number, ["1.234", "2.500", "1250"]],
    [number, ["1.234", "2.500", "1.5e-7"]],
    ["A", ["1.234", "2.500"]],
    ["{ column: A, type: number, decimal_separator: '.' }", ["1.234", "2.500"]],
    ["{ column: A, type: integer, thousands_separator: . }", ["1.234", "2.500"]],
    ["{ column: A, type: number, thousands_separator: ',' }", ["1.234", "2.500"]],
    [
      "{ column: A, type: number, transform: [{ replace: { find: '.', with: '' } }] }",
      ["1.234", "2.500"],
    ],
  ])("not %s: %j", (member, given) => {
    expect(findingsIn(member, given)).toEqual([]);
  });
});

it("degrees have no thousands", () => {
  const member = "{ column: Start Latitude, type: number }";
  expect(findingsIn(member, ["45.125", "46.875"], { column: "Start Latitude" })).toEqual([]);
});

describe("years of two digits in a column of text", () => {
  it.each([
    [["31/12/24", "3/4/23", ""], [1, 2], "it: { column: A, type: date, format: d/M/yy }"],
    [["12/31/24", "Unknown"], [1], "it: { column: A, type: date, format: M/d/yy }"],
    [["31.12.24", "01.02.98"], [1, 2], "it: { column: A, type: date, format: d.M.yy }"],
    [
      ["3-Feb-24", "17-Mar-98"],
      [1, 2],
    ],
  ])("%j", (given, rows, suggestion?: string) => {
    const expected = ["two_digit_years", rows.length, rows];
    expect(short(findingsIn("A", given))).toEqual([
      suggestion === undefined ? expected : [...expected, suggestion],
    ]);
  });

  it.each([
    // Versions, times and part numbers.
    [["1.2.24", "1.3.11", "2.0.5"]],
    [["1.2.24", "2.3.11"]],
    [["12.30.45", "11.59.10"]],
    [["1-2-24", "4-7-33"]],
    [["31/12/24", "12 Main Street", "7 High Street"]],
    [["31/12/2024", "3-Feb-2024"]],
  ])("not %j", (given) => {
    const kinds = findingsIn("A", given).map(({ kind }) => kind);
    expect(kinds).not.toContain("two_digit_years");
  });

  it("not where the mapping reads them, which check says otherwise", () => {
    expect(findingsIn("{ column: A, type: date, format: d/M/yy }", ["31/12/24"])).toEqual([]);
  });
});
