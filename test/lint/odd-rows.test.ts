import { expect, test } from "vitest";
import { createOddRows } from "../../src/lint/odd-rows.ts";
import { describeFinding } from "../../src/model/finding.ts";
import { head, mapper, rowOf } from "../mapping/given-mapping.ts";

function footerOf(
  rows: readonly (readonly string[])[],
  columns: readonly string[] = [],
): string | undefined {
  const watch = createOddRows(columns);
  for (const [at, cells] of rows.entries()) watch.see({ row: at + 1, line: at + 2, cells }, []);
  const [found] = watch.found();
  return found && describeFinding(found);
}

/** Rows divided by slashes, with cells divided by semicolons. */
const rowsOf = (text: string) => text.split(" / ").map((row) => row.split(";"));

const people = (count: number) =>
  Array.from({ length: count }, (_, at) => [`N${at}`, `n${at}@x.org`, "Rome", `${at}`]);

test.each([3, 20, 2500])(
  "totals and notes below %d rows are reported with what to give",
  (count) => {
    expect(footerOf([...people(count), ["Total", "", "", "99"]])).toBe(
      `the last row is unlike the others: if it is a total or a note, delete it, or give --limit ${count}. Seen in row ${count + 1} (line ${count + 2}) "Total".`,
    );
    if (count < 20) return;
    const two = "Grand totals;;;99 / Exported by CRM;;;";
    expect(footerOf([...people(count), ...rowsOf(two)])).toBe(
      `the last 2 rows are unlike the others: if they are totals or notes, delete them, or give --limit ${count}. Seen in row ${count + 1} (line ${count + 2}) "Grand totals", row ${count + 2} (line ${count + 3}) "Exported by CRM".`,
    );
  },
);

test.each([
  ...["Gesamt: 18;;;", "Summe: 3 Kunden", "Total (3);;;", "Grand Totals (3 records)"],
  ...["3 rows selected.", "(3 rows)", "(3 rows affected)", "3 records exported;;;"],
  ...[
    "Grand total;12;1,234.50;6",
    "Total général;;;3435",
    ";GENEL TOPLAM;;3435",
    "Összesen;;90;3435",
  ],
  ...[
    "ИТОГО:;;;967",
    "合计;;;99",
    "סה״כ;;;99",
    "Razem;;;99",
    "Totals for the year;;;99",
    "合計：99;;;",
  ],
  ...["nie gesehen;;;1234", "1456;;;", ";;;99"],
])("a row %s below a few others is reported", (row) => {
  expect(footerOf([...people(3), ...rowsOf(row)])).toMatch(/^the last row is .* row 4 /);
});

test("a note below the total of a short table is reported with it", () => {
  const footer = rowsOf("Summe;;;99 / Stand: 01.01.2024;;;");
  expect(footerOf([...people(6), ...footer])).toMatch(
    /^the last 2 rows .* row 7 \(line 8\) "Summe"/,
  );
});

const gaps = ["why", "", "", ""];

test.each([
  ["rows as they should be", people(30)],
  ["a company of that name", [...people(30), ...rowsOf("Total;info@total.example;Paris;1")]],
  ["rows of which many have gaps", [...people(30), ...Array(30).fill(["Ann", "", "", ""])]],
  ["a row with gaps, as one above has", [...people(10), gaps, ...people(20), gaps]],
  ["a row with an answer more than the others", [...people(9), gaps]],
  [
    "rows of which an earlier one has a number alone",
    [...people(9), ["7", "", "", ""], ...people(9), ["8", "", "", ""]],
  ],
  ["a person without an address", [...people(9), ["Ann", "", "Rome", "7"]]],
  ["two rows", rowsOf("Ann;a@x.org;Rome;1 / Total;;;1")],
  ["no rows", []],
])("nothing is said of %s", (_, rows) => {
  expect(footerOf(rows)).toBeUndefined();
});

test("a long cell that begins like a total costs no more time than another", () => {
  // Were it to grow with the square, it would take hours.
  expect(footerOf([...people(30), [`Total${" ".repeat(1e6)}x`, "", "", ""]])).toBeDefined();
});

const columns = ["Membership", "First name", "Last name", "Born"];
const members = (count: number) =>
  Array.from({ length: count }, (_, at) => [`M${at}`, "Ann", "Lee", `19${at + 50}`]);

test.each([
  ["names of a program", "membership;first_name;last_name;born"],
  ["another language", "Mitglied;Vorname;Nachname;geboren"],
  ["types", "(text);(text);(text);(date)"],
])("a first row with %s is reported", (_, row) => {
  expect(footerOf([...rowsOf(row), ...members(9)], columns)).toBe(
    `the first row is unlike the others, and seems to name the columns once more: if it does, delete it, or give --skip 1. Seen in row 1 (line 2) ${JSON.stringify(row.split(";")[0])}.`,
  );
});

test.each([
  ["a person", "M77;Bo;Li;1950"],
  ["a person of whom little is known", ";Bo;Li;unknown"],
  ["a person without numbers", ";Bo;Li;"],
  ["what programs write for nothing", "NULL;Bo;Li;NULL"],
])("nothing is said of a first row with %s", (_, row) => {
  expect(footerOf([...rowsOf(row), ...members(9)], columns)).toBeUndefined();
});

test("a first row of words above words is as any other", () => {
  const words = [
    ["Ann", "Rome"],
    ["Bo", "Oslo"],
    ["Cy", "Bonn"],
    ["Di", "Ulm"],
  ];
  expect(footerOf(words, ["Name", "City"])).toBeUndefined();
});

test("where one column has digits, only a name like that of its column shows that a row names them", () => {
  const people = members(9).map(([, name = "", , born = ""]) => [name, born]);
  const found = (row: string) => footerOf([...rowsOf(row), ...people], ["Person", "Born"]);
  expect([found("name;born on")?.slice(0, 13), found("Bo;unknown")]).toEqual([
    "the first row",
    undefined,
  ]);
});

test("rows of which an event holds nothing are reported, wherever they are", () => {
  const members = "members: { name: Name, row: { meta: row } }";
  const map = mapper(`${head}${members}`, ["No", "Name"]);
  const watch = createOddRows(["No", "Name"]);
  for (const [at, name] of ["Ann", "", "Bo", "Cy", " ", "Di"].entries()) {
    const row = rowOf([String(at), name], { row: at + 1 });
    const mapped = map(row);
    watch.see(row, mapped.kind === "events" ? mapped.events : []);
  }
  expect(watch.found()).toMatchObject([
    { kind: "bare_events", count: 2, first: [{ row: 2 }, { row: 5 }] },
  ]);
});
