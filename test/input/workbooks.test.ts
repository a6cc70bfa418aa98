import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { openSource } from "../../src/input/open-source.ts";
import { cellsOf, readTable, xlsxParts, zipOf } from "./given-workbook.ts";

/** Workbooks as LibreOffice and hucre make them: `fixtures/workbooks/make.mjs`. */
const folder = fileURLToPath(new URL("../../fixtures/workbooks", import.meta.url));
const files = readdirSync(folder);
const workbooks = files.filter((name) => /\.(libreoffice|hucre.*)\.(xlsx|ods)$/.test(name));
const bytesOf = (name: string) => readFileSync(join(folder, name));

it("there are workbooks of two programs in two formats", () => {
  const made = new Set(workbooks.map((name) => name.split(".").slice(1).join(".")));
  expect([...made].sort()).toEqual([
    "hucre-inline.xlsx",
    "hucre.ods",
    "hucre.xlsx",
    "libreoffice.ods",
    "libreoffice.xlsx",
  ]);
});

describe.each(workbooks)("%s", (name) => {
  it("reads the same as its CSV", async () => {
    const twin = await readTable(bytesOf(`${name.split(".")[0]}.csv`));
    const read = await readTable(bytesOf(name));
    // An .ods says what is shown: with its currency, and as the section of the number has it.
    const others = name === "formats.libreoffice.ods" ? /[€>]/ : /^$/;
    const isCompared = ([format = ""]: readonly string[]) => !others.test(format);
    expect(read.columns).toEqual(twin.columns);
    expect(cellsOf(read).filter(isCompared)).toEqual(cellsOf(twin).filter(isCompared));
    expect(read.rows.map(({ row }) => row)).toEqual(twin.rows.map(({ row }) => row));
  });
});

it.each(["errors.libreoffice.xlsx", "errors.libreoffice.ods"])(
  "%s: an error is a problem of its row, and the same as text is none",
  async (name) => {
    const { rows } = await readTable(bytesOf(name));
    const why = "is an error of the spreadsheet: fix the cell and save the file again";
    expect(rows.map(({ problem }) => problem)).toEqual([
      {
        code: "error_cell",
        column: "Plan",
        value: "#N/A",
        message: `${why}; the same is true of 1 more cell`,
        mark: expect.stringMatching(/^cells-/),
      },
      undefined,
      {
        code: "error_cell",
        column: "Share",
        value: "#DIV/0!",
        message: why,
        mark: expect.stringMatching(/^cells-/),
      },
    ]);
  },
);

it("a date that the workbook's calendar does not have is a problem of its row", async () => {
  const dates = [-18135, 60, 61];
  const rows = dates.map((serial) => `<row><c s="1"><v>${serial}</v></c></row>`);
  const styles = '<styleSheet><cellXfs><xf/><xf numFmtId="14"/></cellXfs></styleSheet>';
  const header = '<row><c t="str"><v>Born</v></c></row>';
  const parts = xlsxParts(header + rows.join(""), { "xl/styles.xml": styles });
  const read = await readTable(zipOf(parts));
  expect(cellsOf(read)).toEqual([["-18135"], ["60"], ["1900-03-01"]]);
  expect(read.rows.map(({ problem }) => problem?.code)).toEqual([
    "error_cell",
    "error_cell",
    undefined,
  ]);
  expect(read.rows[0]?.problem).toMatchObject({ column: "Born", value: "-18135" });
});

it("a row's line is its number in the sheet, and empty rows between others are counted", async () => {
  const { rows, blankLines } = await readTable(bytesOf("people.libreoffice.ods"));
  expect(rows.map(({ line }) => line)).toEqual([4, 5, 7, 8]);
  expect(blankLines).toBe(1);
});

it("a hidden sheet can be asked for, by name or number, and is not asked about", async () => {
  for (const name of ["people.libreoffice.xlsx", "people.libreoffice.ods", "people.hucre.xlsx"]) {
    for (const sheet of ["Notes", "2"]) {
      const { columns } = await readTable(bytesOf(name), { sheet });
      expect(columns).toEqual(["not this one"]);
    }
  }
});

it("a file that has a sheet's bytes counts up to its size", async () => {
  const name = "people.libreoffice.xlsx";
  const source = await openSource({ kind: "file", path: join(folder, name), name: basename(name) });
  expect(source.batchStart()).toBeUndefined();
  for await (const _ of source.batches);
  expect(source.bytesRead()).toBe(source.totalBytes);
  await source.close();
});

it("a workbook with a password is refused in one sentence", async () => {
  await expect(readTable(bytesOf("password.xlsx"))).rejects.toMatchObject({
    code: "not_a_table",
    message:
      "input is an .xls workbook, or one with a password: save its table as .xlsx without a password, or as CSV.",
  });
});

describe("a cell with two texts", () => {
  const cellIn = async (cell: string) => {
    const header = '<row><c t="str"><v>A</v></c><c t="str"><v>B</v></c></row>';
    const parts = xlsxParts(`${header}<row>${cell}<c t="str"><v>end</v></c></row>`);
    return cellsOf(await readTable(zipOf(parts)))[0]?.[0];
  };
  const inline = "<is><r><t>An</t></r><r><t>n</t></r></is>";

  it.each([
    [`<c t="inlineStr"><v>7</v>${inline}</c>`, "Ann"],
    [`<c><v>7</v>${inline}</c>`, "7"],
    [`<c t="inlineStr"><v></v>${inline}</c>`, "Ann"],
    [`<c t="inlineStr"><v>7</v><is><t></t></is></c>`, ""],
  ])("%s holds %j, as its type says where it is", async (cell, text) => {
    expect(await cellIn(cell)).toBe(text);
  });

  it.each([
    ['<c t="inlineStr"><v>7</v></c>', "7"],
    [`<c t="str">${inline}</c>`, "Ann"],
  ])("%s holds %j, the only one that it has", async (cell, text) => {
    expect(await cellIn(cell)).toBe(text);
  });

  it("of one kind is refused", async () => {
    await expect(cellIn("<c><v>1</v><v>2</v></c>")).rejects.toThrow("row 2 has a cell that holds");
  });
});
