import { expect, test } from "vitest";
import { head, memberOf, problemsOfFile } from "./given-mapping.ts";

/** What is said of one member, without its place. */
const saidOf = (spec: string, file = "") =>
  problemsOfFile(`${head}${file}members:\n  it: ${spec}\n`).map((one) =>
    one.replace(/^m\.yaml:\d+:\d+: members\.it\.?/, ""),
  );

test.each([
  ["{ column: A, map: { P: pro } }", " P ", "pro"],
  ["{ column: A, map: { ' P': pro } }", "P", "pro"],
  ["{ column: A, map: { '': none } }", "  ", "none"],
  ["{ column: A, map: { P: null } }", "P\u00a0", null],
  ["{ column: A, type: decimal, enum: [1, 12.50] }", "1.00", "1.00"],
  ["{ column: A, type: decimal, enum: [1.50] }", "1,5", expect.stringContaining("not_a_decimal")],
  ["{ column: A, type: number, enum: [1.0, 1e3] }", "1", 1],
  ["{ column: A, type: number, enum: [1.0, 1e3] }", "1000.0", 1000],
  ["{ column: A, type: number, enum: [-0.5] }", ".5", expect.stringContaining("unknown_value")],
  ["{ column: A, type: integer, enum: [007] }", "7", 7],
  ["{ column: A, enum: ['1.0'] }", "1", expect.stringContaining("unknown_value")],
  // One more than a double can tell from the next.
  [
    "{ column: A, type: decimal, max: 9007199254740992 }",
    "9007199254740993",
    'out_of_range: column "A": "9007199254740993" is more than 9007199254740992',
  ],
  ["{ column: A, type: decimal, max: 9007199254740992 }", "9007199254740992", "9007199254740992"],
  [
    "{ column: A, type: decimal, min: 0.1 }",
    "0.09999999999999999999",
    expect.stringContaining("is less than 0.1"),
  ],
  ["{ column: A, type: decimal, min: -1e-7 }", "-0.0000001", "-0.0000001"],
  ["{ column: A, type: decimal, min: -1e-7 }", "-0.00000010001", expect.stringContaining("less")],
  [
    "{ column: A, type: decimal, max: 1e21 }",
    "1000000000000000000001",
    expect.stringContaining("more"),
  ],
  ["{ column: A, type: decimal, min: 0 }", "-0.0", "0.0"],
  ["{ column: A, type: decimal, max: 9.5 }", "10", expect.stringContaining("more than 9.5")],
])("%s of %j is %j", (spec, cell, value) => {
  expect(memberOf(spec, cell)).toEqual(value);
});

const nulls = 'null_values: [NULL, "-"]\n';
const list = '{ column: A, type: list, separator: ";"';

test("items that count as blank are left out of a list, and a list without items is a blank cell", () => {
  expect(memberOf(`${list} }`, "a;-; NULL ;b", nulls)).toEqual(["a", "b"]);
  expect(memberOf(`${list}, items: { type: integer } }`, "1;-", nulls)).toEqual([1]);
  for (const cell of [" ; ", ";", "-;NULL"]) {
    expect(memberOf(`${list} }`, cell, nulls)).toBe(undefined);
    expect(memberOf(`${list}, empty: null }`, cell, nulls)).toBe(null);
    expect(memberOf(`${list}, default: [x] }`, cell, nulls)).toEqual(["x"]);
    expect(memberOf(`${list}, required: true }`, cell, nulls)).toMatch(/^missing_value: /);
  }
});

const blankThere = (text: string) =>
  `never comes: "${text}" is among null_values, so a cell of it is blank; remove it there, or say here with default what a blank cell becomes`;

test.each([
  ["{ column: A, map: { x: 1, '-': 2 } }", [`map.-: ${blankThere("-")}`]],
  ["{ columns: [A], transform: trim, enum: [x, NULL] }", [`enum.1: ${blankThere("NULL")}`]],
  [
    "{ column: A, type: boolean, true_values: [x], false_values: [' - '] }",
    [`false_values.0: ${blankThere("-")}`],
  ],
  [`${list}, items: { enum: ['-'] } }`, [`items.enum.0: ${blankThere("-")}`]],
  ["{ column: A, transform: uppercase, map: { NULL: 2 } }", []],
  ["{ template: '{A}-', map: { '-': 2 } }", []],
  ["{ column: A, lookup: { file: f, key: k, value: v }, enum: ['-'] }", []],
  ["{ column: A, type: integer, max: 9007199254740992 }", []],
  [
    "{ column: A, type: integer, max: 9007199254740993 }",
    [
      "max: 9007199254740993 is taken for 9007199254740992: write 9007199254740992, or another number",
    ],
  ],
  ["{ value: 9007199254740992 }", []],
])("%s: %j", (spec, said) => {
  expect(saidOf(spec, nulls)).toEqual(said);
});

test("a kind of event that never comes is reported as well", () => {
  const file =
    'version: 1\nresource: users\nnull_values: ["-"]\nevent: { column: A, map: { "-": a } }\n';
  expect(problemsOfFile(`${file}members: {}\n`)).toEqual([
    `m.yaml:4:28: event.map.-: ${blankThere("-")}`,
  ]);
});

const notOf = (given: string, type: string, such: string) =>
  `default: ${given} is not what type: ${type} gives: write ${such}, or null`;

test.each([
  ["string, default: 0", [notOf("0", "string", "text in quotes")]],
  ["string, default: '0'", []],
  ["integer, default: 1.5", [notOf("1.5", "integer", "a whole number")]],
  ["integer, default: unknown", [notOf('"unknown"', "integer", "a whole number")]],
  ["integer, default: null", []],
  ["integer, max: 5, default: 99", []],
  ["number, default: '1'", [notOf('"1"', "number", "a number")]],
  [
    "decimal, default: 0.5",
    [notOf("0.5", "decimal", 'a decimal number in quotes, such as "0.50"')],
  ],
  ["decimal, default: '0.50'", []],
  [
    "decimal, default: '0,50'",
    [notOf('"0,50"', "decimal", 'a decimal number in quotes, such as "0.50"')],
  ],
  // YAML 1.2 has no boolean but true and false.
  ["boolean, default: no", [notOf('"no"', "boolean", "true or false")]],
  ["boolean, default: false", []],
  ["boolean, default: 'false'", [notOf('"false"', "boolean", "true or false")]],
  ["date, default: 2024-05-31", []],
  ["date, default: 31/05/2024", [notOf('"31/05/2024"', "date", "a day such as 2024-05-31")]],
  ["datetime, default: '2024-05-31T12:30:00.000Z'", []],
  [
    "datetime, default: now",
    [notOf('"now"', "datetime", "a time such as 2024-05-31T12:30:00.000Z")],
  ],
  ["list, separator: x, default: []", []],
  ["list, separator: x, default: { a: 1 }", [notOf('{"a":1}', "list", "a list")]],
  ["json, default: { a: 1 }", []],
])("type: %s", (rest, said) => {
  expect(saidOf(`{ column: A, type: ${rest} }`)).toEqual(said);
});

const replaced = "transform: { replace: { pattern: 'a.*', with: x } }";
const tooLong =
  "has more than 4,000 characters, the most that a pattern is tried on: shorten it, or map it without the pattern";

test.each([
  `{ column: A, ${replaced} }`,
  `{ column: A, map: { P: pro }, otherwise: free, ${replaced} }`,
  `{ column: A, type: list, separator: ";", items: { ${replaced} } }`,
  "{ column: A, pattern: a }",
  "{ column: A, when: { column: A, matches: a } }",
])("a row with a cell too long for a pattern is invalid: %s", (spec) => {
  const cell = "a".repeat(4001);
  const said = memberOf(spec, cell);
  expect(said).toMatch(/^too_long_for_pattern: column "A": "a+…" /);
  expect(String(said).endsWith(tooLong)).toBe(true);
  expect(String(memberOf(spec, "aab"))).not.toMatch(/too_long_for_pattern/);
});
