import { expect, test } from "vitest";
import { casesOf, head, problemsOfFile } from "./given-mapping.ts";

/** What is said of one member, without its place. */
function saidOf(spec: string, file = ""): string[] {
  return problemsOfFile(`${head}${file}members:\n  it: ${spec}\n`).map((one) =>
    one.replace(/^m\.yaml:\d+:\d+: members\.it(\.|: |$)/, (_, next: string) =>
      next === "." ? "." : "",
    ),
  );
}

test.each(
  casesOf(`
{ columns: [] }
    .columns: is an empty list
{ column: A, lookup: codes.csv }
    .lookup: needs a mapping of keys to values, not "codes.csv"
{ meta: row, transform: trim }
    .transform: has no effect beside meta: remove it
{ column: A, lookup: { file: f, key: k } }
    .lookup.value: is missing: it needs text
{ column: A, map: { a: b }, lookup: { file: f, key: k, value: v } }
    .lookup: has no effect beside map: remove it
{ column: A, lookup: { file: f, key: [k, l], value: v } }
    .lookup.key: is a list, which needs columns: the columns of the row that it is compared with
{ column: A, otherwise: x }
    .otherwise: has no effect without map or lookup: add that, or remove this
{ column: A, type: integer, lookup: { file: f, key: k, value: v }, otherwise: x }
    .otherwise: "x" is not what type: integer gives: write a whole number, or null
{ column: A, transform: { split: { by: x, item: 0 } } }
    .transform.split.item: is 0: the first item is 1, and the last is -1
{ column: A, transform: [{ pad_start: { length: 0, with: 0 } }] }
    .transform.0.pad_start.length: has to be 1 or more
{ column: A, transform: [{ pad_start: { length: 5, with: ab } }] }
    .transform.0.pad_start.with: has to be one character
{ column: A, transform: { replace: { find: a } } }
    .transform.replace.with: is missing: it needs text
{ column: A, transform: { replace: { find: a, pattern: b, with: c } } }
    .transform.replace: needs exactly one of find, pattern; it has find and pattern
{ column: A, transform: { replace: { pattern: "(", with: c } } }
    .transform.replace.pattern: is no regular expression of RE2, which has no look-around and no back-references: missing closing ): \`(\`
{ column: A, transform: { replace: { pattern: "(a)", with: "$2 $1" } } }
    .transform.replace.with: has $2, and the pattern has 1 group in parentheses: write $1 for the first, or $$2 for the text itself
{ column: A, transform: [trim, pad_start] }
    .transform.1: "pad_start" is not complete: write { pad_start: … }
{ column: A, transform: [trim, upper] }
    .transform.1: "upper" is not known here; did you mean uppercase?
{ column: A, min: 1 }
    .min: has no effect without type: integer, number or decimal: add that, or remove this
{ column: A, type: integer, min: 9, max: 1 }
    .max: is less than min: every row would be invalid
{ column: A, min_length: 5, max_length: 2 }
    .max_length: is less than min_length: every row would be invalid
{ column: A, map: { a: b, " a": c } }
    .map. a: is there without space around it too: remove one
{ column: A, type: date, timezone: UTC }
    .timezone: has no effect beside type: date: remove it, or use type: datetime
{ column: A, type: list }
    needs separator beside type: list: the text between the items, such as ";"
{ column: A, type: list, separator: x, items: { type: list } }
    .items.type: "list" is not known here; use one of string, integer, number, decimal, boolean, date, datetime
{ column: A, type: boolean, true_values: [x] }
    .true_values: needs false_values beside it: say what means the other
{ column: A, type: boolean, true_values: [x], false_values: [X] }
    .false_values: has "X", which is among true_values too
{ column: A, type: number, thousands_separator: "." }
    .thousands_separator: is the decimal separator too: change one
{ column: A, type: number, decimal_separator: ",", thousands_separator: "," }
    .thousands_separator: is the decimal separator too: change one
{ column: A, type: integer, scale: 9, decimal_separator: ".", thousands_separator: "." }
    .thousands_separator: is the decimal separator too: change one
{ column: A, type: decimal, scale: 0 }
    .scale: is 0: every number would become 0
{ column: A, type: number, scale: 0.12345678901234567890 }
    .scale: 0.12345678901234567890 is taken for 0.12345678901234568: write 0.12345678901234568, or another number
{ column: A, type: integer, max: 9007199254740993 }
    .max: 9007199254740993 is taken for 9007199254740992: write 9007199254740992, or another number
{ column: A, max_length: 1.5 }
    .max_length: needs a whole number, not 1.5
{ column: A, pattern: "(?=a)" }
    .pattern: is no regular expression of RE2, which has no look-around and no back-references: invalid or unsupported Perl syntax: \`(?=\`
{ column: A, required: true, default: x }
    .required: has no effect beside default, which says what becomes of a blank cell: remove it
{ column: A, required: true, empty: keep }
    .empty: has no effect beside required: true: remove one
{ column: A, format: e-mail }
    .format: "e-mail" is no format of text; did you mean email?
{ column: A, format: yyyy }
    .format: "yyyy" is no format of text; use one of email, url, or type: date or datetime with it
{ column: A, type: date, format: [d/M/yyyy, d/M/yy] }
    .format: "d/M/yy" has years of two digits: add pivot_year, the last year that they can mean
{ column: A, type: date, format: [iso, dd/MM/yyyy, MM/dd/yyyy] }
    .format: "dd/MM/yyyy" and "MM/dd/yyyy" read 10/11/2012 as different days: keep one
{ column: A, type: datetime, format: ["d.M.yy H:mm", "yy.M.d H:mm"], pivot_year: 2040 }
    .format: "d.M.yy H:mm" and "yy.M.d H:mm" read 10.11.12 0:00 as different days: keep one
{ column: A, type: date, format: [yyyy-dd-MM, iso] }
    .format: "yyyy-dd-MM" and "iso" read 2012-10-11 as different days: keep one
{ column: A, type: list, separator: x, items: { type: date, format: yyMMdd } }
    .items.format: "yyMMdd" has years of two digits: add pivot_year, the last year that they can mean
{ column: A, type: date, format: d/M/yy, pivot_year: 44 }
    .pivot_year: is before 1999: give the last of the hundred years, with four digits
{ column: A, type: date, format: DD/MM/YYYY }
    .format: "DD/MM/YYYY" has DD, YYYY, which are no parts of a date: write dd/MM/yyyy
{ column: A, type: date, format: dd/mm/yyyy }
    .format: "dd/mm/yyyy" has minutes (mm) that do not follow the hours: write dd/MM/yyyy
{ column: A, type: date, format: d MMMM MM 'd' yyyy }
    .format: "d MMMM MM 'd' yyyy" has MMMM and MM, both for the month: keep one (MM is the month, mm are minutes)
{ column: A, type: datetime, format: "dd/mm/yyyy HH:MM" }
    .format: "dd/mm/yyyy HH:MM" has minutes (mm) that do not follow the hours: write dd/MM/yyyy HH:mm
{ column: A, type: datetime, format: "dd MMM yyyy mm" }
    .format: "dd MMM yyyy mm" has minutes (mm) that do not follow the hours: the month is MM; minutes stand after HH
{ column: A, type: date, format: dd/MM }
    .format: "dd/MM" has no year: add yyyy
{ column: A, type: datetime, format: yyyy-MM-ddTHH:mm }
    .format: "yyyy-MM-ddTHH:mm" has T, which is no part of a date: for letters that mean themselves, write 'T'
{ column: A, type: datetime, format: yyyy-MM-dd HH:mm z }
    .format: "yyyy-MM-dd HH:mm z" has z, which is no part of a date: names of time zones are not read; use ZZ for an offset, or the key timezone
{ column: A, type: datetime, format: "dd/MM/yyyy hh:mm" }
    .format: "dd/MM/yyyy hh:mm" mixes the hours of a day (HH) with those of half a day (hh and a): use HH, or hh with a
{ column: A, type: datetime, format: "dd/MM/yyyy 'at HH" }
    .format: "dd/MM/yyyy 'at HH" opens a quote (') that is never closed: close it
{ column: A, type: datetime, timezone: Europe/Amsterdm }
    .timezone: "Europe/Amsterdm" is no time zone; did you mean Europe/Amsterdam?
{ column: A, type: datetime, timezone: CET+1 }
    .timezone: "CET+1" is no time zone; use a name such as Europe/Amsterdam, or UTC
`),
)("%s", (spec, problem) => {
  expect(saidOf(spec)).toEqual([problem]);
});

test.each(
  casesOf(`
when: { column: A }
    when: needs exactly one of in, not_in, equals, above, below, matches, blank, all, any, not; it has none
when: { equals: x }
    when: needs column beside equals: say whose cells are meant
when: { Action: A }
    when.Action: is no key of a condition: write { column: …, in: […] }, and { all: […] } for several
when: [{ column: A, blank: true }]
    when: needs a mapping of keys to values, not a list: write { column: …, in: […] }, and { all: […] } for several
when: { column: A, not: { column: A, blank: true } }
    when.column: has no effect beside not: remove it
when: { any: [{ column: A, matches: "(a" }] }
    when.any.0.matches: is no regular expression of RE2, which has no look-around and no back-references: missing closing ): \`(a\`
when: { any: [{ colum: A, blank: true }] }
    when.any.0.colum: unknown key; did you mean column?
when: { column: A, equals: x, decimal_separator: "," }
    when.decimal_separator: has no effect without above or below: add that, or remove this
when: { column: A, above: "12" }
    when.above: is no day such as 2024-05-31; write a number without quotes, such as 12.5
when: { column: A, above: true }
    when.above: needs a number or text, not true
when: { column: A, below: 0.12345678901234567890 }
    when.below: 0.12345678901234567890 is taken for 0.12345678901234568: write 0.12345678901234568, or another number
ordering_key: [null]
    ordering_key.0: needs text or a mapping of keys to values, not nothing; the word is written "null"
gone: { event: g, members: {} }
    gone: has no effect without ordering_key: add that, or remove this
null_value: [NULL]
    null_value: unknown key; did you mean null_values?
input: { encoding: klingon }
    input.encoding: "klingon" is not a known encoding; give one such as windows-1252, iso-8859-2, utf-16le or shift_jis
input: { delimiter: "\\n" }
    input.delimiter: it cannot hold a line end or a double quote
input: { skiplines: 1 }
    input.skiplines: unknown key; did you mean skip_lines?
`),
)("%s", (line, problem) => {
  const problems = problemsOfFile(`${head}members: {}\n${line}\n`);
  expect(problems.map((one) => one.replace(/^m\.yaml:\d+:\d+: /, ""))).toEqual([problem]);
});

test("an unknown key is reported together with the one that is missing for it", () => {
  expect(saidOf("{ column: A, lookup: { flie: f, key: k, value: v } }")).toEqual([
    ".lookup.file: is missing: it needs text",
    ".lookup.flie: unknown key; did you mean file?",
  ]);
});

test.each([
  ["string", "0", "text in quotes"],
  ["integer", "1.5", "a whole number"],
  ["number", '"1"', "a number"],
  ["decimal", "0.5", 'a decimal number in quotes, such as "0.50"'],
  ["decimal", '"0,50"', 'a decimal number in quotes, such as "0.50"'],
  // YAML 1.2 has no boolean but true and false.
  ["boolean", '"no"', "true or false"],
  ["date", '"31/05/2024"', "a day such as 2024-05-31"],
  ["datetime", '"2024-05-01"', "a time such as 2024-05-31T12:30:00.000Z"],
  ["list, separator: x", '{"a":1}', "a list"],
])("type: %s has no default %s", (type, given, such) => {
  expect(saidOf(`{ column: A, type: ${type}, default: ${given.replace(":", ": ")} }`)).toEqual([
    `.default: ${given} is not what type: ${type.split(",")[0]} gives: write ${such}, or null`,
  ]);
});

test.each([
  ...["string, default: '0'", "integer, default: null", "integer, max: 5, default: 99"],
  ...["decimal, default: '0.50'", "boolean, default: false", "date, default: 2024-05-31"],
  ...["datetime, default: '2024-05-31T12:30:00.000Z'", "list, separator: x, default: []"],
  "json, default: { a: 1 }",
])("nothing is wrong with type: %s", (rest) => {
  expect(saidOf(`{ column: A, type: ${rest} }`)).toEqual([]);
});
