import { expect, test } from "vitest";
import {
  allProblemsOf,
  bodies,
  head,
  mapper,
  memberOf,
  problemsOfColumns,
  problemsOfFile,
  rowOf,
  shown,
} from "./given-mapping.ts";

const columns = ["A", "B"];

test.each([
  ["{ column: A, equals: { column: B } }", ["x", "X"], false],
  ["{ column: A, above: 17 }", ["17.00000000000000000001", ""], true],
  ["{ column: A, above: 2024-05-31 }", ["2024-05-31T23:59:59Z", ""], false],
])("when: %s for %j is %s", (condition, cells, holds) => {
  const mapRow = mapper(`${head}when: ${condition}\nmembers: { a: A }\n`, columns);
  expect(mapRow(rowOf(cells)).kind).toBe(holds ? "events" : "skipped");
});

test.each([
  ["{ column: A, not_in: [N/A] }", false],
  ["{ column: A, equals: N/A }", true],
  ['{ not: { column: A, matches: "^N" } }', false],
  ["{ column: A, blank: true }", true],
])("a null value can be asked for as the text that it is: %s", (condition, holds) => {
  const text = `${head}null_values: [N/A]\nwhen: ${condition}\nmembers: { a: A }\n`;
  expect(mapper(text, columns)(rowOf(["N/A", ""])).kind).toBe(holds ? "events" : "skipped");
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
  const text = `${head}when: { any: [{ not: { column: C, blank: true } }] }
members: { a: { columns: [A, X, B] } }
`;
  expect(problemsOfColumns(text, columns)).toEqual([
    'm.yaml:4:32: when.any.0.not.column: the input has no column "C"; it has "A", "B"',
    'm.yaml:5:30: members.a.columns.1: the input has no column "X"; it has "A", "B"',
  ]);
});

test("null values are blank wherever a cell is read", () => {
  const file = 'null_values: [NULL, "-", 0]\n';
  for (const cell of ["NULL", " - ", "0"]) {
    expect(memberOf("{ column: A, empty: null }", cell, file)).toBe(null);
    expect(memberOf("{ column: A, type: integer, default: 7 }", cell, file)).toBe(7);
    expect(memberOf('{ template: "Hi {A}", default: none }', cell, file)).toBe("none");
  }
  expect(memberOf("A", "null", file)).toBe("null");
  const mapRow = mapper(
    `${head}${file}ordering_key: [A]\nwhen: { column: A, blank: true }\nmembers: { b: { columns: [A, B] } }\n`,
    columns,
  );
  const mapped = mapRow(rowOf(["NULL", "x"]));
  expect(shown(mapped)).toMatchObject([{ b: "x" }]);
  expect(mapped).not.toHaveProperty("orderingKey");
});

test("places in lists make lists, without the items in which there is nothing", () => {
  const mapRow = mapper(
    `${head}members:
  emails[0].address: A
  emails[0].kind: B
  emails[1].address: B
  a\\.b: A
  tags[0][0]: A
  tags[0][1]: B
  c\\[0\\]: { value: [] }
`,
    columns,
  );
  expect(bodies(mapRow(rowOf(["a", "b"])))).toEqual([
    '{"event":"user.updated","emails":[{"address":"a","kind":"b"},{"address":"b"}],"a.b":"a","tags":[["a","b"]],"c[0]":[]}',
  ]);
  expect(bodies(mapRow(rowOf(["", "b"])))).toEqual([
    '{"event":"user.updated","emails":[{"kind":"b"},{"address":"b"}],"tags":[["b"]],"c[0]":[]}',
  ]);
  expect(bodies(mapRow(rowOf(["", ""])))).toEqual(['{"event":"user.updated","c[0]":[]}']);
});

test.each([
  ["a[1]: A", "members.a[1]: there is no [0] before its [1]: count from 0 without gaps"],
  [
    "a[0]: A\n  a.b: B",
    "members.a.b: a[0] makes a list of what this takes for an object: rename one",
  ],
  [
    "a[0]: A\n  a[0].b: B",
    "members.a[0].b: a[0] is a value already and cannot hold a[0].b: rename one",
  ],
  [
    'a.b: A\n  "a\\\\.b": B\n  a: A',
    "members.a.b: a is a value already and cannot hold a.b: rename one",
  ],
  [
    "a[x]: A",
    "members.a[x]: has a bracket that is no place in a list, from items[0] to items[999]: write \\[ and \\] for the brackets themselves",
  ],
  [
    `a${"[0]".repeat(10)}: A`,
    `members.a${"[0]".repeat(10)}: has a bracket that is no place in a list, from items[0] to items[999]: write \\[ and \\] for the brackets themselves`,
  ],
  [
    '"[0]": A',
    "members.[0]: has a bracket that is no place in a list, from items[0] to items[999]: write \\[ and \\] for the brackets themselves",
  ],
  ['"a\\\\": A', "members.a\\: ends with a backslash: write \\\\ for the backslash itself"],
  ['"a\\\\.b": A\n  "a\\\\b": A', undefined],
])("names of members: %s", (members, problem) => {
  const problems = problemsOfFile(`${head}members:\n  ${members}\n`);
  if (problem === undefined) expect(problems).toEqual([]);
  else expect(problems.map((one) => one.replace(/^m\.yaml:\d+:\d+: /, ""))).toContain(problem);
});

test("a cell that cannot be compared makes its row invalid, unless another condition decides first", () => {
  const problemOf = (condition: string, cells: readonly string[], of = "when") => {
    const text =
      of === "when"
        ? `${head}when: ${condition}\nmembers: {}\n`
        : `${head}members: { a: { value: 1, when: ${condition} } }\n`;
    return shown(mapper(text, columns)(rowOf(cells)));
  };
  const above = "{ column: A, above: 17 }";
  const problem =
    'not_a_number: column "A": "1,5" is not a number (digits with a point, such as 12.5), and when compares it with 17';
  expect(problemOf(above, ["1,5", ""])).toEqual([problem]);
  expect(problemOf(`{ not: ${above} }`, ["1,5", ""])).toEqual([problem]);
  expect(problemOf(above, ["1,5", ""], "member")).toEqual([problem]);
  expect(problemOf("{ column: A, below: 2024-05-31 }", ["31/05/2024", ""])).toEqual([
    'not_a_date: column "A": "31/05/2024" is not a date in ISO 8601 (such as 2024-05-31), and when compares it with 2024-05-31',
  ]);
  for (const cell of ["1.234", "1,2,3", "12.34,5", "x"]) {
    expect(problemOf('{ column: A, decimal_separator: ",", below: 2 }', [cell, ""])).toEqual([
      `not_a_number: column "A": "${cell}" is not a number (digits with a comma, such as 12,5), and when compares it with 2`,
    ]);
  }
  const onlyOfPeople = `{ all: [{ column: B, equals: person }, ${above}] }`;
  expect(problemOf(onlyOfPeople, ["none", "pet"])).toContain("condition: when requires");
  expect(problemOf(onlyOfPeople, ["none", "person"])).toHaveLength(1);
});

test("bounds and other columns of conditions are checked with the rest of the file", () => {
  const text = `${head}when:
  all:
    - { column: A, above: "12" }
    - { column: A, above: true }
    - { column: A, below: 0.12345678901234567890 }
    - { column: A, equals: { column: C } }
    - { column: A, equals: { colum: A } }
    - { above: 1 }
members: {}
`;
  expect(
    allProblemsOf(text, columns).map((one) => one.replace(/^m\.yaml:(\d+):\d+: /, "$1 ")),
  ).toEqual([
    "6 when.all.0.above: is no day such as 2024-05-31; write a number without quotes, such as 12.5",
    "7 when.all.1.above: needs a number or text, not true",
    "8 when.all.2.below: 0.12345678901234567890 is taken for 0.12345678901234568: write 0.12345678901234568, or another number",
    '9 when.all.3.equals.column: the input has no column "C"; it has "A", "B"',
    "10 when.all.4.equals.column: is missing: it needs text",
    "10 when.all.4.equals.colum: unknown key; did you mean column?",
    "11 when.all.5: needs column beside above: say whose cells are meant",
  ]);
});

test("how a cell is written is said beside the bound that it is compared with", () => {
  const text = `${head}when:
  all:
    - { column: A, equals: x, decimal_separator: "," }
    - { column: A, above: 2024-05-31, format: dd.MM.yyyy }
members: {}
`;
  expect(
    allProblemsOf(text, columns).map((one) => one.replace(/^m\.yaml:(\d+):\d+: when\.all/, "$1")),
  ).toEqual([
    "6.0.decimal_separator: has no effect without above or below: add that, or remove this",
    "7.1.format: unknown key; remove it",
  ]);
});
