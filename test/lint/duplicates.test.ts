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

  it("and it is said once of rows and keys", () => {
    const [remark, ...others] = messages(2, ["a", "b", "c", "d"], "klmn");
    expect(others).toEqual([]);
    expect(remark?.message).toMatch(
      /2 rows after them were compared only with these, and keys of ordering_key likewise$/,
    );
  });
});

/** Shows it a row that is sent. */
function see(duplicates: Duplicates, row: Row, orderingKey: string | undefined): void {
  duplicates.begin(row);
  for (const cell of row.cells) duplicates.add(cell);
  duplicates.end(row, orderingKey);
}
