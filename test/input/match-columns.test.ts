import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchColumns } from "../../src/input/match-columns.ts";

const first = "a.csv";

describe("a header that differs", () => {
  it.each([
    [["Email", "Age"], ["Email"], ['it has no "Age"']],
    [["Email"], ["Email", "Age"], ['it has "Age", which a.csv lacks']],
    [["Email"], ["email "], ['it has no "Email"', 'it has "email ", which a.csv lacks']],
    [
      ["Email", "Age", "Zip"],
      ["E-Mail", "Age", "Land"],
      ['it has no "Email", "Zip"', 'it has "E-Mail", "Land", which a.csv lacks'],
    ],
    [["a", "a"], ["a"], ['it has no "a"']],
    [["a", "b"], ["a", "b", "a"], ['it has "a", which a.csv lacks']],
    [["a"], ["a", "a", "b", "a"], ['it has "a", "b", "a", which a.csv lacks']],
    [
      ["a", "b", "a"],
      ["a", "a", "b"],
      [
        "its columns come in another order, and as several have the same name, they cannot be told apart",
      ],
    ],
  ])("%j, %j: %j", (columns, found, differences) => {
    expect(matchColumns(columns, found, first)).toEqual({ kind: "different", differences });
  });

  it("by very much is shown in short", () => {
    const columns = Array.from({ length: 300 }, (_, at) => `c${at}`);
    expect(matchColumns(columns, ["c0"], first)).toEqual({
      kind: "different",
      differences: ['it has no "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8" and 291 more'],
    });
  });
});

it("columns that names tell apart are found in any order, and else only in the same", () => {
  const names = fc.array(fc.constantFrom("a", "b", "c", "constructor", "__proto__"), {
    minLength: 1,
    maxLength: 4,
  });
  const both = names.chain((columns) =>
    fc.tuple(
      fc.constant(columns),
      fc.shuffledSubarray(columns, { minLength: columns.length, maxLength: columns.length }),
    ),
  );
  fc.assert(
    fc.property(both, ([columns, found]) => {
      const match = matchColumns(columns, found, first);
      const isSame = columns.join() === found.join();
      const isUnique = new Set(columns).size === columns.length;
      expect(match.kind).toBe(isSame ? "same" : isUnique ? "reordered" : "different");
      if (match.kind !== "reordered") return;
      expect(match.places.map((place) => found[place])).toEqual(columns);
    }),
  );
});
