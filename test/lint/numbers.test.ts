import { describe, expect, it } from "vitest";
import { findingsIn } from "./given-columns.ts";

describe("integers that look like codes", () => {
  const codes = Array.from({ length: 20 }, (_, at) => `${30219 + at}`);
  const integer = "{ column: A, type: integer }";

  it("are reported, with the line that keeps them", () => {
    expect(findingsIn(integer, codes)).toMatchObject([
      { kind: "numbers_like_codes", count: 20, suggestion: "it: { column: A, type: string }" },
    ]);
  });

  it.each([
    [integer, codes.slice(0, 2), "A"],
    [integer, [...codes, "7"], "A"],
    [integer, codes.map((code) => code.slice(0, 4)), "A"],
    [integer.replace("A", "Salary"), codes, "Salary"],
    ["{ column: A, type: integer, min: 1 }", codes, "A"],
    ["A", codes, "A"],
  ])("not %s: %j of %s", (member, given, column) => {
    expect(findingsIn(member, given, { column })).toEqual([]);
  });
});
