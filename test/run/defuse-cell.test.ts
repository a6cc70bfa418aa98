import fc from "fast-check";
import { expect, test } from "vitest";
import { defuseCell } from "../../src/run/check/problems-file.ts";
import { anyCell } from "../input/given-bytes.ts";

test.each<[string, string]>([
  ["=1+1", "'=1+1"],
  ["+31 6 1234", "'+31 6 1234"],
  ["-12.5", "'-12.5"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["  =1", "'  =1"],
  ['"=1', "'\"=1"],
  ["\ufeff=1", "'\ufeff=1"],
  ["\t=1", "'\t'=1"],
  ["\rx", "'\rx"],
  ["＝1+1", "'＝1+1"],
  ["\0x", "'\0x"],
  ["a;\0=1", "a;'\0=1"],
  ["-cmd()", "'-cmd()"],
  ["a;=cmd()", "a;'=cmd()"],
  ["a, -b", "a,' -b"],
  ["one\n=two", "one\n'=two"],
  ["00172", "'00172"],
  ["1234567890123456", "'1234567890123456"],
  ["12E5", "'12E5"],
  ...["", "0", "42", "12.5", "12345678901", "a@example.com", "2024-05-01", "x = y", "a-b"].map(
    (harmless): [string, string] => [harmless, harmless],
  ),
])("a formula, and digits that would be another number, are shown as text: %j", (cell, safe) => {
  expect(defuseCell(cell)).toBe(safe);
});

test("whatever delimiter a program takes for granted, none of its cells begins like a formula", () => {
  const dangerous = fc.array(fc.constantFrom(..."=+-@\t\r\n;,| \"'a0"), { maxLength: 8 });
  const anyText = fc.oneof(
    anyCell,
    dangerous.map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(anyText, (cell) => {
      for (const part of defuseCell(cell).split(/[,;|\t\r\n]/)) {
        expect(part).not.toMatch(/^[\s\ufeff"]*[=+\-@]/);
      }
      expect(defuseCell(cell)).not.toMatch(/^\s*(\t|\r|0\d+\s*$)/);
      expect(defuseCell(cell).replaceAll("'", "")).toBe(cell.replaceAll("'", ""));
    }),
    { numRuns: 500 },
  );
});
