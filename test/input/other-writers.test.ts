import { expect, test } from "vitest";
import { refusal, streamOf } from "./given-bytes.ts";
import { cellsOf, odsOf, readTable, xlsxParts, zipOf } from "./given-workbook.ts";

const text = (content: string) => `<c t="inlineStr"><is><t>${content}</t></is></c>`;
const header = `<row>${text("a")}${text("b")}</row>`;

test("an empty result of a formula is blank in an .xlsx", async () => {
  const rows = `${header}<row>${text("1")}<c><f>A1</f><v/></c></row>`;
  const read = await readTable(zipOf(xlsxParts(rows)));
  expect(read.rows).toEqual([{ row: 1, line: 2, cells: ["1", ""] }]);
});

test("and a formula without a type and a text is in an .ods", async () => {
  const cell = (content: string) =>
    `<table:table-cell office:value-type="string"><text:p>${content}</text:p></table:table-cell>`;
  const rows = [cell("a") + cell("b"), `${cell("1")}<table:table-cell table:formula="of:=[.A1]"/>`];
  const sheet = rows.map((row) => `<table:table-row>${row}</table:table-row>`).join("");
  const read = await readTable(odsOf(`<table:table table:name="S">${sheet}</table:table>`));
  expect(read.rows).toEqual([{ row: 1, line: 2, cells: ["1", ""] }]);
});

test("a shared string that is empty, or has no number, is blank", async () => {
  const rows = `${header}<row>${text("1")}<c t="s"><v></v></c></row><row>${text("2")}<c t="s"><v>0</v></c></row>`;
  const read = await readTable(
    zipOf(xlsxParts(rows, { "xl/sharedStrings.xml": "<sst><si/></sst>" })),
  );
  expect(read.rows.map(({ cells }) => cells)).toEqual([
    ["1", ""],
    ["2", ""],
  ]);
});

test.each([
  ["in other letters", (name: string) => name.toUpperCase()],
  ["with backslashes", (name: string) => name.replaceAll("/", "\\")],
])("parts are found whose names are written %s", async (_, write) => {
  const parts = Object.entries(xlsxParts(`${header}<row>${text("1")}${text("2")}</row>`));
  const bytes = zipOf(Object.fromEntries(parts.map(([name, part]) => [write(name), part])));
  expect(cellsOf(await readTable(bytes))).toEqual([["1", "2"]]);
});

test("relations may name parts with backslashes", async () => {
  const parts = xlsxParts(`${header}<row>${text("1")}${text("2")}</row>`);
  const rels = "xl/_rels/workbook.xml.rels" as keyof typeof parts;
  const related = String(parts[rels]).replace("worksheets/sheet1", "\\xl\\worksheets\\sheet1");
  expect(cellsOf(await readTable(zipOf({ ...parts, [rels]: related })))).toEqual([["1", "2"]]);
});

test.each([
  ["CSV", Buffer.from("a,b\n1,2\n")],
  ["UTF-16", Buffer.from("\ufeffa\tb\n1\t2\n", "utf16le")],
])("%s under the name of a workbook is read", async (_, bytes) => {
  expect(await refusal({ ...streamOf(bytes), name: "people.xls" })).toBe("opened");
});
