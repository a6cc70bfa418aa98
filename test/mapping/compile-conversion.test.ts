import { expect, test } from "vitest";
import { isExactNumber } from "../../src/mapping/numbers.ts";
import {
  bodies,
  casesOf,
  head,
  mapper,
  memberOf,
  problemOf,
  rowOf,
  shown,
} from "./given-mapping.ts";

/** The values of clear cases are held by the interpreter: these are the others. */
test.each([
  ["A", '"\\\u2028\u0000😀', '"\\\u2028\u0000😀'],
  ["{ columns: [A] }", " x ", " x "],
  ["{ column: A, transform: { pad_start: { length: 5, with: 0 } }, default: none }", " ", "none"],
  ["{ column: A, transform: { pad_start: { length: 3, with: 😀 } } }", "é😀", "😀é😀"],
  ["{ column: A, transform: title_case }", "ßeta ﬁrst O'NEIL", "Sseta First O'Neil"],
  ['{ column: A, type: integer, thousands_separator: "." }', "12.345", 12345],
  ["{ column: A, type: integer }", "-0", 0],
  ["{ column: A, type: number }", "-0.00", 0],
  ["{ column: A, type: json }", '"9007199254740993"', "9007199254740993"],
  ['{ template: "{{{A}}} {{}}" }', "x", "{x} {}"],
  ['{ column: A, type: integer, thousands_separator: " " }', "12\u00a0345", 12345],
  ["{ column: A, type: decimal, scale: 1000 }", "12.5000", "12500.0"],
  ["{ column: A, type: number, scale: 3 }", "0.1", 0.3],
  ["{ column: A, transform: { strip_prefix: +31 } }", "+316", "6"],
  ["{ column: A, transform: { replace: { find: a, with: $& } } }", "xax", "x$&x"],
  ["{ column: A, format: url }", "https://example.com/a?b", "https://example.com/a?b"],
  ["{ column: A, min_length: 2, max_length: 2 }", "😀é", "😀é"],
  ["{ column: A, enum: [01, true] }", "01", "01"],
  ["{ column: A, map: { ' P': pro } }", "P\u00a0", "pro"],
  ["{ column: A, map: { '': none } }", "  ", "none"],
  ["{ column: A, map: { P: null } }", "P", null],
  ["{ column: A, type: decimal, enum: [1, 12.50] }", "1.00", "1.00"],
  ["{ column: A, type: number, enum: [1.0, 1e3] }", "1000.0", 1000],
  ["{ column: A, type: integer, enum: [007] }", "7", 7],
  // One less than what a double cannot tell from the next.
  ["{ column: A, type: decimal, max: 9007199254740992 }", "9007199254740992", "9007199254740992"],
  ["{ column: A, type: decimal, min: -1e-7 }", "-0.0000001", "-0.0000001"],
  ["{ column: A, type: decimal, min: 0 }", "-0.0", "0.0"],
])("%s of %j is %j", (spec, cell, value) => {
  expect(memberOf(spec, cell)).toEqual(value);
});

test.each(
  casesOf(`
{ column: A, type: integer, thousands_separator: "." } of 12.34
    not_an_integer: is not a whole number
{ column: A, type: number, decimal_separator: "," } of 12.5
    not_a_number: is not a number (digits with a comma, such as 12,5)
{ column: A, type: decimal } of 1e5
    not_a_decimal: is not a decimal number (digits with a point, such as 12.5)
{ column: A, type: integer, scale: 100 } of 19.995
    not_an_integer: is not a whole number when multiplied by 100
{ column: A, type: integer, scale: 100 } of 12,50
    not_an_integer: is not a number (digits with a point, such as 12.5); if the comma is the decimal one, add decimal_separator: ","
{ column: A, type: number, scale: 100 } of 9007199254740991
    not_a_number: is too large, too small or too long for an exact number: use type: decimal, or map the column as text (type: string)
{ column: A, type: decimal, scale: 0.01, max: 10 } of 1001
    out_of_range: is more than 10
{ column: A, type: integer } of 9007199254740993
    not_an_integer: is too large, too small or too long for an exact number: map the column as text (type: string)
{ column: A, type: boolean } of ja
    not_a_boolean: is not one of "true", "yes", "y", "1", "false", "no", "n", "0"
{ column: A, type: boolean, true_values: [1,2,3,4,5,6,7,8,9], false_values: [a, b] } of x
    not_a_boolean: is not one of "1", "2", "3", "4", "5", "6", "7", "8", "9", "a" and 1 more
{ column: A, type: list, separator: ";", items: { type: integer } } of 1;x
    not_an_integer: holds "x", which is not a whole number
{ column: A, format: email } of ada@example
    wrong_format: is not an email address
{ column: A, format: url } of ftp://example.com
    wrong_format: is not a URL that begins with https:// or http://
{ column: A, pattern: "^[a-z]+$" } of a1
    wrong_format: does not match the pattern ^[a-z]+$
{ column: A, min_length: 2 } of a
    wrong_length: has 1 character, fewer than 2
{ column: A, max_length: 2 } of abc
    wrong_length: has 3 characters, more than 2
{ column: A, type: number, min: 0.5 } of 0.4
    out_of_range: is less than 0.5
{ column: A, type: decimal, max: 9007199254740992 } of 9007199254740993
    out_of_range: is more than 9007199254740992
{ column: A, type: decimal, min: 0.1 } of 0.09999999999999999999
    out_of_range: is less than 0.1
{ column: A, type: decimal, max: 9.5 } of 10
    out_of_range: is more than 9.5
{ column: A, enum: ['1.0', b] } of 1
    unknown_value: is not one of "1.0", "b"
{ column: A, map: { P: pro, F: free } } of p
    unknown_value: is none of the cells that the mapping knows ("P", "F")
{ column: A, type: json } of [1e400]
    not_json: holds 1e400, a number that would not stay exact
`),
)("%s is a problem", (given, problem) => {
  expect(String(problemOf(given)).replace(/^(\w+: )column "A": "\S+" /, "$1")).toBe(problem);
});

test("what would be another number is refused, and what stays the same is not", () => {
  const others = ["9007199254740993e0", "12345678901234567890e-1", "1234567890123456.78", "-1e400"];
  expect([...others, "1e-400", "0.12345678901234567890"].filter(isExactNumber)).toEqual([]);
  const same = ["0.10000000000000001", "0.1", "1e23", "1234567890.12345", "-0.0"];
  expect(same.filter(isExactNumber)).toEqual(same);
});

test("JSON cells lose nothing, whatever their names, and may not be nested without end", () => {
  const cell = '{"__proto__":{"x":1},"constructor":{"prototype":2},"a":"\\ud800"}';
  const mapRow = mapper(`${head}members: { it: { column: A, type: json } }\n`, ["A"]);
  expect(bodies(mapRow(rowOf([cell])))).toEqual([`{"event":"user.updated","it":${cell}}`]);
  expect({}).not.toHaveProperty("x");
  const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
  expect(memberOf("{ column: A, type: json }", deep)).toContain("is nested deeper than 500 levels");
  expect(memberOf("{ column: A, type: json }", `"${"[".repeat(2000)}"`)).toHaveLength(2000);
});

test("a problem in a template names its columns and shows what it gave", () => {
  const text = `${head}members: { it: { template: "{A}{B}", type: integer } }\n`;
  expect(shown(mapper(text, ["A", "B"])(rowOf(["1", "x"])))).toEqual([
    'not_an_integer: column "A, B": "1x" is not a whole number',
  ]);
});

test("items that count as blank are left out of a list, and a list without items is a blank cell", () => {
  const nulls = 'null_values: [NULL, "-"]\n';
  const list = '{ column: A, type: list, separator: ";"';
  expect(memberOf(`${list} }`, "a;-; NULL ;b", nulls)).toEqual(["a", "b"]);
  for (const cell of [" ; ", "-;NULL"]) {
    expect(memberOf(`${list}, default: [x] }`, cell, nulls)).toEqual(["x"]);
    expect(memberOf(`${list}, required: true }`, cell, nulls)).toMatch(/^missing_value: /);
  }
});

test.each<[string, string, unknown]>([
  ["A", "#N/A", null],
  ["A", " #N/A ", null],
  ["A", "", undefined],
  ["{ column: A, default: 7, map: { '#N/A': 1 } }", "#N/A", null],
  ["{ column: A, required: true }", "#N/A", 'missing_value: column "A": "#N/A" is in clear_values'],
  ['{ column: A, type: list, separator: ";" }', "a;#N/A", ["a"]],
  ['{ column: A, type: list, separator: ";" }', "#N/A", null],
  ['{ template: "x {A|trim}" }', "#N/A", null],
  ["{ columns: [A, A] }", "#N/A", null],
  ["{ column: A, when: { column: A, blank: false } }", "#N/A", undefined],
])(
  "with clear_values a cell keeps a value, leaves it alone or removes it: %s of %j",
  (spec, cell, value) => {
    const found = memberOf(spec, cell, 'clear_values: ["#N/A"]\n');
    if (typeof value === "string") expect(found).toContain(value);
    else expect(found).toEqual(value);
  },
);

const replaced = "transform: { replace: { pattern: 'a.*', with: x } }";

test.each([
  `{ column: A, ${replaced} }`,
  `{ column: A, map: { P: pro }, otherwise: free, ${replaced} }`,
  `{ column: A, type: list, separator: ";", items: { ${replaced} } }`,
  "{ column: A, pattern: a }",
  "{ column: A, when: { column: A, matches: a } }",
])("a row with a cell too long for a pattern is invalid: %s", (spec) => {
  expect(memberOf(spec, "a".repeat(4001))).toMatch(
    /^too_long_for_pattern: column "A": "a+…" has more than 4,000 characters, the most that a pattern is tried on: shorten it, or map it without the pattern$/,
  );
  expect(String(memberOf(spec, "aab"))).not.toMatch(/too_long_for_pattern/);
});
