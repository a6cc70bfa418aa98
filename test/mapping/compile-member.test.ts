import { expect, test } from "vitest";
import { bodies, head, mapper, memberOf, rowOf, shown } from "./given-mapping.ts";

test.each([
  ["text of any kind", "A", '"\\\u2028\u0000😀', '"\\\u2028\u0000😀'],
  ["minus nothing", "{ column: A, type: integer }", "-0", 0],
  ["minus nothing at all", "{ column: A, type: number }", "-0.00", 0],
  [
    "JSON text with a long number in it",
    "{ column: A, type: json }",
    '"9007199254740993"',
    "9007199254740993",
  ],
  ["names like numbers and booleans", "{ column: A, map: { 01: a, 1: b, true: c } }", "01", "a"],
  ["a template with braces", '{ template: "{{{A}}} {{}}" }', "x", "{x} {}"],
])("%s", (_, spec, cell, value) => {
  expect(memberOf(spec, cell)).toEqual(value);
});

test.each([
  [
    "{ column: A, required: true }",
    " ",
    "missing_value",
    ": is blank, and the mapping requires it",
  ],
  [
    "{ column: A, map: { P: pro, F: free } }",
    "p",
    "unknown_value",
    ': "p" is not in the mapping\'s map ("P", "F")',
  ],
  [
    "{ column: A, type: json }",
    "[1e400]",
    "not_json",
    ': "[1e400]" holds 1e400, a number that would not stay exact',
  ],
])("%s of %j is the problem %s", (spec, cell, code, message) => {
  expect(memberOf(spec, cell)).toBe(`${code}: column "A"${message}`);
});

test("JSON cells lose nothing, whatever their names", () => {
  const cell = '{"__proto__":{"x":1},"constructor":{"prototype":2},"a":"\\ud800"}';
  const mapRow = mapper(`${head}members: { it: { column: A, type: json } }\n`, ["A"]);
  expect(bodies(mapRow(rowOf([cell])))).toEqual([`{"event":"user.updated","it":${cell}}`]);
  expect({}).not.toHaveProperty("x");
});

test("JSON nested without end is the problem of its row, not the end of the run", () => {
  const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
  expect(memberOf("{ column: A, type: json }", deep)).toContain("is nested deeper than 500 levels");
  expect(memberOf("{ column: A, type: json }", `"${"[".repeat(2000)}"`)).toHaveLength(2000);
  expect(memberOf("{ column: A, type: json }", "{")).toContain("not_json");
});

test("a problem in a template names its columns and shows what it gave", () => {
  const mapRow = mapper(`${head}members: { it: { template: "{A}{B}", type: integer } }\n`, [
    "A",
    "B",
  ]);
  expect(shown(mapRow(rowOf(["1", "x"])))).toEqual([
    'not_an_integer: column "A, B": "1x" is not a whole number',
  ]);
});
