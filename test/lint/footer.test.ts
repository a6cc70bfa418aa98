import { expect, test } from "vitest";
import { createFooterWatch } from "../../src/lint/footer.ts";
import { describeFinding } from "../../src/model/finding.ts";

function footerOf(rows: readonly (readonly string[])[]): string | undefined {
  const watch = createFooterWatch();
  for (const [at, cells] of rows.entries()) watch.see({ row: at + 1, line: at + 2, cells });
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
  "Grand total;12;1,234.50;6",
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
  ["two rows", rowsOf("Ann;a@x.org;Rome;1 / Total;;;1")],
  ["no rows", []],
])("nothing is said of %s", (_, rows) => {
  expect(footerOf(rows)).toBeUndefined();
});

test("a long cell that begins like a total costs no more time than another", () => {
  // Were it to grow with the square, it would take hours.
  expect(footerOf([...people(30), [`Total${" ".repeat(1e6)}x`, "", "", ""]])).toBeDefined();
});
