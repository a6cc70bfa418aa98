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
    expect(findingsIn("A", ["03-04-24"], { accepts })[0]?.suggestion).toBe(
      "it: { column: A, type: date, format: d-M-yy }",
    );
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

  it("and dates that are not written like the others", () => {
    const found = findingsIn("A", ["2024-04-03", "13/04/2024", "2024-04-05T10:00:00Z"]);
    expect(short(found)).toEqual([["mixed_date_forms", 1, [2]]]);
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

  it("in rows that are left out it still decides, and is not reported", () => {
    const fateOf = (row: number) => (row === 1 ? ("left_out" as const) : ("sent" as const));
    expect(findingsIn("A", ["31/04/2024", "03/04/2024"], { fateOf })).toEqual([]);
    expect(short(findingsIn("A", ["2024-04-03", "31/04/2024"], { fateOf }))).toEqual([
      ["mixed_date_forms", 1, [2]],
    ]);
    expect(findingsIn("A", ["2024-04-03", "31/04/2024", "30/04/2024"], { fateOf })).toEqual([]);
  });
});

describe("dates that a spreadsheet program has rewritten", () => {
  it.each([
    [["13/12/2024", "13/12/2024", "02/03/24"]],
    [["13/12/2024", "14/12/2024", "02.03.2024"]],
    [["12/13/2024", "12/14/2024", "02.03.2024"]],
    [["2024-02-03", "2024-02-04", "45325"]],
    [["2024-02-03", "2024-02-04", "45325.25"]],
    [["2024-02-03", "2024-02-04", "45325.5"]],
    [["2024-02-03", "2024-02-04", "2024/2/5"]],
    [["2024-02-03", "2024-02-04", "13/2/2024"]],
    [["2024-02-03", "2024-02-04 10:30", "45325"]],
  ])("are told once in %j", (given) => {
    expect(short(findingsIn("A", given))).toEqual([["mixed_date_forms", 1, [3]]]);
  });

  it.each(["3-Feb", "3-Feb-24", "3. Mär", "03 Feb 2024"])("as %s too", (cell) => {
    expect(short(findingsIn("A", ["2024-02-03", "2024-02-04", cell]))).toEqual([
      ["mixed_date_forms", 1, [3]],
    ]);
  });

  it("are reported with space around them", () => {
    const member = "{ column: A, transform: trim }";
    expect(short(findingsIn(member, ["2024-02-03", " 2024-02-04", " 45325 "]))).toEqual([
      ["mixed_date_forms", 1, [3]],
    ]);
  });

  it("are reported with how many there are of each form", () => {
    const given = [
      "2024-02-03",
      "13/02/2024",
      "2024-02-04",
      "45325",
      "2024-02-05",
      "3-Feb",
      "4-Feb",
    ];
    const [found] = findingsIn("A", given);
    expect(short([found!])).toEqual([["mixed_date_forms", 4, [2, 4, 6, 7]]]);
    expect(found?.message).toBe(
      "4 cells hold dates in another form than the rest (3 as 2024-02-03, 2 as 3-Feb, 1 as 13/02/2024, 1 as 45325): a spreadsheet program may have rewritten them; write them all alike. If a part of a date is missing, get it from the source of the file",
    );
  });

  it("are not reported where the order differs too, which comes first", () => {
    expect(short(findingsIn("A", ["13/12/2024", "12/13/24"]))).toEqual([
      ["mixed_date_order", 1, [1]],
    ]);
  });

  it.each([
    [["13/12/2024", "2/3/2024", "02/03/2024"]], // some with zeros
    [["2014-7-1", "2014-10-01"]],
    [["1.2.24", "1.02.24", "10-2-24", "1.12.24"]], // versions
    [["45325", "45326", "Feb-24", "3-Feb", "x"]], // no date for certain
    [["45325", "45326", "45327", "45328", "45329", "2024-02-03"]], // numbers and a date
    [["45325", "12", "123456", "2024-02-03", "2024-02-04"]],
    [["45325", "45326", "12", "2024-02-03", "2024-02-04"]], // an amount among others
    [["2024-02-03", "May-be", "ABC-12", "3-Fox", "0612-12-12", "12.50", "99999", "Agenda-12x"]],
  ])("are not seen in %j", (given) => {
    const kinds = findingsIn("A", given).map(({ kind }) => kind);
    expect(kinds).not.toContain("mixed_date_forms");
  });
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
