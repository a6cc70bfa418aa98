import { expect, test } from "vitest";
import { isExactNumber } from "../../src/mapping/numbers.ts";
import { casesOf, memberOf, problemOf } from "./given-mapping.ts";

test.each([
  ['{ column: A, type: integer, thousands_separator: " " }', "12\u00a0345", 12345],
  ['{ column: A, type: integer, thousands_separator: "\'" }', "12’345", 12345],
  ["{ column: A, type: decimal, scale: 1000 }", "12.5000", "12500.0"],
  ["{ column: A, type: number, scale: 3 }", "0.1", 0.3],
  ["{ column: A, type: number, scale: 0.001 }", "1.5E3", 1.5],
  ["{ column: A, transform: { strip_prefix: +31 } }", "+316", "6"],
  ["{ column: A, transform: { replace: { find: a, with: $& } } }", "xax", "x$&x"],
  ["{ column: A, format: url }", "https://example.com/a?b", "https://example.com/a?b"],
  ["{ column: A, min_length: 2, max_length: 2 }", "😀é", "😀é"],
  ["{ column: A, enum: [01, true] }", "01", "01"],
])("%s of %j is %j", (spec, cell, value) => {
  expect(memberOf(spec, cell)).toEqual(value);
});

test.each(
  casesOf(`
{ column: A, type: integer, thousands_separator: "." } of 12.34
    not_an_integer: is not a whole number
{ column: A, type: number, decimal_separator: "," } of 12.5
    not_a_number: is not a number (digits with a comma, such as 12,5)
{ column: A, type: number, thousands_separator: "," } of 1,2345
    not_a_number: is not a number (digits with a point, such as 12.5)
{ column: A, type: decimal } of 1e5
    not_a_decimal: is not a decimal number (digits with a point, such as 12.5)
{ column: A, type: integer, scale: 100 } of 19.995
    not_an_integer: is not a whole number when multiplied by 100
{ column: A, type: integer, scale: 100 } of 12,50
    not_an_integer: is not a number (digits with a point, such as 12.5); if the comma is the decimal one, add decimal_separator: ","
{ column: A, type: integer, scale: 100, decimal_separator: "," } of x
    not_an_integer: is not a number (digits with a comma, such as 12,5)
{ column: A, type: decimal, scale: 100 } of 1e5
    not_a_decimal: is not a decimal number (digits with a point, such as 12.5)
{ column: A, type: number, scale: 100 } of 9007199254740991
    not_a_number: is too large, too small or too long for an exact number: use type: decimal, or map the column as text (type: string)
{ column: A, type: decimal, scale: 0.01, max: 10 } of 1001
    out_of_range: is more than 10
{ column: A, type: integer } of 9007199254740993
    not_an_integer: is too large, too small or too long for an exact number: map the column as text (type: string)
{ column: A, type: boolean } of ja
    not_a_boolean: is not one of true, false, yes, no, y, n, 1, 0
{ column: A, type: boolean, true_values: [1,2,3,4,5,6,7,8,9], false_values: [a, b] } of x
    not_a_boolean: is not one of "1", "2", "3", "4", "5", "6", "7", "8", "9", "a", …
{ column: A, type: boolean, true_values: [ja], false_values: [nee] } of yes
    not_a_boolean: is not one of "ja", "nee"
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
{ column: A, type: decimal, max: 10 } of 10.1
    out_of_range: is more than 10
{ column: A, enum: [a, b] } of c
    unknown_value: is not one of "a", "b"
`),
)("%s is a problem", (given, problem) => {
  expect(problemOf(given)).toBe(problem);
});

test("what would be another number is refused, and what stays the same is not", () => {
  const others = ["9007199254740993e0", "12345678901234567890e-1", "1234567890123456.78", "-1e400"];
  expect([...others, "1e-400", "0.12345678901234567890"].filter(isExactNumber)).toEqual([]);
  const same = ["0.10000000000000001", "0.1", "1e23", "1234567890.12345", "-0.0"];
  expect(same.filter(isExactNumber)).toEqual(same);
});
