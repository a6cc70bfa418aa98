import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openSource } from "../../src/input/open-source.ts";
import { readSharedStrings } from "../../src/input/workbook/shared-strings.ts";
import type { ZipArchive } from "../../src/input/workbook/zip-archive.ts";
import { refusal, streamOf } from "./given-bytes.ts";
import { cellsOf, odsOf, readTable, xlsxParts, xlsxRow, zipOf } from "./given-workbook.ts";

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
    // An .ods says what is shown: with its currency.
    const others = name === "formats.libreoffice.ods" ? /€/ : /^$/;
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
  const parts = xlsxParts(xlsxRow("Born") + rows.join(""), { "xl/styles.xml": styles });
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

it("charts, links and readings of characters are no rows and no text, and dates may be in ISO 8601", async () => {
  const plain = xlsxParts("");
  const ofBook = "xl/_rels/workbook.xml.rels";
  const relationship = (id: string, type: string, target: string, more = "") =>
    `<Relationship Id="${id}" Type="x/${type}" Target="${target}" ${more}/>`;
  const links =
    relationship("r8", "chartsheet", "chartsheets/sheet1.xml") +
    relationship("r9", "worksheet", "elsewhere.xlsx", 'TargetMode="External"');
  const others = {
    "xl/workbook.xml": (plain["xl/workbook.xml"] as string).replace(
      "<sheets>",
      '<sheets><sheet name="Chart" sheetId="8" r:id="r8"/><sheet name="Link" sheetId="9" r:id="r9"/>',
    ),
    [ofBook]: (plain[ofBook] as string).replace("</", `${links}</`),
    "xl/sharedStrings.xml": "<sst><si><t>東京</t><rPh><t>トウキョウ</t></rPh><t>都</t></si></sst>",
  };
  const row = '<row><c t="s"><v>0</v></c><c t="d"><v>2024-05-01T00:00:00</v></c></row>';
  const read = await readTable(zipOf(xlsxParts(xlsxRow("Town", "Since") + row, others)));
  expect(cellsOf(read)).toEqual([["東京都", "2024-05-01"]]);
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
    const parts = xlsxParts(`${xlsxRow("A", "B")}<row>${cell}<c t="str"><v>end</v></c></row>`);
    return cellsOf(await readTable(zipOf(parts)))[0]?.[0];
  };
  const inline = "<is><r><t>An</t></r><r><t>n</t></r></is>";

  it.each([
    [`<c t="inlineStr"><v>7</v>${inline}</c>`, "Ann"],
    [`<c><v>7</v>${inline}</c>`, "7"],
    [`<c t="inlineStr"><v></v>${inline}</c>`, "Ann"],
    [`<c t="inlineStr"><v>7</v><is><t></t></is></c>`, ""],
    ['<c t="inlineStr"><v>7</v></c>', "7"],
    [`<c t="str">${inline}</c>`, "Ann"],
  ])("%s holds %j, as its type says where it is, or as there is no other", async (cell, text) => {
    expect(await cellIn(cell)).toBe(text);
  });

  it("of one kind is refused", async () => {
    await expect(cellIn("<c><v>1</v><v>2</v></c>")).rejects.toThrow("A2 holds two values");
  });
});

const header = xlsxRow("a", "b");

it("an empty result of a formula is blank in an .xlsx", async () => {
  const rows = `${header}<row><c><v>1</v></c><c><f>A1</f><v/></c></row>`;
  const read = await readTable(zipOf(xlsxParts(rows)));
  expect(read.rows).toEqual([{ row: 1, line: 2, cells: ["1", ""] }]);
});

it("and a formula without a type and a text is in an .ods", async () => {
  const cell = (content: string) =>
    `<table:table-cell office:value-type="string"><text:p>${content}</text:p></table:table-cell>`;
  const rows = [cell("a") + cell("b"), `${cell("1")}<table:table-cell table:formula="of:=[.A1]"/>`];
  const sheet = rows.map((row) => `<table:table-row>${row}</table:table-row>`).join("");
  const read = await readTable(odsOf(`<table:table table:name="S">${sheet}</table:table>`));
  expect(read.rows).toEqual([{ row: 1, line: 2, cells: ["1", ""] }]);
});

it("a shared string that is empty, or has no number, is blank", async () => {
  const rows = ["", "0"].map((at) => `<row><c><v>1</v></c><c t="s"><v>${at}</v></c></row>`);
  const strings = { "xl/sharedStrings.xml": "<sst><si/></sst>" };
  const read = await readTable(zipOf(xlsxParts(header + rows.join(""), strings)));
  expect(cellsOf(read)).toEqual(Array(2).fill(["1", ""]));
});

it.each<[string, (name: string, part: string) => [string, string]]>([
  ["whose names are in other letters", (name, part) => [name.toUpperCase(), part]],
  ["whose names have backslashes", (name, part) => [name.replaceAll("/", "\\"), part]],
  [
    "that relations name with backslashes",
    (name, part) => [name, part.replace("worksheets/sheet1", "\\xl\\worksheets\\sheet1")],
  ],
])("parts are found %s", async (_, write) => {
  const parts = Object.entries(xlsxParts(header + xlsxRow("1", "2")));
  const bytes = zipOf(Object.fromEntries(parts.map(([name, part]) => write(name, String(part)))));
  expect(cellsOf(await readTable(bytes))).toEqual([["1", "2"]]);
});

it.each([
  ["CSV", Buffer.from("a,b\n1,2\n")],
  ["UTF-16", Buffer.from("\ufeffa\tb\n1\t2\n", "utf16le")],
])("%s under the name of a workbook is read", async (_, bytes) => {
  expect(await refusal({ ...streamOf(bytes), name: "people.xls" })).toBe("opened");
});

/** The shared strings of a workbook that has these. */
function sharedStringsOf(texts: readonly string[]) {
  const escaped = (text: string) =>
    text.replaceAll(/[&<>\r]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const archive: Partial<ZipArchive> = {
    async *unpack() {
      yield Buffer.from("<sst>");
      for (const text of texts) yield Buffer.from(`<si><t>${escaped(text)}</t></si>`);
      yield Buffer.from("</sst>");
    },
  };
  return readSharedStrings(archive as ZipArchive, "sharedStrings.xml", 100_000, () => {});
}

it("shared strings give back every text, and nothing for a number that none has", async () => {
  const text = fc.oneof(
    { weight: 8, arbitrary: fc.string({ unit: "grapheme" }) },
    { weight: 1, arbitrary: fc.constantFrom("é".repeat(50_000), "") },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(text, { maxLength: 40 }), async (texts) => {
      const textOf = await sharedStringsOf(texts);
      expect(texts.map((_, at) => textOf(at))).toEqual(texts);
      expect(textOf(texts.length)).toBeUndefined();
    }),
    { numRuns: 30 },
  );
});

it("shared strings take the bytes of their texts and little more", async () => {
  const texts = Array.from({ length: 300_000 }, (_, at) => String(at).padEnd(20, "."));
  globalThis.gc?.();
  const before = process.memoryUsage().arrayBuffers;
  const textOf = await sharedStringsOf(texts);
  // 20 bytes a text, four for its end, and twice that where the buffers grow.
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(60 * 1024 * 1024);
  expect(texts.every((text, at) => textOf(at) === text)).toBe(true);
});
