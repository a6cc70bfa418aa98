import { expect, test } from "vitest";
import { head, mapper, problemsOfColumns, problemsOfFile, rowOf, shown } from "./given-mapping.ts";

const columns = ["A", "B"];

test.each([
  ["{ column: A, equals: { column: B } }", ["x", "X"], false],
  ["{ column: A, above: 17 }", ["17.00000000000000000001", ""], true],
  ["{ column: A, above: 2024-05-31 }", ["2024-05-31T23:59:59Z", ""], false],
  // A null value can be asked for as the text that it is.
  ["{ column: A, not_in: [N/A] }", ["N/A", ""], false],
  ["{ column: A, equals: N/A }", ["N/A", ""], true],
  ['{ not: { column: A, matches: "^N" } }', ["N/A", ""], false],
  ["{ column: A, blank: true }", [" N/A ", ""], true],
])("when: %s for %j is %s", (condition, cells, holds) => {
  const text = `${head}null_values: [N/A]\nwhen: ${condition}\nmembers: { a: A }\n`;
  expect(mapper(text, columns)(rowOf(cells)).kind).toBe(holds ? "events" : "skipped");
});

test("a row that is left out says what the condition wants", () => {
  const condition =
    "{ all: [{ column: A, matches: ^x }, { any: [{ column: B, blank: true }, { not: { column: B, equals: y } }] }] }";
  const mapRow = mapper(`${head}when: ${condition}\nmembers: {}\n`, columns);
  expect(shown(mapRow(rowOf(["y", "y"])))).toBe(
    'condition: when requires (column "A" to match ^x) and ((column "B" blank) or (not (column "B" equal to "y")))',
  );
});

test("columns that conditions and lists of columns name are looked for at their places", () => {
  const text = `${head}when: { any: [{ not: { column: C, blank: true } }, { column: A, equals: { column: D } }] }
members: { a: { columns: [A, X, B] } }
`;
  const has = 'it has "A", "B"';
  expect(problemsOfColumns(text, columns)).toEqual([
    `m.yaml:4:32: when.any.0.not.column: the input has no column "C"; ${has}`,
    `m.yaml:4:83: when.any.1.equals.column: the input has no column "D"; ${has}`,
    `m.yaml:5:30: members.a.columns.1: the input has no column "X"; ${has}`,
  ]);
});

const noPlace =
  "has a bracket that is no place in a list, from items[0] to items[999]: write \\[ and \\] for the brackets themselves";

test.each([
  ["a: A\n  a.b: B", "members.a.b: a is a value already and cannot hold a.b: rename one"],
  ["a[1]: A", "members.a[1]: there is no [0] before its [1]: count from 0 without gaps"],
  [
    "a[0]: A\n  a.b: B",
    "members.a.b: a[0] makes a list of what this takes for an object: rename one",
  ],
  ['a.b: A\n  "a\\\\.b": B\n  a: A', "members.a: a.b has this place already: remove or rename one"],
  ["a[x]: A", `members.a[x]: ${noPlace}`],
  [`a${"[0]".repeat(10)}: A`, `members.a${"[0]".repeat(10)}: ${noPlace}`],
  ['"[0]": A', `members.[0]: ${noPlace}`],
  ['"a\\\\": A', "members.a\\: ends with a backslash: write \\\\ for the backslash itself"],
  ['"a\\\\.b": A\n  "a\\\\b": A', undefined],
])("names of members: %s", (members, problem) => {
  const problems = problemsOfFile(`${head}members:\n  ${members}\n`);
  if (problem === undefined) expect(problems).toEqual([]);
  else expect(problems.map((one) => one.replace(/^m\.yaml:\d+:\d+: /, ""))).toContain(problem);
});

test("a cell that cannot be compared makes its row invalid, unless another condition decides first", () => {
  const ofRow = (condition: string, cells: readonly string[]) =>
    shown(mapper(`${head}when: ${condition}\nmembers: {}\n`, columns)(rowOf(cells)));
  const above = "{ column: A, above: 17 }";
  const problem =
    'not_a_number: column "A": "1,5" is not a number (digits with a point, such as 12.5), and when compares it with 17';
  expect(ofRow(above, ["1,5", ""])).toEqual([problem]);
  expect(ofRow(`{ not: ${above} }`, ["1,5", ""])).toEqual([problem]);
  expect(
    shown(
      mapper(`${head}members: { a: { value: 1, when: ${above} } }\n`, columns)(rowOf(["1,5", ""])),
    ),
  ).toEqual([problem]);
  expect(ofRow("{ column: A, below: 2024-05-31 }", ["31/05/2024", ""])).toEqual([
    'not_a_date: column "A": "31/05/2024" is not a date in ISO 8601 (such as 2024-05-31), and when compares it with 2024-05-31',
  ]);
  for (const cell of ["1.234", "12.34,5", "x"]) {
    expect(ofRow('{ column: A, decimal_separator: ",", below: 2 }', [cell, ""])).toEqual([
      `not_a_number: column "A": "${cell}" is not a number (digits with a comma, such as 12,5), and when compares it with 2`,
    ]);
  }
  const onlyOfPeople = `{ all: [{ column: B, equals: person }, ${above}] }`;
  expect(ofRow(onlyOfPeople, ["none", "pet"])).toContain("condition: when requires");
  expect(ofRow(onlyOfPeople, ["none", "person"])).toHaveLength(1);
});
