import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDuplicates, TextHash } from "../../src/lint/duplicates.ts";
import type { Row } from "../../src/model/row.ts";
import { findingsOf, short } from "./given-columns.ts";

describe("duplicate rows", () => {
  it("are reported, and not their keys again, nor keys that many rows share", () => {
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
    ]);
    expect(short(findingsOf("members: {}\n", table))).toEqual([["duplicate_rows", 1, [3]]]);
  });

  it.each([
    [18, []],
    [19, [["duplicate_keys", 1, [20]]]],
  ])("a key that one row shares is reported where %i others have their own", (others, expected) => {
    const unique = Array.from({ length: others - 1 }, (_, at) => [`k${at}`, "x"]);
    const table = [["id", "n"], ["k", "a"], ...unique, ["k", "b"]];
    const found = findingsOf("ordering_key: [id]\nmembers: {}\n", table);
    expect(short(found)).toEqual(expected);
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
      "2 rows were compared only with the first 2 different rows, not with one another",
    ]);
  });

  it("and that remark is about keys where rows have them", () => {
    const [remark, ...others] = messages(2, ["a", "b", "c", "d"], "klmn");
    expect(others).toEqual([]);
    expect(remark?.message).toMatch(
      /^2 rows were compared only with the first 2 different ordering keys,/,
    );
  });

  it("are those that equal the last row of their key, or any row where there are no keys", () => {
    const word = fc.constantFrom("a", " a", "b", "ab", "");
    const anyRows = fc.array(fc.tuple(fc.option(word, { nil: undefined }), word), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(anyRows, (given) => {
        const duplicates = createDuplicates();
        const last = new Map<string | undefined, string>();
        const withoutKey = new Set<string>();
        let expected = 0;
        given.forEach(([key, cell], at) => {
          see(duplicates, { row: at + 1, line: at + 2, cells: [cell] }, key);
          if (key === undefined ? withoutKey.has(cell) : last.get(key) === cell) expected++;
          if (key === undefined) withoutKey.add(cell);
          else last.set(key, cell);
        });
        const found = duplicates.found().find(({ kind }) => kind === "duplicate_rows");
        expect(found?.count ?? 0).toBe(expected);
      }),
    );
  });
});

/** Shows it a row that is sent. */
function see(
  duplicates: ReturnType<typeof createDuplicates>,
  row: Row,
  orderingKey: string | undefined,
): void {
  duplicates.begin();
  for (const cell of row.cells) duplicates.add(cell);
  duplicates.end(row, orderingKey);
}

const hash = new TextHash();

function hashOf(texts: readonly string[]): string {
  hash.begin(0);
  for (const text of texts) hash.add(text);
  hash.end();
  return `${hash.high} ${hash.low}`;
}

describe("the hash of texts", () => {
  it("is the same for the same lists only", () => {
    const anyText = fc.constantFrom("", "a", "b", "ab", "\u0000");
    const anyList = fc.array(anyText, { maxLength: 3 });
    fc.assert(
      fc.property(anyList, anyList, (one, other) => {
        const isSame = JSON.stringify(one) === JSON.stringify(other);
        expect(hashOf(one) === hashOf(other)).toBe(isSame);
      }),
    );
  });

  it("tells a hundred thousand numbers apart", () => {
    const hashes = Array.from({ length: 100_000 }, (_, at) => hashOf([String(at * 20)]));
    expect(new Set(hashes).size).toBe(100_000);
  });
});
