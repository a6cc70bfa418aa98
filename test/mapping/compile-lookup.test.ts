import { expect, test } from "vitest";
import type { LookupTable } from "../../src/mapping/compile-lookup.ts";
import { compileMapping } from "../../src/mapping/compile-mapping.ts";
import { loadMapping } from "../../src/mapping/load-mapping.ts";
import { describeFileProblem } from "../../src/model/file-problem.ts";
import { head, people, rowOf, shown } from "./given-mapping.ts";

function tableWith(columns: string[], rows: readonly string[][]): LookupTable {
  return { kind: "table", columns, cells: rows.flat(), lines: rows.map((_, at) => at + 2) };
}

function tableOf(...lines: readonly string[]): LookupTable {
  const [columns = [], ...rows] = lines.map((line) => line.split(","));
  return tableWith(columns, rows);
}

const lookups = (file: LookupTable) => new Map([["f.csv", file]]);

/** What a member becomes, or what is wrong with the mapping. */
function found(member: string, cells: readonly string[], file: LookupTable): unknown {
  const loaded = loadMapping(`${head}members: { it: { ${member} } }\n`);
  if (loaded.kind === "invalid") throw new Error(JSON.stringify(loaded.problems));
  const result = compileMapping(loaded.mapping, ["A", "B"], people, lookups(file));
  if (result.kind === "invalid") {
    return result.problems.map((one) => describeFileProblem("m.yaml", one));
  }
  const [made] = shown(result.mapRow(rowOf(cells))) as readonly unknown[];
  return typeof made === "string" ? made : (made as { it?: unknown }).it;
}

const countries = tableOf(
  ...["Name,Code,Calls", "Nederland,NL,31", " België ,BE,x", "Nowhere, ,", ",??,??"],
  "Nederland,NL,32",
);
const code = "column: A, lookup: { file: f.csv, key: Name, value: Code }";

const unknown = (what: string) => `unknown_value: column ${what} of f.csv`;

test.each([
  [code, "Nederland", "NL"],
  [code, "België", "BE"],
  [code, "Nowhere", undefined],
  [code, "", undefined],
  [`${code}, required: true`, "Nowhere", expect.stringMatching(/^missing_value: .* "Nowhere" is/)],
  [code, "Narnia", unknown('"A": "Narnia" is not in column "Name"')],
  [`${code}, otherwise: XX`, "Narnia", "XX"],
])("a cell is looked up, %s: %j", (member, cell, result) => {
  expect(found(member, [cell], countries)).toEqual(result);
});

const prices = tableOf("Land,Tariff,Price", "NL, pro ,10", "NL,,0", "DE,pro,12", ", ,??");
const price = "columns: [A, B], lookup: { file: f.csv, key: [Land, Tariff], value: Price }";

test.each([
  [price, ["NL", "pro"], "10"],
  [price, ["NL", ""], "0"],
  [price, ["", " "], undefined],
  [`${price}, transform: uppercase`, ["de", "PRO"], expect.stringContaining("unknown_value")],
  [price, ["NL", "prro"], unknown('"A, B": "NL, prro" is not in columns "Land", "Tariff"')],
])("cells are looked up together, %s: %j", (member, cells, result) => {
  expect(found(member, cells, prices)).toEqual(result);
});

test("cells that are looked up together stay apart, whatever they hold", () => {
  const rows = [
    ['N"L', 'a","b', "1"],
    ['N"L","a', "b", "2"],
    ["a,b", "c", "3"],
    ["a", "b,c", "4"],
  ];
  const file = tableWith(["Land", "Tariff", "Price"], rows);
  expect(rows.map((cells) => found(price, cells, file))).toEqual(["1", "2", "3", "4"]);
});

test.each<[member: string, LookupTable, problems: string]>([
  [
    code.replace("Name", "Nmae").replace("Code", "Cod"),
    countries,
    `m.yaml:4:57: members.it.lookup.key: f.csv has no column "Nmae"; did you mean "Name"?
m.yaml:4:70: members.it.lookup.value: f.csv has no column "Cod"; did you mean "Code"?`,
  ],
  [
    code.replace("Code", "Calls"),
    countries,
    'm.yaml:4:57: members.it.lookup.key: f.csv has "Nederland" twice (lines 2 and 6), with "31" and "32": remove one',
  ],
  [
    price.replace("Land", "Lnad"),
    prices,
    'm.yaml:4:64: members.it.lookup.key.0: f.csv has no column "Lnad"; did you mean "Land"?',
  ],
  [
    code,
    { kind: "unusable", message: "cannot be read" },
    "m.yaml:4:45: members.it.lookup.file: cannot be read",
  ],
])("a table that cannot be used is a problem of the mapping: %s", (member, file, problems) => {
  expect(found(member, [], file)).toEqual(problems.split("\n"));
});
