import { describe, expect, it } from "vitest";
import { createDecoder } from "../../src/input/decode-bytes.ts";
import { quote } from "../../src/model/row.ts";
import { findingsIn, findingsOf, short } from "./given-columns.ts";

/** As if the mapping language had everything. */
const accepts = () => true;

describe("numbers in scientific notation", () => {
  it.each(["1.23457E+15", "1,23457E+15", "1E+15", " 1.23457E+15"])(
    "%s has lost digits, which no setting brings back",
    (cell) => {
      const [found] = findingsIn("A", ["2.5e-7", cell]);
      expect(found).toMatchObject({ kind: "scientific_numbers", count: 1, first: [{ row: 2 }] });
      expect(found).not.toHaveProperty("suggestion");
      expect(found?.message).toContain("are lost. Get the column from the source of the file");
    },
  );

  it.each(["1e+05", "2.5e-7", "1.25E+1", "12E5"])("%s shows all digits", (cell) => {
    expect(findingsIn("A", ["12", cell, cell])).toEqual([]);
  });

  it("a number that the mapping takes for one is reported where digits are lost", () => {
    const found = findingsIn("{ column: A, type: number }", ["1.5E-7", "1.23457E+15", "1.25E+1"]);
    expect(short(found)).toEqual([["scientific_numbers", 1, [2]]]);
  });
});

describe("long numbers", () => {
  const cut = "4111111111111110";

  it.each([[[cut, cut, "4111111111111111"]], [["123", cut, "12345678901234500000"]]])(
    "%j have lost what stood after 15 digits",
    (given) => {
      expect(short(findingsIn("A", given)).at(0)?.slice(0, 2)).toEqual(["long_numbers", 2]);
    },
  );

  it.each([
    [[cut, "4111111111111111"]],
    [["411111111111110"]],
    [["0000000000000000"]],
    // A round number.
    [["100000000000000000000"]],
  ])("%j may be as they should", (given) => {
    expect(findingsIn("A", given).filter(({ kind }) => kind === "long_numbers")).toEqual([]);
  });
});

describe("UTF-8 that was read as windows-1252", () => {
  const windows1252 = createDecoder("windows-1252");
  /** Bytes that have no meaning in it are kept, as browsers and Excel do. */
  const asWindows1252 = (text: string) =>
    Array.from(Buffer.from(text), (byte) => {
      const one = Buffer.of(byte);
      return windows1252(one, false) ?? one.toString("latin1");
    }).join("");

  it.each([
    ...["Müller", "ÖSTERREICH", "Österreich", "Åsa", "É. Zola", "Ça va", "São", "à la", "naïve"],
    ...["Čeněk", "Łódź", "Şule", "don’t", "“so”", "1 – 2", "5 €", "A™", "21 °C", "10\u00a0kg"],
    ...["Иван", "Ελένη", "\ufeffAnn", "Straße 5"],
  ])("%s", (text) => {
    const asLatin1 = Buffer.from(text).toString("latin1");
    for (const cell of [asLatin1, asWindows1252(text)]) {
      const found = findingsIn("A", ["Ann", cell]).filter(({ kind }) => kind === "double_encoding");
      expect(found).toMatchObject([{ count: 1, first: [{ row: 2 }] }]);
      expect(found[0]?.message).toContain(quote(text));
      expect(found[0]).not.toHaveProperty("suggestion");
    }
  });
});

describe("spaces", () => {
  it("around a cell that are sent along, with the line that takes them off", () => {
    const cells = ["a", " a", "a ", "a\u00a0", "\u3000a", "a b", "  "];
    expect(short(findingsIn("A", cells))).toEqual([
      ["surrounding_spaces", 4, [2, 3, 4, 5], "it: { column: A, transform: trim }"],
    ]);
    expect(short(findingsIn("{ column: A, transform: lowercase }", [" a"]))).toEqual([
      ["surrounding_spaces", 1, [1], "it: { column: A, transform: [ trim, lowercase ] }"],
    ]);
  });

  it("around a cell that the member trims and the ordering key does not", () => {
    const table = [["A"], ["a "], ["a"]];
    const trims = "members: { it: { column: A, transform: trim } }\n";
    const [found, ...others] = findingsOf(`ordering_key: [A]\n${trims}`, table);
    expect(found?.message).toBe(
      "1 cell begins or ends with space, which makes an ordering key of its own: give the column transform: trim in ordering_key",
    );
    expect([found?.suggestion, ...others]).toEqual([undefined]);
  });
});

describe("leading zeros that the mapping drops", () => {
  it.each(["integer", "number", "decimal"])("are reported for a code as %s", (type) => {
    const member = `{ column: A, type: ${type} }`;
    const found = findingsIn(member, ["00172", "98101", " 0420 ", "0", "12"]);
    expect(short(found)).toEqual([
      ["dropped_leading_zeros", 2, [1, 3], "it: { column: A, type: string }"],
    ]);
    expect(found[0]?.message).toBe(
      "2 cells begin with a zero, which the number made of them does not keep: 00172 becomes 172. If it is a code, map it as text",
    );
  });
});

describe("lost leading zeros", () => {
  it("show beside cells that have them", () => {
    expect(short(findingsIn("A", ["00172", "98101", "172", "x", "1", "172"], { accepts }))).toEqual(
      [["lost_leading_zeros", 3, [3, 5, 6]]],
    );
  });

  it.each(["Zip", "ZIP Code", "postal_code", "PLZ", "MailingPostalCode", "BillingZip"])(
    "a column %s needs no other",
    (column) => {
      const found = findingsIn(column, ["98101", "98102", "2139"], { column });
      expect(short(found)).toEqual([["lost_leading_zeros", 1, [3]]]);
    },
  );

  it.each(["Kostenstelle", "Hotel code", "Cancelled no"])(
    "a column %s is not of phones, whose zeros may be missing",
    (column) => {
      const found = findingsIn(column, ["00172", "98101", "172", "98102"], { column });
      expect(short(found)).toEqual([["lost_leading_zeros", 1, [3]]]);
    },
  );

  it.each(["Telefon", "Tel.", "Mobiltelefon", "teléfono", "WorkPhone", "Cell", "cell_number"])(
    "a column %s is of phones",
    (column) => {
      expect(findingsIn(column, ["00172", "98101", "172", "98102"], { column })).toEqual([]);
    },
  );

  const codes = Array.from({ length: 2000 }, (_, at) => String(at * 49).padStart(5, "0"));
  const damaged = codes.map((code, at) => (at > 21 && at <= 124 ? String(Number(code)) : code));

  it.each(["902101234", "0123", "00", "1234567", " 98101 "])(
    "show as well where one cell is odd: %j",
    (odd) => {
      const kinds = findingsIn("A", [...damaged, odd]).filter(
        ({ kind }) => kind === "lost_leading_zeros",
      );
      expect(kinds.map(({ count }) => count)).toEqual([103]);
    },
  );

  it.each(["00123", "007", "00", "0"])("one %s makes no codes of ordinary numbers", (odd) => {
    const ids = Array.from({ length: 20_000 }, (_, at) => String(at + 1));
    const quantities = Array.from({ length: 2000 }, (_, at) => String((at * 7) % 150));
    const prices = Array.from({ length: 2000 }, (_, at) => String(at * 5));
    for (const numbers of [ids, quantities, prices]) {
      expect(findingsIn("A", [...numbers, odd])).toEqual([]);
    }
  });

  it("show among postal codes that keep their zeros if they are few", () => {
    const given = Array.from({ length: 60 }, (_, at) => (at % 4 === 0 ? "01067" : "10115"));
    const found = findingsIn("PLZ", [...given, "1067", "1067"], { column: "PLZ" });
    expect(found).toMatchObject([{ kind: "lost_leading_zeros", count: 2 }]);
  });
});

describe("text that means a missing value", () => {
  it("is counted, with the words that were found", () => {
    const cells = ["NULL", "a", "#REF!", "NULL", " - "];
    const [found] = findingsIn("{ column: A, transform: trim }", cells, { accepts });
    expect(short([found!])).toEqual([
      ["null_values", 4, [1, 3, 4, 5], 'null_values: [ "NULL", "#REF!", "-" ]'],
    ]);
    expect(found?.message).toBe(
      "4 cells hold text that may mean a missing value (NULL, #REF!, -): clear them if so",
    );
  });
});

describe("cells of several forms", () => {
  const rows = (count: number, cell: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => cell(at));

  it.each<[string, string, readonly string[], string?]>([
    [
      "mixed_date_forms",
      "A",
      rows(20, (at) => (at % 9 ? `2024-01-0${at % 9}` : "31.12.2024")),
      "it: { column: A, type: date, format: [ iso, d.M.yyyy ] }",
    ],
    ["mixed_date_forms", "A", ["2024-01-01", "01/02/2024", "2024-01-01"]],
    [
      "mixed_decimals",
      "A",
      ["1,5", "2.25", "7", "8,25"],
      'it: { column: A, transform: { replace: { pattern: ",(\\\\d{1,2})$", with: .$1 } }, type: number }',
    ],
    [
      "mixed_decimals",
      "A",
      ["1.250,00", "99.50", "45.00", "85,00"],
      'it: { column: A, transform: { replace: { pattern: "[.](\\\\d{1,2})$", with: ",$1" } }, type: number, decimal_separator: ",", thousands_separator: . }',
    ],
    ["mixed_decimals", "A", ["2,500,000.25", "1.500.000,25", "2,500,001.25"]],
    ["mixed_decimals", "A", ["1 500,5", "2.25", "1'500.25", "8,25"]],
    [
      "mixed_yes_and_no",
      "A",
      ["ja", "nein", "oui", "non", "Ja"],
      "it: { column: A, type: boolean, true_values: [ ja, oui ], false_values: [ nein, non ] }",
    ],
    [
      "mixed_yes_and_no",
      "A",
      ["ja", "nein", "oui", "non", "Ja", "x", "vielleicht"],
      "it: { column: A, type: boolean, true_values: [ ja, oui ], false_values: [ nein, non ] }",
    ],
    ["control_characters", "A", ["Ren\u008e", "Ann"]],
    ["control_characters", "A", ["Jos\ufffd", "Ann"]],
    ["unlikely_birthdays", "Birthday", ["2531-05-06", "1988-01-02", "31/12/2540"]],
    ["unlikely_birthdays", "{ column: Birthday, type: date }", ["1888-05-06"]],
  ])("are reported: %s in %s", (kind, member, cells, suggestion) => {
    const column = /Birthday/.exec(member)?.[0] ?? "A";
    const found = findingsIn(member, cells, { column, accepts }).filter((one) => one.kind === kind);
    expect(found.map((one) => one.suggestion)).toEqual([suggestion]);
  });

  it.each<[string, readonly string[]]>([
    ["names and two dates", [...rows(27, (at) => `Name ${at}`), "03/04/2024", "05/06/2024"]],
    ["thousands", ["1,500", "2.25", "1,500.25", "2,500,000.5"]],
    ["a version", ["a 1,5", "b", "2.5", "c", "d,1"]],
    ["a name that is a yes", ["Da", "Si", "Ann", "No", "Bo"]],
    ["yes and no of one language", ["yes", "no", "yes"]],
    ["a dash in a note", [...rows(40, (at) => `Note ${at} of many`), "-"]],
    ["phones of which some have a zero", [...rows(8, (at) => `0${at}1234567`), "5"]],
  ])("are not seen in %s", (what, cells) => {
    const column = what.startsWith("phones") ? "Telefon" : "A";
    expect(findingsIn(column, cells, { column })).toEqual([]);
  });

  it("what may mean no value is one finding for all columns", () => {
    const table = [
      ["A", "B"],
      ["NULL", "-"],
      ["x", "-"],
      ["NULL", "y"],
    ];
    const [found, ...others] = findingsOf("members: { a: A, b: B }\n", table);
    expect([short([found!]), others]).toEqual([
      [["null_values", 4, [1, 1, 2, 3], 'null_values: [ "NULL", "-" ]']],
      [],
    ]);
    expect(found?.message).toContain('(NULL, -), 2 in "A", 2 in "B": clear them');
  });
});

it("what means no value in one column, and may be a value in another, gets no line for the file", () => {
  const rows = Array.from({ length: 60 }, (_, at) => [
    ...[at % 2 ? "-" : "x", at === 7 ? "-" : `a${at}@x.org`, at % 3 ? "-" : "y"],
  ]);
  const blank = '{ replace: { pattern: ^-$, with: "" } }';
  const members = `members: { a: A, b: B, c: { column: C, transform: [trim, ${blank}] } }\n`;
  const found = findingsOf(members, [["A", "B", "C"], ...rows]);
  expect(short(found)).toEqual([["null_values", 30, [2, 4, 6, 8, 10]]]);
});

const postal = ["Postal Code", "PLZ"];
const kept = Array.from({ length: 60 }, (_, at) => ["01067", "10115", "5003"][at % 3] as string);
const many = Array.from({ length: 11 }, (_, at) => String(100 + at));

it.each<[what: string, member: string, cells: readonly string[], columns?: readonly string[]]>([
  ["numbers in full", "A", ["12E5", "E+15", "1.5", "1E+1500", "a1E+15", ""]],
  ["numbers that are exact", "{ column: A, type: number }", ["1e+05", "4E+09", "250000"]],
  ["letters of one language", "A", ["Müller", "Česká", "SÃO PAULO", "JÄÄ…", "GROß”", "ÆØÅ", "é…”"]],
  ["capitals and quotes", "A", ["“IRMÃ”", "IRMÃ…", "“HÂ”", "CAFÉ’S", "«ÂGÉ»", "«FORÊT»", "Â"]],
  ["capitals and dashes", "A", ["MAÇÃ – FRUTA", "«MAMÂ» «Ă»", "Ý–Þ", "пример"]],
  ["spaces that trim takes off", "{ column: A, transform: [trim, uppercase] }", [" 1 "]],
  ["spaces that a type takes off", "{ column: A, type: integer }", [" 1 "]],
  ["spaces that a map takes off", "{ column: A, map: { 1: one }, otherwise: none }", [" 1 "]],
  ["zeros of a text", "A", ["007", "008"]],
  ["zeros that no integer drops", "{ column: A, type: integer }", ["7", "0", "00", "-7", "70"]],
  ["zeros that no number drops", "{ column: A, type: number }", ["0.5", "0", "1e5", "00.5"]],
  ["zeros of a map", "{ column: A, map: { '007': 7 }, otherwise: 1 }", ["007"]],
  [
    "zeros of a yes",
    "{ column: A, type: boolean, true_values: ['01'], false_values: ['00'] }",
    ["01", "00"],
  ],
  ["zeros of a date", "{ column: A, type: date, format: ddMMyyyy }", ["01022024"]],
  ["numbers of any length", "A", ["1", "22", "333", "4444"]],
  ["numbers and a zero", "A", ["0", "1", "22"]],
  ["codes of several lengths", "A", ["00172", "0420", "123"]],
  ["a code, and a longer one", "A", ["00172", "123456"]],
  ["codes of one length", "A", ["00172", "98101"]],
  ["numbers beside one code", "A", ["0123", ...many]],
  [
    "zeros that are put back",
    "{ column: A, transform: { pad_start: { length: 5, with: 0 } } }",
    ["00172", "98101", "172"],
  ],
  ["codes of another country", "A", ["2139", "2140", "2141", "98101"], ["Zip", "A", "Zipper"]],
  ["codes of two lengths", "A", ["97201", "5003"], postal],
  ["codes of some countries", "A", ["10115", "20095", "1010", "1012 AB", "00-950"], postal],
  ["codes beside others that keep their zeros", "A", [...kept, "8001"], postal],
  ["names and answers", "A", ["Null", "NA", "none", "No", "0", "a-b"]],
  [
    "a word that the mapping knows",
    "{ column: A, map: { '-': none }, otherwise: some }",
    ["-", "a"],
  ],
])("nothing is found of %s", (_, member, cells, columns = ["A"]) => {
  for (const column of columns) {
    expect(findingsIn(member.replace(/^A$/, column), cells, { column })).toEqual([]);
  }
});
