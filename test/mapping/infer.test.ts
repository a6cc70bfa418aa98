import { describe, expect, it, test } from "vitest";
import { casesOf, mapper, rowOf, shown } from "./given-mapping.ts";
import { infer, linesFor, proposed } from "./propose.ts";

/** A header and its cells, given as `header of cell · cell`. */
function columnOf(given: string): [header: string, cells: string[]] {
  const [header = "", cells = ""] = given.split(" of ");
  return [header, cells.split(" · ")];
}

const memberFor = (header: string, cells: readonly string[]) =>
  linesFor(header, cells).at(-1)?.trim();

const twenty = Array.from({ length: 20 }, (_, at) => `${412_200 + at}`);

test.each([
  ["v", ["1", "", " 2 "], "v: { column: v, type: integer }"],
  ["v", ["1", "00172"], "v"],
  ["v", ["1", "9007199254740993"], "v"],
  ["v", ["+49123", "12"], "v"],
  ["v", ["34.181059", "-7"], "v: { column: v, type: number }"],
  ["v", ["1,5", "-7"], 'v: { column: v, type: number, decimal_separator: "," }'],
  ["v", ["1'234.50", "7.5"], `v: { column: v, type: number, thousands_separator: "'" }`],
  ["v", ["1,234", "12,500,000"], 'v: { column: v, type: integer, thousands_separator: "," }'],
  ["v", ["12345678901234567890.5", "1.5"], "v: { column: v, type: decimal }"],
  ["v", ["$1.50", "2.25"], "v"],
  ["v", ["1500", "1500", "25000"], "v: { column: v, type: integer }"],
  ["v", ["2024", "2025", "2024"], "v: { column: v, type: integer }"],
  ["v", ["3", "1", "2"], "v: { column: v, type: integer }"],
  ["v", ["-10000", "20000"], "v: { column: v, type: integer }"],
  ["Salary", ["30219", "41007"], "salary: { column: Salary, type: integer }"],
  ["b", ["true", "FALSE"], "b: { column: b, type: boolean }"],
  ["b", ["Tak", "nie"], "b: { column: b, type: boolean, true_values: [tak], false_values: [nie] }"],
  ["b", ["N", "N"], "b"],
  ["b", ["t", "f"], "b: { column: b, type: boolean, true_values: [t], false_values: [f] }"],
  ["b", ["T"], "b"],
  ["Active", ["N"], "active: { column: Active, type: boolean }"],
  ["Gender", ["F"], "gender: Gender"],
  ["b", ["1", "0"], "b: { column: b, type: integer }"],
  ["d", ["2024-02-29", "1999-12-31"], "d: { column: d, type: date }"],
  ["d", ["2024-02-30"], "d"],
  ["d", ["2024-02-29T12:00:00+01:00"], "d: { column: d, type: datetime }"],
  ["d", ["2024-02-29 00:00:00"], "d: { column: d, type: date }"],
  ["d", ["31/12/1999", "01/02/2024"], "d: { column: d, type: date, format: dd/MM/yyyy }"],
  ["d", ["1.2.2024", "31.12.1999"], "d: { column: d, type: date, format: d.M.yyyy }"],
  ["d", ["3 Feb 2024", "31 Dec 1999"], "d: { column: d, type: date, format: d MMM yyyy }"],
  ["d", ["20240131"], "d"],
  ["d", ["0000-01-31", "0999-12-31"], "d"],
  ["date", ["20240131"], "date: { column: date, type: date, format: yyyyMMdd }"],
  ["date", ["45321", "45322.5"], "date: { column: date, type: datetime, format: excel_serial }"],
  ["date", ["1706745600"], "date: { column: date, type: datetime, format: X }"],
  ["j", ['{"a":1}', "[2]"], "j: { column: j, type: json }"],
  ["Roles", ["a;b", "c", "d;e"], 'roles: { column: Roles, type: list, separator: ";" }'],
  ["Interessen", ["a|b", "c"], 'interessen: { column: Interessen, type: list, separator: "|" }'],
  ["l", ["a;b", "c;d"], "l"],
  ["Tags", ["a, b", "c"], 'tags: { column: Tags, type: list, separator: "," }'],
  ["Tags", ['"VIP"', '"VIP"', '"News"'], 'tags: { column: Tags, type: list, separator: "," }'],
  ["Tags", ["{a,b}", "{c}", "{a}"], "tags: Tags"],
  ["Category", ["Doors, frames", "Roofs"], "category: Category"],
  ["x", ["a@x.org", " B@y.org"], "x: { column: x, transform: [trim, lowercase], format: email }"],
  ["Email", ["a@example.com", "later"], "email: Email"],
  ["PIN", ["1234", "5678"], "pin: PIN"],
  ["Account", ["1001"], "account: Account"],
  ["v", twenty, "v"],
  ["Account Balance", twenty, "account_balance: { column: Account Balance, type: integer }"],
  ["Zip Status", ["yes", "no"], "zip_status: { column: Zip Status, type: boolean }"],
  ["Телефон", ["79161234567"], "phone: Телефон"],
  ["Phone", ["0301234567", "301234567"], "phone: Phone"],
  ["Verified Phone", ["yes", "no"], "verified_phone: { column: Verified Phone, type: boolean }"],
  ["email_id", ["E17", "E18"], "email_id: email_id"],
  ["Zip", ["35055", "12345"], "postal_code: Zip"],
  ["customernumber", ["73029", "72810"], "customer_id: customernumber"],
  ["Active (0/1)", ["0", "1"], 'active: { column: "Active (0/1)", type: boolean }'],
  ["Bankleitzahl", ["50010517"], "bankleitzahl: Bankleitzahl"],
  ["Anzahl der Kinder", ["2"], "anzahl_der_kinder: { column: Anzahl der Kinder, type: integer }"],
  ["A-Number", ["1234.5678"], "a_number: { column: A-Number, type: number }"],
  ["LEISTUNGSID", ["17", "1"], "leistungsid: LEISTUNGSID"],
  ["paid", ["17", "1"], "paid: { column: paid, type: integer }"],
  ["顧客番号", ["5", "2461648"], "customer_id: 顧客番号"],
  ["生年月日", ["19780707"], "birthday: { column: 生年月日, type: date, format: yyyyMMdd }"],
  ["Cargo", ["32", "7"], "cargo: { column: Cargo, type: integer }"],
  ["Cargo", ["Jefe", "7"], "job_title: Cargo"],
  ["Estado", ["activo"], "estado: Estado"],
  ["Estado", ["Jalisco"], "state: Estado"],
  ["url", ["https://acme.example/api/v2/users/1.json"], "url"],
  ["url", ["https://ada.example/"], "website: url"],
  ["t", [" a", "b"], "t: { column: t, transform: trim }"],
  ["yes", ["a"], '"yes": "yes"'],
  ["event", ["a"], "event_name: event"],
  ["1", ["a"], 'column_1: "1"'],
  ["v", ["5", "(null)", "[NULL]", "NaN", "7"], "v: { column: v, type: integer }"],
])("%s with %j", (header, cells, expected) => {
  const isShort = /^\w+$/.test(expected);
  expect(memberFor(header, cells)).toBe(isShort ? `${expected}: ${expected}` : expected);
});

test.each(
  casesOf(`
v of 1.234,50 · 7,5
    v: { column: v, type: number, decimal_separator: ",", thousands_separator: "." }
v of $1,234.50 · -$2.25
    v: { column: v, transform: { replace: { find: "$", with: "" } }, type: number, thousands_separator: "," }
v of 1.234,50 € · 7,25 €
    v: { column: v, transform: { replace: { find: "€", with: "" } }, type: number, decimal_separator: ",", thousands_separator: "." }
date of 12/31/1999 1:05 PM
    date: { column: date, type: datetime, format: "MM/dd/yyyy h:mm a", timezone: UTC }
created_ts_ms of 1706745600000
    created_ts_ms: { column: created_ts_ms, type: datetime, format: x }
E-Mail of k.A. · a@x.org
    email: { column: E-Mail, transform: [trim, lowercase], format: email }
EmailID of a@example.com
    email: { column: EmailID, transform: [trim, lowercase], format: email }
Groups (x,y,z...) of A, B · C
    tags: { column: "Groups (x,y,z...)", type: list, separator: "," }
Skills of First aid · Driver, First aid
    skills: { column: Skills, type: list, separator: "," }
d of 12/31/99 · 1/2/24
    d: { column: d, type: date, format: M/d/yy, pivot_year: 2040 }
Birthday of 12/31/99 · 1/31/45
    birthday: { column: Birthday, type: date, format: M/d/yy, pivot_year: 2026 }
CUST_BIRTH_DT of 01-JAN-45
    birthday: { column: CUST_BIRTH_DT, type: date, format: d-MMM-yy, pivot_year: 2026 }
`),
)("%s is %s", (given, expected) => {
  expect(memberFor(...columnOf(given))).toBe(expected);
});

test.each(
  casesOf(`
v of 30219 · 30219
    all of one length, as codes are: if they are amounts or counts, add type: integer
v of 1500 · 25000
    all different, as ids are: if they are amounts or counts, add type: integer
v of 1 · 2 · 3
    all different, as ids are: if they are amounts or counts, add type: integer
v of 7 · 67676767676 · 7
    as long as codes and phone numbers are: if they are amounts or counts, add type: integer
v of 1,234 · 5,678
    "," is taken to stand between thousands
v of 34.181 · 7.500
    the point is taken to stand before a fraction
v of 12 · 007
    1 with zeros in front, which a number would lose
Socio of Sí · no · X · sí
    boolean in 3 of 4 only; not: row 3 "X"
LOEVM of X · X
    if X is yes and a blank cell is no: map: { X: true }, default: false
Cargo of 32 · 7
    the header suggests job_title, but the cells do not
Company of ja · 1 · JA
    the header suggests company, but the cells do not
Email Address of 12/31/13 · 08/01/16
    the header suggests email, but the cells do not
HIRE_DT of 01-JAN-45 · 05-MAY-58
    years of two digits are read as 1941 to 2040: pivot_year changes that
`),
)("%s says why it is what it is", (given, note) => {
  expect(linesFor(...columnOf(given))).toContain(`  # ${note}`);
});

test.each(["v of X · Y", "Company of Ja AG", "Email Address of a@x.org", "Country of NO · NO"])(
  "nothing is to be said of %s",
  (given) => {
    expect(linesFor(...columnOf(given))).toHaveLength(2);
  },
);

test.each([
  [["12345 Main St", "9 High Street 10001"], "text"],
  [["ann12345@x.org", "bob67890@x.org, 1"], "text"],
  [["0612345678 ext 7", "tel 0612345679"], "phone number"],
])("an address is no phone number: %j is %s", (cells, evidence) => {
  expect(linesFor("Phone", cells)[0]).toContain(`# ${evidence}: 2 of 2`);
});

test.each([
  ["01-JAN-45 12.00.00.000000 AM", "1945-01-01", "d-MMM-yy hh.mm.ss.u a"],
  ["01-MAY-24 01.15.00.123456789 PM", "2024-05-01T13:15:00.123456789Z", "d-MMM-yy hh.mm.ss.u a"],
  ["01-MAY-2024 13.15.00", "2024-05-01T13:15:00.000Z", "d-MMM-yyyy HH.mm.ss"],
  ["2024-05-01-13.15.00.000000", "2024-05-01T13:15:00.000Z", "yyyy-MM-dd-HH.mm.ss.u"],
  ["20240501131500", "2024-05-01T13:15:00.000Z", "yyyyMMddHHmmss"],
  ["2024-05-01 13:15:00 +0200", "2024-05-01T11:15:00.000Z", "yyyy-MM-dd HH:mm:ss ZZZ"],
  ["2024-05-01 13:15:00 UTC", "2024-05-01T13:15:00.000Z", "yyyy-MM-dd HH:mm:ss 'UTC'"],
  ["May  1 2024  1:15PM", "2024-05-01T13:15:00.000Z", "MMM d yyyy h:mma"],
  ["Wed, 01 May 2024 13:15:00 +0000", "2024-05-01T13:15:00.000Z", "EEE, d MMM yyyy HH:mm:ss ZZZ"],
  ["01-MAY-24 01.15.00.123 PM +02:00", "2024-05-01T11:15:00.123Z", "d-MMM-yy hh.mm.ss.u a ZZ"],
  [
    "2024-05-01 13:15:00.1234567 +02:00",
    "2024-05-01T11:15:00.1234567Z",
    "yyyy-MM-dd HH:mm:ss.u ZZ",
  ],
  ["Wednesday, May 1, 2024", "2024-05-01", "EEEE, MMMM d, yyyy"],
  ["2024-05-01 13:15:00.123456", "2024-05-01T13:15:00.123456Z", undefined],
  ["2024-05-01 13:15:00+02", "2024-05-01T11:15:00.000Z", undefined],
])("%s, as databases and services write it, is %s", (cell, expected, format) => {
  const made = shown(mapper(proposed(["CREATED_DT"], [[cell]]), ["CREATED_DT"])(rowOf([cell])));
  expect(made).toEqual([expect.objectContaining({ created_at: expected })]);
  expect(infer(["CREATED_DT"], [[cell]]).members[0]?.conversion.format).toBe(format);
});

describe("the order of day and month", () => {
  const formats = (columns: readonly string[], ...cells: readonly string[]) =>
    infer(columns, [cells]).members.map(({ conversion }) => conversion.format);

  it.each([
    ...["Prénom", "Fecha de alta", "Geburtsdatum", "Cognome", "Sobrenome", "Achternaam"].map(
      (header) => [header, "dd/MM/yyyy"],
    ),
    ["First Name", "MM/dd/yyyy"],
  ])("follows the language of %s, and is said to be open", (header, format) => {
    const [member] = infer(["d", header], [["01/02/2024", ""]]).members;
    expect(member?.conversion).toEqual({ type: "date", format });
    expect(member?.otherOrder).toBeDefined();
  });

  it("is that of another column which tells, or that a header names, and day first with points", () => {
    const [dayFirst, monthFirst] = [Array(2).fill("dd/MM/yyyy"), Array(2).fill("MM/dd/yyyy")];
    expect(formats(["a", "b"], "01/02/2024", "31/01/2024")).toEqual(dayFirst);
    expect(formats(["a", "b"], "01/02/2024", "01/31/2024")).toEqual(monthFirst);
    expect(formats(["a", "Born (DD/MM/YYYY)"], "01/02/2024", "03/04/2024")).toEqual(dayFirst);
    expect(formats(["Datum", "mm/dd/yyyy"], "01/02/2024", "03/04/2024")).toEqual(monthFirst);
    const [member] = infer(["a"], [["01.02.2024"]]).members;
    expect(member).toMatchObject({ conversion: { format: "dd.MM.yyyy" } });
    expect(member?.otherOrder).toBeUndefined();
  });
});

/** So many cells made of their number, some of them replaced. */
const cellsOf = (
  count: number,
  make: (at: number) => string,
  others: Readonly<Record<number, string>> = {},
) => Array.from({ length: count }, (_, at) => others[at] ?? make(at));

const two = (value: number) => String(value).padStart(2, "0");

test.each([
  ["Email", (at: number) => `P${at}@example.com`, "none", "format: email"],
  ["v", (at: number) => `${at}.5`, "n. d.", "type: number"],
  ["v", (at: number) => `1.${two(at)}0,5`, "?", 'decimal_separator: ",", thousands_separator: "."'],
  ["v", (at: number) => `2024-02-${two(1 + (at % 29))}`, "2024-02-30", "type: date }"],
  ["v", (at: number) => `06/${two(1 + at)}/2024`, "06/31/2024", "format: MM/dd/yyyy"],
  ["v", (at: number) => (at % 3 === 0 ? "yes" : "no"), "maybe", "type: boolean"],
  ["v", (at: number) => `$${at}.50`, "free", 'transform: { replace: { find: "$", with: "" } }'],
  ["v", (at: number) => `Feb  ${1 + (at % 9)} 2024`, "soon", "collapse_spaces, type: date"],
  ["active", (at: number) => (at % 3 === 0 ? "1" : "0"), "x", "type: boolean"],
  ["date", (at: number) => `202401${two(1 + at)}`, "20240132", "format: yyyyMMdd"],
])("%s with one odd cell of 30 has the type of the others", (header, make, odd, expected) => {
  const [comment, member] = linesFor(header, cellsOf(30, make, { 7: odd })).filter(
    (line) => !line.includes("taken"),
  );
  expect(comment).toContain(`: 29 of 30; not: row 8 ${JSON.stringify(odd)}; such as "`);
  expect(member).toContain(expected);
});

test("a type needs 95 % of 20 cells or more, and all of fewer; it is mentioned if half have it", () => {
  const linesOf = (count: number, odd: number) => {
    const others = Object.fromEntries([...Array(odd).keys()].map((at) => [at, "?"]));
    return linesFor("visits", cellsOf(count, String, others));
  };
  expect(linesOf(100, 5)).toEqual([
    '  # integer: 95 of 100; not: row 1 "?", row 2 "?", row 3 "?" and 2 more; such as "5", "6", "7"',
    "  visits: { column: visits, type: integer }",
  ]);
  expect(linesOf(20, 1).at(-1)).toContain("type: integer");
  expect(linesOf(19, 1)).toEqual([
    '  # text: 19 of 19; such as "?", "1", "2"',
    '  # integer in 18 of 19 only; not: row 1 "?"',
    "  visits: visits",
  ]);
  expect(linesOf(100, 6)[1]).toBe(
    '  # integer in 94 of 100 only; not: row 1 "?", row 2 "?", row 3 "?" and 3 more',
  );
  expect(linesOf(100, 51)).toHaveLength(2);
  // A sign for no value says nothing of the others.
  const odd = Object.fromEntries([...Array(8).keys()].map((at) => [at, at % 2 ? "-" : "?"]));
  expect(linesFor("visits", cellsOf(100, String, odd)).at(-1)).toContain("type: integer");
});

test.each([
  ["codes with letters", "v", cellsOf(40, (at) => `${at + 1}`, { 3: "12a" })],
  ["codes with zeros in front", "v", cellsOf(40, (at) => `${at + 1}`, { 3: "007" })],
  ["codes of one length", "v", cellsOf(40, (at) => `${10_000 + at}`, { 3: "none" })],
  ["numbers that are all different", "v", cellsOf(40, (at) => `${at * at}`, { 3: "none" })],
  ["ids", "customer_id", cellsOf(40, (at) => `${at + 1}`, { 3: "none" })],
  ["names", "Name", cellsOf(40, (at) => `${at + 1}`, { 3: "none" })],
])("%s stay text", (_, header, cells) => {
  expect(linesFor(header, cells).at(-1)).not.toContain("type");
});

test("an odd cell is never shown as nothing, and masked like the others", () => {
  for (const odd of ["\u200b", `${" ".repeat(60)}x`, '"']) {
    expect(linesFor("visits", cellsOf(30, String, { 7: odd }))[0]).toMatch(
      /; not: row 8 ".*\S.*"; such/,
    );
  }
  const [masked] = linesFor("visits", cellsOf(30, String, { 7: "Ada" }), true);
  expect(masked).toContain('not: row 8 "xxx"; such as "9"');
});

test("an apostrophe that exports put before digits is removed, and the rest stays text", () => {
  const rows = [
    ["'6000000000001", "'t Hooft"],
    ["'6000000000002", "O'Neil"],
  ];
  const text = proposed(["Customer ID", "Name"], rows);
  expect(text).toContain(`customer_id: { column: Customer ID, transform: { strip_prefix: "'" } }`);
  expect(text).toContain("  name: Name");
});
