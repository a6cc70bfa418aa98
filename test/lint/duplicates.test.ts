import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDuplicates, type Duplicates } from "../../src/lint/duplicates.ts";
import type { Row } from "../../src/model/row.ts";
import { findingsOf, short } from "./given-columns.ts";

describe("duplicate rows", () => {
  it("are reported, and keys that several rows share", () => {
    const table = [
      ["id", "n"],
      ["1", "a"],
      ["2", "a"],
      ["1", "a"],
      ["1", "b"],
      ["", "c"],
      ["", "d"],
    ];
    expect(short(findingsOf("ordering_key: [id]\nmembers: {}\n", table))).toEqual([
      ["duplicate_rows", 1, [3]],
      ["duplicate_keys", 2, [3, 4]],
    ]);
    expect(short(findingsOf("members: {}\n", table))).toEqual([["duplicate_rows", 1, [3]]]);
  });

  it("are not those of which nothing is sent", () => {
    const table = [["id"], ["1"], ["1"]];
    const fateOf = () => "invalid" as const;
    expect(findingsOf("ordering_key: [id]\nmembers: {}\n", table, { fateOf })).toEqual([]);
  });

  it("nor the lines of a results file that stand for other events of their row", () => {
    const duplicates = createDuplicates();
    const earlier = { unanswered: 0, errorCode: "", error: "", eventId: "" };
    const line = (event: number) => ({
      row: 1,
      line: 2,
      cells: ["a"],
      earlier: { ...earlier, event },
    });
    see(duplicates, line(1), "k");
    see(duplicates, line(2), "k");
    expect(duplicates.found()).toEqual([]);
    see(duplicates, line(2), "k");
    expect(duplicates.found().map(({ kind, count }) => [kind, count])).toEqual([
      ["duplicate_rows", 1],
      ["duplicate_keys", 1],
    ]);
  });

  const messages = (most: number, rows: readonly string[], keys?: string) => {
    const duplicates = createDuplicates(most);
    rows.forEach((cell, at) => {
      see(duplicates, { row: at + 1, line: at + 2, cells: [cell] }, keys?.[at]);
    });
    return duplicates.found();
  };

  it("are looked for among as many as are remembered, and a remark says so", () => {
    expect(messages(2, ["a", "b", "c", "c", "a"]).map(({ message }) => message)).toEqual([
      "1 row is the same as an earlier one and is sent anyway: remove duplicates that are not intended",
      "duplicates were found only among the first 2 different rows: 2 rows after them were compared only with these",
    ]);
  });

  it("nor is that left unsaid where none was found", () => {
    expect(short(messages(2, ["a", "b", "c"]))).toEqual([["duplicates_not_searched", 1, [3]]]);
    expect(messages(2, ["a", "b"])).toEqual([]);
    expect(short(messages(2, ["a", "b", "a"]))).toEqual([["duplicate_rows", 1, [3]]]);
  });

  it("and that remark is about keys where rows have them", () => {
    const [remark, ...others] = messages(2, ["a", "b", "c", "d"], "klmn");
    expect(others).toEqual([]);
    expect(remark?.message).toMatch(
      /among the first 2 different ordering keys: 2 rows after them were compared only with these$/,
    );
  });

  it("are those that equal the last row of their key, or any row where there are no keys", () => {
    const word = fc.constantFrom("a", "b", "ab", "");
    const anyRows = fc.array(fc.tuple(fc.option(word, { nil: undefined }), word), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(anyRows, (given) => {
        const duplicates = createDuplicates();
        const last = new Map<string | undefined, string>();
        const withoutKey = new Set<string>();
        const expected = { duplicate_rows: 0, duplicate_keys: 0 };
        given.forEach(([key, cell], at) => {
          see(duplicates, { row: at + 1, line: at + 2, cells: [cell] }, key);
          if (key === undefined) {
            if (withoutKey.has(cell)) expected.duplicate_rows++;
            withoutKey.add(cell);
            return;
          }
          if (last.has(key)) expected.duplicate_keys++;
          if (last.get(key) === cell) expected.duplicate_rows++;
          last.set(key, cell);
        });
        const found = Object.fromEntries(
          duplicates.found().map(({ kind, count }) => [kind, count]),
        );
        expect({ duplicate_rows: 0, duplicate_keys: 0, ...found }).toEqual(expected);
      }),
    );
  });
});

/** Shows it a row that is sent. */
function see(duplicates: Duplicates, row: Row, orderingKey: string | undefined): void {
  duplicates.begin(row);
  for (const cell of row.cells) duplicates.add(cell);
  duplicates.end(row, orderingKey);
}
