import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { alterationOf } from "../../src/lint/alteration.ts";
import { createAlteredCells } from "../../src/lint/altered-cells.ts";

test.each([
  ["00172", "172", "zeros"],
  ["0049176", "49176", "zeros"],
  ["000", "0", "zeros"],
  ["00172", "172.0", "zeros"],
  ["1234567890123456", "1.23457E+15", "exponent"],
  ["1234567890123456", "1,23E+15", "exponent"],
  ["001234567890123", "1.23457E+12", "exponent"],
  ["12E5", "1.20E+06", "exponent"],
  ["0.00001", "1E-05", "exponent"],
  ["4111111111111111", "4111111111111110", "digits"],
  ["-4111111111111111", "-4111111111111110", "digits"],
  ["12345678901234567", "12345678901234568", "digits"],
  ["52.370215712345", "52.3702157", "digits"],
  ["2024-02-03", "03/02/2024", "date"],
  ["2024-02-03", "02/03/2024", "date"],
  ["2024-02-03", "03.02.24", "date"],
  ["2024-02-03", "24/2/3", "date"],
  ["5/6/68", "1968-05-06", "date"],
  ["2024-02-03", "2/3/24", "date"],
  ["03.04.1990", "3.4.1990", "date"],
  ["2024-02-03", "3-Feb-24", "date"],
  ["2024-02-03", "Feb-24", "date"],
  ["3 February 2024", "03. Feb 24", "date"],
  ["2024-02-03 22:20:30", "03/02/2024 22:20", "date"],
  ["2024-02-03T22:20:30Z", "2/3/2024 10:20:30 PM", "date"],
  ["2024-02-03 00:00", "03/02/2024", "date"],
  ["08:30", "8:30:00", "date"],
  ["2024-02-03", "45325", "date"],
  ["45325", "3/2/2024", "date"],
  ["3/4", "4-Mar", "becameDate"],
  ["1-2", "02. Jan", "becameDate"],
  ["2024-03", "Mrz 24", "becameDate"],
  ["MARCH1", "1-Mar", "becameDate"],
  ["1.50", "1.5", "number"],
  ["1.5", "1,5", "number"],
  [".5", "0.5", "number"],
  ["12", "12.0", "number"],
  ["+31612345678", "31612345678", "number"],
  ["1E5", "100000", "number"],
  ["true", "TRUE", "number"],
  ["true", "WAHR", "number"],
  ["FALSE", "FALSO", "number"],
  ["vrai", "TRUE", "number"],
  ["=A1>1", "VERDADERO", "formula"],
  ["0.125", "12,50%", "number"],
  ["12.5%", "12,50 %", "number"],
  ["12.5%", "0.125", "number"],
  ["-5%", "-5.00%", "number"],
  ["07%", "7%", "number"],
  ["Zoë", "ZoÃ«", "letters"],
  ["Dvořák", "DvoĹ™Ăˇk", "letters"],
  ["Čapek", "?apek", "letters"],
  ["Zoë Čapek", "Zoë \ufffdapek", "letters"],
  ["+Ann", "#NAME?", "error"],
] as const)("%j as %j is what programs do", (before, after, alteration) => {
  expect(alterationOf(before, after)).toBe(alteration);
});

test.each([
  ["ann@exmaple.com", "ann@example.com"],
  ["172", "00172"],
  ["", "NL"],
  ["00172", ""],
  ["00172", "173"],
  ["1234567890123456", "1.3E+15"],
  ["1234567890123456", "1234567890123457"],
  ["12345678901234567", "12345678901234569"],
  ["2024-02-31", "2024-02-28"],
  ["2024-02-03 10:20", "2024-02-03 11:20"],
  ["2024-02-03", "45326"],
  ["2024-02-03", "2024-03-02"],
  ["2024-02-03", "02.03.2024"],
  ["2024-02-03", "2-Mar-24"],
  ["2024-02-03", "45353"],
  ["03.02.2024", "2024-03-02"],
  ["2068-05-06", "1968-05-06"],
  ["2068-05-06", "06.05.1968"],
  ["12.5", "12"],
  ["1.25", "1.3"],
  ["Zoe", "Zoë"],
  ["ZoÃ«", "Zoë"],
  ["Zoë", "Zoe"],
  ["?", "!"],
  ["3/4", "Smith"],
  ["true", "false"],
  ["true", "FALSCH"],
  ["true", "yes"],
  ["0.125", "12.6%"],
  ["12%", "12"],
  ["Main Street 5", "Main Street 6"],
  ["a".repeat(100_000), "b".repeat(100_000)],
])("%j as %j is what a person does", (before, after) => {
  expect(alterationOf(before, after)).toBeUndefined();
});

/** What is found in one column of a file, all of whose lines were refused unless said otherwise. */
function found(
  pairs: readonly (readonly [before: string, after: string])[],
  { isToBeFixed = true, other = "", isToRestore = false, wasWrong = false, isRead = true } = {},
) {
  const columns = ["A", "B"].map((column, index) => ({ column, index, isRead }));
  const cells = createAlteredCells(columns, isToRestore);
  pairs.forEach(([before, after], at) => {
    cells.see({
      place: { row: at + 1, line: at + 2 },
      ...{ cells: [after, other], cellsBefore: [before, ""], isToBeFixed },
      wasWrong: () => wasWrong,
      isSameWith: () => false,
    });
  });
  return cells.found().map(({ alteration, count }) => `${alteration} ${count}`);
}

const times = <Item>(count: number, item: Item) => Array.from({ length: count }, () => item);

describe("the fix of a person is none of a program", () => {
  const lost = ["00172", "172"] as const;
  const kept = ["00420", "00420"] as const;
  const date = ["2024-02-03", "3/2/2024"] as const;

  test.each([
    ["lost zeros of one row", found([lost]), ["zeros 1"]],
    [
      "another date in one, where it is not wanted",
      found([date], { isToRestore: true }),
      ["date 1"],
    ],
    ["in one that was wrong", found(times(9, date), { wasWrong: true }), []],
    [
      "in one that was wrong, where it is not wanted",
      found([date], { wasWrong: true, isToRestore: true }),
      ["date 1"],
    ],
    [
      "in one of two that were wrong, where it is not wanted",
      found([date, kept, ["2024-02-04", "2024-02-04"]], { wasWrong: true, isToRestore: true }),
      [],
    ],
    [
      "of one among many, where nobody reads it",
      found([lost, ...times(48, kept)], { isRead: false }),
      ["zeros 1"],
    ],
    ["of one, where others kept theirs", found([lost, kept]), []],
    [
      "an error of one, where others kept their zeros",
      found([["00172", "#N/A"], ...times(9, kept)]),
      ["error 1"],
    ],
    ["of all but one", found([...times(9, lost), kept]), ["zeros 9"]],
    ["of two in fifty", found([...times(2, lost), ...times(48, kept)]), []],
    ["another date in two refused lines", found([date, date]), []],
    ["in three", found([date, date, date]), ["date 3"]],
    ["in one, beside another fix", found([date], { other: "x" }), ["date 1"]],
    ["in one that was not refused", found([date], { isToBeFixed: false }), ["date 1"]],
    [
      "of one row in twenty",
      found([...times(3, date), ...times(17, ["2024-02-04", "2024-02-04"] as const)]),
      [],
    ],
    [
      "of the dates that a program knows as such",
      found([...times(4, date), ...times(6, ["23/04/2024", "23/04/2024"] as const)]),
      ["date 4"],
    ],
    [
      "an exponent of one row in fifty",
      found([["491761234567", "4.9E+11"], ...times(49, ["491761234567", "491761234567"] as const)]),
      ["exponent 1"],
    ],
  ])("%s", (_what, result, expected) => {
    expect(result).toEqual(expected);
  });

  test("whatever text takes the place of others", () => {
    const word = fc.stringMatching(/^[a-z]{3,9}( [a-z]{3,9})?$/);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string(), word), { minLength: 1, maxLength: 20 }),
        (pairs) => {
          const texts = pairs.filter(
            ([before]) => !/\d/.test(before) && !/^\s*(true|false)\s*$/i.test(before),
          );
          expect(found(texts)).toEqual([]);
        },
      ),
    );
  });
});

test("codes, numbers and dates that are written as a program writes them are all detected", () => {
  const day = fc.integer({ min: 11_000, max: 66_000 }).map((serial) => ({
    serial,
    iso: new Date((serial - 25_569) * 86_400_000).toISOString().slice(0, 10),
  }));
  const pairs = fc.oneof(
    fc.stringMatching(/^0{1,4}[1-9]\d{0,9}$/).map((code) => [code, String(Number(code))]),
    fc.stringMatching(/^[1-9]\d{11,19}$/).map((code) => [code, Number(code).toExponential(2)]),
    fc.stringMatching(/^[1-9]\d{0,5}\.\d?0$/).map((text) => [text, String(Number(text))]),
    day.map(({ iso }) => {
      const [year, month, ofMonth] = iso.split("-").map(Number);
      return [iso, `${month}/${ofMonth}/${year}`];
    }),
    day.map(({ iso, serial }) => [iso, String(serial)]),
  );
  fc.assert(
    fc.property(pairs, ([before = "", after = ""]) => {
      expect(found(times(10, [before, after] as const))).toHaveLength(1);
    }),
  );
});
