import { describe, expect, it } from "vitest";
import { findingsIn } from "./given-columns.ts";

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

describe("integers that look like codes", () => {
  const codes = Array.from({ length: 20 }, (_, at) => `${30219 + at}`);
  const integer = "{ column: A, type: integer }";

  it("are reported, with the line that keeps them", () => {
    expect(findingsIn(integer, codes)).toMatchObject([
      { kind: "numbers_like_codes", count: 20, suggestion: "it: { column: A, type: string }" },
    ]);
  });

  it.each([
    [integer, codes.slice(1), "A"],
    [integer, [...codes, "7"], "A"],
    [integer, codes.map((code) => code.slice(0, 4)), "A"],
    [integer.replace("A", "Salary"), codes, "Salary"],
    ["{ column: A, type: integer, min: 1 }", codes, "A"],
    ["A", codes, "A"],
  ])("not %s: %j of %s", (member, given, column) => {
    expect(findingsIn(member, given, { column })).toEqual([]);
  });
});
