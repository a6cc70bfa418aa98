import { expect, test } from "vitest";
import type { LookupTable } from "../../src/mapping/compile-lookup.ts";
import { compileMapping } from "../../src/mapping/compile-mapping.ts";
import { loadMapping } from "../../src/mapping/load-mapping.ts";
import { describeFileProblem } from "../../src/model/file-problem.ts";
import { head, people, rowOf, shown } from "./given-mapping.ts";

const countries: LookupTable = {
  kind: "table",
  columns: ["Name", "Code", "Calls"],
  rows: [
    { line: 2, cells: ["Nederland", "NL", "31"] },
    { line: 3, cells: [" België ", "BE", "x"] },
    { line: 4, cells: ["Nowhere", " ", ""] },
    { line: 5, cells: ["", "??", "??"] },
    { line: 6, cells: ["Nederland", "NL", "32"] },
  ],
};

function compiled(lookup: string, more = "", table: LookupTable = countries) {
  const loaded = loadMapping(`${head}members: { it: { column: A, lookup: ${lookup}${more} } }\n`);
  if (loaded.kind === "invalid") throw new Error("not loaded");
  return compileMapping(loaded.mapping, ["A"], people, new Map([["countries.csv", table]]));
}

const code = "{ file: countries.csv, key: Name, value: Code }";

test.each([
  ["", "Nederland", [{ event: "user.updated", it: "NL" }]],
  ["", " België", [{ event: "user.updated", it: "BE" }]],
  [
    ", transform: { replace: { find: Holland, with: Nederland } }",
    "Holland",
    [{ event: "user.updated", it: "NL" }],
  ],
  ["", "", [{ event: "user.updated" }]],
  ["", "Nowhere", [{ event: "user.updated" }]],
  [
    ", required: true",
    "Nowhere",
    ['missing_value: column "A": "Nowhere" is blank, and the mapping requires it'],
  ],
  ["", "Narnia", ['unknown_value: column "A": "Narnia" is not in column "Name" of countries.csv']],
  [", otherwise: XX", "Narnia", [{ event: "user.updated", it: "XX" }]],
  [", enum: [NL]", "België", ['unknown_value: column "A": "België" is not one of "NL"']],
])("a cell is looked up%s: %j", (more, cell, result) => {
  const mapping = compiled(code, more);
  if (mapping.kind === "invalid") throw new Error("not compiled");
  expect(shown(mapping.mapRow(rowOf([cell])))).toEqual(result);
});

test.each([
  [
    "{ file: countries.csv, key: Nmae, value: Cod }",
    countries,
    [
      'm.yaml:4:65: members.it.lookup.key: countries.csv has no column "Nmae"; did you mean "Name"?',
      'm.yaml:4:78: members.it.lookup.value: countries.csv has no column "Cod"; did you mean "Code"?',
    ],
  ],
  [
    "{ file: countries.csv, key: Name, value: Calls }",
    countries,
    [
      'm.yaml:4:65: members.it.lookup.key: countries.csv has "Nederland" twice (lines 2 and 6), with "31" and "32": remove one',
    ],
  ],
  [
    code,
    { kind: "unusable", message: "cannot be read" } as const,
    ["m.yaml:4:45: members.it.lookup.file: cannot be read"],
  ],
])("a table that cannot be used is a problem of the mapping: %s", (lookup, table, problems) => {
  const mapping = compiled(lookup, "", table);
  if (mapping.kind === "compiled") throw new Error("compiled");
  expect(mapping.problems.map((one) => describeFileProblem("m.yaml", one))).toEqual(problems);
});

test("null_values are of the cells, and not of what is looked up", () => {
  const text = `${head}null_values: [NL, NA]\nmembers: { it: { column: A, lookup: ${code} } }\n`;
  const loaded = loadMapping(text);
  if (loaded.kind === "invalid") throw new Error("not loaded");
  const tables = new Map([["countries.csv", countries]]);
  const result = compileMapping(loaded.mapping, ["A"], people, tables);
  if (result.kind === "invalid") throw new Error("not compiled");
  const made = ["Nederland", "NA"].map((cell) => shown(result.mapRow(rowOf([cell]))));
  expect(made).toEqual([[{ event: "user.updated", it: "NL" }], [{ event: "user.updated" }]]);
});
