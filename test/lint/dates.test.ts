import { describe, expect, it } from "vitest";
import { findingsIn, short } from "./given-columns.ts";

/** As if the mapping language had everything. */
const accepts = () => true;

describe("the order of day and month", () => {
  it("is asked for where no cell decides it", () => {
    const found = findingsIn("A", ["03/04/2024", "05/05/2024", "01/02/2024", ""], { accepts });
    expect(short(found)).toEqual([
      ["ambiguous_date_order", 2, [1, 3], "it: { column: A, type: date, format: d/M/yyyy }"],
    ]);
    for (const cells of [["03-04-24"], ["03/04/2024 10:30"], ["03/04/2024", "05-05-2024"]]) {
      const [open] = findingsIn("A", cells, { accepts });
      expect(open?.kind).toBe("ambiguous_date_order");
      expect(open).not.toHaveProperty("suggestion");
    }
  });

  it.each([
    [["03/04/2024", "31/04/2024"]],
    [["03/04/2024", "04/13/2024"]],
    [["03.04.2024"]],
    [["05/05/2024"]],
    [["2024-04-03"]],
    [["1/2", "13/14/2024", "0/1/2024", "1/2/345", "10/12/2024 apples", "1.2.3.4"]],
  ])("is no question in %j", (cells) => {
    expect(findingsIn("A", cells)).toEqual([]);
  });

  it("is reported where it differs from cell to cell", () => {
    const found = findingsIn("A", ["31/04/2024", "04/13/2024 10:30", "03/04/2024", "12/25/2024"]);
    expect(short(found)).toEqual([["mixed_date_order", 1, [1]]]);
    expect(found[0]?.message).toContain("1 cell has the day first, as in 31/04/2024");
  });

  it.each([" 03/04/2024", "03/04/2024 ", "\u00a003/04/2024"])(
    "is asked for in %j too, whether or not the mapping takes the space off",
    (cell) => {
      for (const member of ["A", "{ column: A, transform: trim }"]) {
        const kinds = findingsIn(member, [cell]).map(({ kind }) => kind);
        expect(kinds).toContain("ambiguous_date_order");
      }
    },
  );
});
