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
  ["", "Nowhere", [{ event: "user.updated" }]],
  [
    ", required: true",
    "Nowhere",
    ['missing_value: column "A": "Nowhere" is blank, and the mapping requires it'],
  ],
  ["", "Narnia", ['unknown_value: column "A": "Narnia" is not in column "Name" of countries.csv']],
  [", otherwise: XX", "Narnia", [{ event: "user.updated", it: "XX" }]],
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

const prices: LookupTable = {
  kind: "table",
  columns: ["Land", "Tariff", "Price"],
  rows: [
    { line: 2, cells: ["NL", " pro ", "10"] },
    { line: 3, cells: ["NL", "", "0"] },
    { line: 4, cells: ["DE", "pro", "12"] },
    { line: 5, cells: ["", " ", "??"] },
    { line: 6, cells: ['N"L', 'a","b', "1"] },
    { line: 7, cells: ['N"L","a', "b", "2"] },
  ],
};

function price(more: string, cells: readonly string[], table = prices, file = "") {
  const text = `${head}${file}members: { it: { columns: [Country, Plan], ${more} } }\n`;
  const loaded = loadMapping(text);
  if (loaded.kind === "invalid") throw new Error(JSON.stringify(loaded.problems));
  const tables = new Map([["prices.csv", table]]);
  const result = compileMapping(loaded.mapping, ["Country", "Plan"], people, tables);
  if (result.kind === "invalid") {
    return result.problems.map((one) => describeFileProblem("m.yaml", one));
  }
  const [made] = shown(result.mapRow(rowOf(cells))) as readonly unknown[];
  return typeof made === "string" ? made : (made as { it?: unknown }).it;
}

const ofBoth = "lookup: { file: prices.csv, key: [Land, Tariff], value: Price }";

test.each([
  ["", ["NL", "pro"], "10"],
  ["", ["NL", ""], "0"],
  ["", ["", " "], undefined],
  [", transform: uppercase", ["de", "PRO"], expect.stringContaining("unknown_value")],
  ["", ['N"L', 'a","b'], "1"],
  ["", ['N"L","a', "b"], "2"],
  [
    "",
    ["NL", "prro"],
    'unknown_value: column "Country, Plan": "NL, prro" is not in columns "Land", "Tariff" of prices.csv',
  ],
])("cells are looked up together%s: %j", (more, cells, result) => {
  expect(price(ofBoth + more, cells)).toEqual(result);
});

test("problems of a key of several columns are reported with its place", () => {
  const wrong = "lookup: { file: prices.csv, key: [Lnad, Tariff], value: Prize }";
  expect(price(wrong, [])).toEqual([
    'm.yaml:4:78: members.it.lookup.key.0: prices.csv has no column "Lnad"; did you mean "Land"?',
    'm.yaml:4:100: members.it.lookup.value: prices.csv has no column "Prize"; did you mean "Price"?',
  ]);
  const twice = { ...prices, rows: [...prices.rows, { line: 9, cells: ["NL", "pro", "11"] }] };
  expect(price(ofBoth, [], twice)).toEqual([
    'm.yaml:4:72: members.it.lookup.key: prices.csv has "NL", "pro" twice (lines 2 and 9), with "10" and "11": remove one',
  ]);
});
