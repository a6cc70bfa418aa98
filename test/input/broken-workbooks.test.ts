import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { openSource } from "../../src/input/open-source.ts";
import { cellsOf, odsOf, readTable, xlsxParts, xlsxRow, zipOf } from "./given-workbook.ts";

const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`;
const xlsx = (rows: string, others = {}) => zipOf(xlsxParts(xlsxRow("Name", "Zip") + rows, others));
const sheet = (xml: string) => zipOf(xlsxParts("", { "xl/worksheets/sheet1.xml": xml }));

describe("an .xlsx", () => {
  it("is read with rows and cells where their references say", async () => {
    const read = await readTable(
      xlsx(`<row r="5"><c r="B5"><v>1E3</v></c></row><row>${text("a&#10;b_x0009_")}</row>`),
    );
    expect(cellsOf(read)).toEqual([
      ["", "1000"],
      ["a\nb\t", ""],
    ]);
    expect(read.rows.map(({ line }) => line)).toEqual([5, 6]);
    expect(read.blankLines).toBe(3);
  });

  it("with prefixes, quotes of either kind and text in pieces", async () => {
    const bytes = sheet(
      `<?xml version="1.0"?><x:worksheet><!-- > --><x:sheetData><x:row r='1'><x:c t='inlineStr'><x:is><x:r><x:t>Na</x:t></x:r><x:r><x:t xml:space="preserve" a=">">me</x:t></x:r><x:rPh><x:t>no</x:t></x:rPh></x:is></x:c></x:row><x:row r="2"><x:c t="str"><x:v><![CDATA[<a>]]></x:v></x:c></x:row></x:sheetData></x:worksheet>`,
    );
    const read = await readTable(bytes);
    expect(read.columns).toEqual(["Name"]);
    expect(cellsOf(read)).toEqual([["<a>"]]);
  });

  it("a formula without a stored value is a problem, one with a blank text is none", async () => {
    const { rows } = await readTable(
      xlsx(
        `<row>${text("a")}<c><f>1+1</f></c></row><row>${text("b")}<c t="str"><f>""</f><v></v></c></row>`,
      ),
    );
    expect(rows.map(({ problem }) => problem?.message)).toEqual([
      "is a formula whose value is not stored: open the file in a spreadsheet program and save it there",
      undefined,
    ]);
  });

  it.each([
    ["a document type", `<!DOCTYPE x [<!ENTITY a "aa">]><worksheet/>`, "declares a document type"],
    ["an entity", `<worksheet>&a;</worksheet>`, "unknown reference &a"],
    ["an end too early", "<worksheet><sheetData>", "it ends too early"],
    ["tags that do not match", "<worksheet><a></b></worksheet>", "it closes b where a is open"],
    ["a tag without end", `<worksheet>${`<a b="${"x".repeat(1_100_000)}`}`, "does not end"],
    ["depth without end", "<a>".repeat(300), "more than 256 levels deep"],
  ])("with %s is refused", async (_, xml, why) => {
    await expect(readTable(sheet(xml))).rejects.toMatchObject({
      code: "workbook_unreadable",
      message: expect.stringContaining(why),
    });
  });

  it.each([
    ["a text that is not there", `<row><c t="s"><v>7</v></c></row>`, "row 2 has a cell"],
    ["a number that is none", "<row><c><v>1,5</v></c></row>", "row 2 has a cell that cannot"],
    ["rows out of order", `<row r="9">${text("a")}</row><row r="3"/>`, "row 3 follows row 9"],
    ["a column too far", `<row><c r="ZZZZ2"><v>1</v></c></row>`, "more than 16384 columns"],
    ["a long row", xlsxRow("x".repeat(600), "y".repeat(600)), "it holds more than 1000 characters"],
  ])("with %s is refused, saying where", async (_, rows, why) => {
    await expect(readTable(xlsx(rows), { maxRecordBytes: 1000 })).rejects.toThrow(why);
  });

  it("with damage gives the rows before it, and then says after which", async () => {
    const source = await openSource({
      kind: "stream",
      stream: Readable.from([xlsx(`${xlsxRow("a") + xlsxRow("b")}<row><c></row>`)]),
      name: "input",
    });
    const rows: (string | undefined)[] = [];
    const reading = async () => {
      for await (const batch of source.batches) rows.push(...batch.map(({ cells }) => cells[0]));
    };
    await expect(reading()).rejects.toMatchObject({
      name: "InputDamagedError",
      line: 4,
      message:
        "the sheet cannot be read after row 3 (xl/worksheets/sheet1.xml: it closes row where c is open): open it in a spreadsheet program and save it again.",
    });
    expect(rows).toEqual(["a", "b"]);
    await source.close();
  });

  it("with more than a sheet asks which", async () => {
    const two = {
      "xl/workbook.xml": `<workbook><sheets><sheet name="A" r:id="r1"/><sheet name="2" r:id="r1"/></sheets></workbook>`,
    };
    await expect(readTable(xlsx("", two))).rejects.toMatchObject({
      code: "sheet_missing",
      message: `input has several sheets: choose one with --sheet, of 1 "A", 2 "2".`,
    });
    await expect(readTable(xlsx("", two), { sheet: "B" })).rejects.toMatchObject({
      code: "sheet_unknown",
      message: `input has no sheet "B": it has 1 "A", 2 "2".`,
    });
    expect((await readTable(xlsx("", two), { sheet: "1" })).columns).toEqual(["Name", "Zip"]);
  });

  it("without a header has numbered columns, and titles above can be left out", async () => {
    const rows = xlsxRow("Ann") + xlsxRow("Bob", "1", "x");
    const read = await readTable(xlsx(rows), { header: false, skipLines: 1 });
    expect(read.columns).toEqual(["1", "2", "3"]);
    expect(cellsOf(read)).toEqual([
      ["Ann", "", ""],
      ["Bob", "1", "x"],
    ]);
    expect((await readTable(xlsx(rows), { skipLines: 2 })).columns).toEqual(["Bob", "1", "x"]);
  });

  it("options for text are refused", async () => {
    await expect(readTable(xlsx(""), { delimiter: ";" })).rejects.toThrow(
      "--delimiter: input is a workbook, which has none.",
    );
    await expect(readTable(Buffer.from("a,b\n"), { sheet: "A" })).rejects.toThrow(
      "--sheet: input is no workbook.",
    );
  });
});

describe("an archive", () => {
  const whole = xlsx(xlsxRow("a") + xlsxRow("b"));
  const withOther = (checksum: number) => {
    const bytes = Buffer.from(whole);
    bytes.writeUInt32LE(checksum, bytes.lastIndexOf("xl/worksheets/sheet1.xml") - 46 + 16);
    return bytes;
  };
  const grown = xlsx("", { "xl/styles.xml": Buffer.alloc(8 * 1024 * 1024, " ") });

  it.each([
    ["that is cut off", whole.subarray(0, -30), "it is cut off"],
    ["whose part is not what was packed", withOther(7), "sheet1.xml is damaged: its checksum does"],
    ["of a part that grows without end", grown, "it unpacks to more than 500 times its size"],
  ])("%s is refused", async (_, bytes, why) => {
    await expect(readTable(bytes)).rejects.toThrow(why);
  });

  it("without a workbook in it is called what it is", async () => {
    await expect(readTable(zipOf({ "people.csv": "a,b" }))).rejects.toMatchObject({
      code: "packed_otherwise",
    });
  });

  it("any byte of it can be wrong, and it is read or refused", async () => {
    for (let at = 0; at < whole.length; at += 13) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ 0x41;
      const read = await readTable(bytes).catch((error: Error) => error);
      if (read instanceof Error) {
        expect(["CannotStartError", "InputDamagedError"]).toContain(read.name);
      } else {
        expect(cellsOf(read)).toEqual([
          ["a", ""],
          ["b", ""],
        ]);
      }
    }
  });
});

describe("an .ods", () => {
  const cell = (value: string, more = "") =>
    `<table:table-cell office:value-type="string" ${more}><text:p>${value}</text:p></table:table-cell>`;
  const table = (rows: string) => odsOf(`<table:table table:name="A">${rows}</table:table>`);
  const row = (cells: string, more = "") => `<table:table-row ${more}>${cells}</table:table-row>`;
  const top = row(cell("Name") + cell("Zip"));
  const times = (rows: number) => `table:number-rows-repeated="${rows}"`;
  const across = (columns: number) => `table:number-columns-repeated="${columns}"`;

  it("stands for as many rows and cells as it says", async () => {
    const cells = `${cell("x", across(2))}<table:table-cell ${across(16382)}/>`;
    const read = await readTable(table(top + row(cells, times(2500)) + row("", times(1046075))));
    expect(read.rows).toHaveLength(2500);
    expect(read.rows.at(-1)).toEqual({ row: 2500, line: 2501, cells: ["x", "x"] });
    expect(read.blankLines).toBe(0);
  });

  it.each([
    ["rows", row(cell("x"), times(9999999))],
    ["long rows", row(cell("x".repeat(999)), times(900000))],
    ["columns", row(cell("x", across(99999)))],
    ["blanks", row(cell(`<text:s text:c="99999999"/>`))],
  ])("that repeats %s without end is refused", async (_, rows) => {
    await expect(readTable(table(top + rows))).rejects.toThrow(
      /^the sheet cannot be read after row/,
    );
  });

  it("a cell is what its paragraphs say, and not its comments", async () => {
    const rows = `<table:table-row>${cell(` a  b<text:tab/>c</text:p><office:annotation><text:p>no</text:p></office:annotation><text:p>d<text:line-break/>e`)}</table:table-row>`;
    expect(cellsOf(await readTable(table(top + rows)))).toEqual([["a b\tc\nd\ne", ""]]);
  });

  it.each([
    ["PT36H", "36:00:00"],
    ["-PT12H30M", "-12:30:00"],
    ["P1DT1.5S", "24:00:01.500"],
  ])("a duration %s is %s", async (stored, text) => {
    const time = `<table:table-cell office:value-type="time" office:time-value="${stored}"/>`;
    const read = await readTable(table(top + row(time)));
    expect(cellsOf(read)).toEqual([[text, ""]]);
  });

  it.each([
    ["7", "007", "007"],
    ["-7", "-007", "-007"],
    ["5", " 05.00 ", "05.00"],
    ["123456789", "123-45-6789", "123-45-6789"],
    ["1234", "1 234", "1234"],
    ["0.25", "25%", "0.25"],
    ["7", "007 kg", "7"],
    ["45413", "01/05/2024", "45413"],
  ])("a number %s that is shown as %j is %j", async (stored, shown, text) => {
    const number = `<table:table-cell office:value-type="float" office:value="${stored}"><text:p>${shown}</text:p></table:table-cell>`;
    const read = await readTable(table(top + row(number)));
    expect(cellsOf(read)).toEqual([[text, ""]]);
  });

  it("with a password is refused", async () => {
    const bytes = zipOf({
      "content.xml": "x",
      "META-INF/manifest.xml": "<m:manifest><m:encryption-data/></m:manifest>",
    });
    await expect(readTable(bytes)).rejects.toThrow("it has a password");
  });
});
