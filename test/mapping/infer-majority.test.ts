import { describe, expect, it, test } from "vitest";
import { inferMapping } from "../../src/mapping/infer/infer-mapping.ts";
import { writeMapping } from "../../src/mapping/infer/write-mapping.ts";

/** The lines below `members:` for a table of one column, whose rows are numbered from 1. */
function linesFor(header: string, cells: readonly string[], maskSamples = false): string[] {
  const inferred = inferMapping({
    columns: [header],
    rows: cells.map((cell) => [cell]),
    rowNumbers: cells.map((_, at) => at + 1),
    isWhole: true,
  });
  const options = { schema: "s.json", about: [], maskSamples, isAnswered: true };
  const [, members = ""] = writeMapping(inferred, options).split("\nmembers:\n");
  return members.trimEnd().split("\n");
}

/** So many cells made of their number, some of them replaced. */
const cellsOf = (
  count: number,
  make: (at: number) => string,
  others: Readonly<Record<number, string>> = {},
) => Array.from({ length: count }, (_, at) => others[at] ?? make(at));

const two = (value: number) => String(value).padStart(2, "0");

test("one odd cell in 50,000 does not take the column its type", () => {
  const cells = cellsOf(50_000, (at) => `${at}`, { 30000: "unknown" });
  expect(linesFor("visits", cells)).toEqual([
    '  # integer: 49,999 of 50,000; not: row 30,001 "unknown"; such as "0", "1", "2"',
    "  visits: { column: visits, type: integer }",
  ]);
});

test.each([
  ["Email", (at: number) => `P${at}@example.com`, "none", "format: email"],
  ["v", (at: number) => `${at}.5`, "n. d.", "type: number"],
  ["v", (at: number) => `1.${two(at)}0,5`, "?", 'decimal_separator: ",", thousands_separator: "."'],
  ["v", (at: number) => `2024-02-${two(1 + (at % 29))}`, "2024-02-30", "type: date }"],
  ["v", (at: number) => `${two(1 + at)}/06/2024`, "soon", "format: dd/MM/yyyy"],
  ["v", (at: number) => `06/${two(1 + at)}/2024`, "06/31/2024", "format: MM/dd/yyyy"],
  ["v", (at: number) => (at % 3 === 0 ? "yes" : "no"), "maybe", "type: boolean"],
  ["v", (at: number) => `$${at}.50`, "free", 'transform: { replace: { find: "$", with: "" } }'],
  [
    "v",
    (at: number) => `Feb  ${1 + (at % 9)} 2024  1:15PM`,
    "soon",
    "collapse_spaces, type: datetime",
  ],
  ["active", (at: number) => (at % 3 === 0 ? "1" : "0"), "x", "type: boolean"],
  ["date", (at: number) => `202401${two(1 + at)}`, "20240132", "format: yyyyMMdd"],
])("%s with one odd cell of 30 has the type of the others", (header, make, odd, expected) => {
  const [comment, member] = linesFor(header, cellsOf(30, make, { 7: odd })).filter(
    (line) => !line.includes("taken"),
  );
  expect(comment).toContain(`: 29 of 30; not: row 8 ${JSON.stringify(odd)}; such as "`);
  expect(member).toContain(expected);
});

describe("the share that a type needs", () => {
  const withOdd = (count: number, odd: number) =>
    cellsOf(
      count,
      (at) => `${at}`,
      Object.fromEntries([...Array(odd).keys()].map((n) => [n, "?"])),
    );

  it("is 95 % of 20 cells or more", () => {
    expect(linesFor("visits", withOdd(100, 5))).toEqual([
      '  # integer: 95 of 100; not: row 1 "?", row 2 "?", row 3 "?" and 2 more; such as "5", "6", "7"',
      "  visits: { column: visits, type: integer }",
    ]);
    expect(linesFor("visits", withOdd(20, 1)).at(-1)).toContain("type: integer");
  });

  it("is all of fewer", () => {
    expect(linesFor("visits", withOdd(19, 1))).toEqual([
      '  # text: 19 of 19; such as "?", "1", "2"',
      '  # integer in 18 of 19 only; not: row 1 "?"',
      "  visits: visits",
    ]);
  });

  it("is mentioned if it is lower, and not below a half", () => {
    expect(linesFor("visits", withOdd(100, 6))[1]).toBe(
      '  # integer in 94 of 100 only; not: row 1 "?", row 2 "?", row 3 "?" and 3 more',
    );
    expect(linesFor("visits", withOdd(100, 51))).toHaveLength(2);
  });
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

test.each(["\u200b", `${" ".repeat(60)}x`, "\n\n", '"'])(
  "an odd cell is never shown as nothing: %j",
  (odd) => {
    const [comment = ""] = linesFor(
      "visits",
      cellsOf(30, (at) => `${at}`, { 7: odd }),
    );
    expect(comment).toMatch(
      odd.trim() === "" ? /: 29 of 29, 1 blank; such/ : /; not: row 8 ".*\S.*"; such/,
    );
  },
);

test("--mask-samples masks the odd cells too", () => {
  const [masked] = linesFor(
    "visits",
    cellsOf(30, (at) => `${at}`, { 7: "Ada" }),
    true,
  );
  expect(masked).toContain('not: row 8 "xxx"; such as "9"');
});

test("an only item in quotes is a list too, and an array in braces is text", () => {
  const cells = ['"VIP"', '"VIP"', '"News"'];
  expect(linesFor("Tags", cells).at(-1)).toBe(
    '  tags: { column: Tags, type: list, separator: "," }',
  );
  expect(linesFor("Tags", ["{a,b}", "{c}", "{a}"]).at(-1)).toBe("  tags: Tags");
});

test("(null) of database clients and NaN of programs are null values", () => {
  for (const word of ["(null)", "[NULL]", "NaN"]) {
    expect(linesFor("v", ["5", word, "7"]).at(-1)).toBe("  v: { column: v, type: integer }");
  }
  const days = ["2024-01-02", "0001-01-01", "0000-00-00"];
  expect(linesFor("v", days)[0]).toBe('  # date, ISO 8601: 1 of 1, 2 blank; such as "2024-01-02"');
});
