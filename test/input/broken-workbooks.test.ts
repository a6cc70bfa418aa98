import { describe, expect, it } from "vitest";
import { openSource } from "../../src/input/open-source.ts";
import { cellsOf, fileOf, odsOf, readTable, xlsxParts, xlsxRow, zipOf } from "./given-workbook.ts";

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
    ["a row that has no number", `<row r="2.5"/>`, "row 2.5 follows row 1"],
    ["a cell of another row", `<row r="3"><c r="B4"><v>1</v></c></row>`, 'says it is "B4"'],
    ["a cell of no column", `<row r="2"><c r="2"><v>1</v></c></row>`, 'says it is "2"'],
    [
      "a cell that is there twice",
      `<row><c r="A2"><v>1</v></c><c r="A2"><v>2</v></c></row>`,
      'row 2 has a cell that says it is "A2", after A2',
    ],
    ["a cell that goes backwards", `<row>${text("a")}<c r="A2"/></row>`, '"A2", after A2'],
    ["a boolean that is none", `<row><c t="b"><v>2</v></c></row>`, 'A2 holds "2" as "b"'],
    ["a date that is none", `<row><c t="d"><v>May 1</v></c></row>`, 'A2 holds "May 1" as "d"'],
    ["a type that nobody knows", `<row><c t="x"><v>1</v></c></row>`, 'A2 holds "1" as "x"'],
    ["a style that is not there", `<row><c s="7"><v>1</v></c></row>`, 'A2 holds "1" as "n"'],
    ["a hidden row that may be none", `<row hidden="yes">${text("a")}</row>`, '"yes" is neither'],
    ["a cell in an unknown element", `<row><x:y><c/></x:y></row>`, "row 2 has <y> in <row>"],
    ["a value in an unknown element", `<row><c><w><v>1</v></w></c></row>`, "<w> in <c>"],
    ["a text beside its cells", `<row>x<c><v>1</v></c></row>`, "row 2 has a text that is in no"],
    ["a text beside its value", `<row><c><v>1</v>x</c></row>`, "row 2 has a text that is in no"],
    ["a day that is none", `<row><c t="d"><v>2024-02-31</v></c></row>`, 'A2 holds "2024-02-31"'],
    ["a long row", xlsxRow("x".repeat(600), "y".repeat(600)), "it holds more than 1000 characters"],
  ])("with %s is refused, saying where", async (_, rows, why) => {
    await expect(readTable(xlsx(rows), { maxRecordBytes: 1000 })).rejects.toThrow(why);
  });

  it("with damage gives the rows before it, and then says after which", async () => {
    const bytes = xlsx(`${xlsxRow("a") + xlsxRow("b")}<row><c></row>`);
    const source = await openSource(await fileOf(bytes));
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

  it("with small letters in references is read", async () => {
    const read = await readTable(xlsx(`<row r="2"><c r="b2"><v>7</v></c></row>`));
    expect(cellsOf(read)).toEqual([["", "7"]]);
  });

  it.each([
    ["", "1 hidden sheet is not read"],
    ["2", 'the sheet "Lists" is hidden'],
  ])("with a hidden sheet says so: --sheet %j", async (sheet, said) => {
    const book = `<workbook><sheets><sheet name="A" r:id="r1"/><sheet name="Lists" state="veryHidden" r:id="r1"/></sheets></workbook>`;
    const bytes = xlsx("", { "xl/workbook.xml": book });
    const { warnings } = await readTable(bytes, sheet === "" ? {} : { sheet });
    expect(warnings.join()).toContain(said);
  });

  it("takes the only visible sheet that has rows", async () => {
    const names = ["Cover", "People", "Empty"].map((name, at) => {
      return `<sheet name="${name}" r:id="${at === 1 ? "r1" : "r9"}"/>`;
    });
    const plain = xlsxParts("")["xl/_rels/workbook.xml.rels"] as string;
    const empty = `<Relationship Id="r9" Type="x/worksheet" Target="worksheets/empty.xml"/></`;
    const bytes = xlsx(xlsxRow("Ann"), {
      "xl/workbook.xml": `<workbook><sheets>${names.join("")}</sheets></workbook>`,
      "xl/_rels/workbook.xml.rels": plain.replace("</", empty),
      "xl/worksheets/empty.xml": `<worksheet><sheetData><row><c t="str"><v> </v></c></row></sheetData></worksheet>`,
    });
    expect(cellsOf(await readTable(bytes))).toEqual([["Ann", ""]]);
  });

  it("cells that a merged cell covers are left out, and said", async () => {
    const merges = `<!--<mergeCell ref="A4:C5"/>--><mergeCells count="2"><mergeCell ref="A2:A3"/><mergeCell ref='b4:c5'/></mergeCells>`;
    const rows = [
      ["Name", "Zip", "Town"],
      ...["2", "3", "4", "5"].map((n) => [`a${n}`, `b${n}`, `c${n}`]),
    ];
    const all = rows.map((cells) => xlsxRow(...cells)).join("");
    const xml = `<x:worksheet><x:sheetData>${all.replaceAll(/<(\/?)/g, "<$1x:")}</x:sheetData>${merges}</x:worksheet>`;
    for (const size of [undefined, 7]) {
      const { warnings, ...read } = await readTable(sheet(xml), {}, size);
      expect(cellsOf(read)).toEqual([
        ["a2", "b2", "c2"],
        ["", "b3", "c3"],
        ["a4", "b4", ""],
        ["a5", "", ""],
      ]);
      expect(warnings).toEqual([
        "input: the sheet shows nothing of 4 cells that a merged cell covers, first A3, so it is left out.",
      ]);
    }
  });

  it("hidden rows are read or left out, and counted", async () => {
    const rows = `<row hidden="1">${text("a")}</row><row>${text("b")}</row><row hidden="true" ht="0">${text("c")}</row>`;
    const read = await readTable(xlsx(rows));
    expect(cellsOf(read).map(([name]) => name)).toEqual(["a", "b", "c"]);
    expect(read.warnings.join()).toContain(
      "2 rows are hidden or filtered out in the sheet, first row 2",
    );
    const skipped = await readTable(xlsx(rows), { hiddenRows: "skip" });
    expect(skipped.rows).toEqual([{ row: 1, line: 3, cells: ["b", ""] }]);
    expect(skipped.warnings.join()).toContain("first row 2: left out.");
  });

  it("with more than a sheet asks which", async () => {
    const two = {
      "xl/workbook.xml": `<workbook><sheets><sheet name="A" r:id="r1"/><sheet name="2" r:id="r1"/></sheets></workbook>`,
    };
    await expect(readTable(xlsx("", two))).rejects.toMatchObject({
      code: "sheet_missing",
      message: `input has several sheets: choose one with --sheet, of 1 "A" (0 rows), 2 "2" (0 rows).`,
    });
    await expect(readTable(xlsx("", two), { sheet: "B" })).rejects.toMatchObject({
      code: "sheet_unknown",
      message: `input has no sheet "B": it has 1 "A", 2 "2".`,
    });
    expect((await readTable(xlsx("", two), { sheet: "1" })).columns).toEqual(["Name", "Zip"]);
  });

  it("of which a sheet is damaged asks which, and reads the other", async () => {
    const plain = xlsxParts("")["xl/_rels/workbook.xml.rels"] as string;
    const other = `<Relationship Id="r9" Type="x/worksheet" Target="worksheets/other.xml"/></`;
    const bytes = xlsx(xlsxRow("Ann"), {
      "xl/workbook.xml": `<workbook><sheets><sheet name="A" r:id="r1"/><sheet name="B" r:id="r9"/></sheets></workbook>`,
      "xl/_rels/workbook.xml.rels": plain.replace("</", other),
      "xl/worksheets/other.xml": `<worksheet><sheetData><row><c t="b"><v>2</v></c></row></sheetData></worksheet>`,
    });
    await expect(readTable(bytes)).rejects.toThrow(
      'choose one with --sheet, of 1 "A" (1 row), 2 "B" (damaged).',
    );
    expect(cellsOf(await readTable(bytes, { sheet: "A" }))).toEqual([["Ann", ""]]);
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

  it("with other prefixes than those of programs is refused, as its rows would vanish", async () => {
    const xml = `<table:table table:name="A">${top + row(cell("Ann"))}</table:table>`;
    const space = "urn:oasis:names:tc:opendocument:xmlns:table:1.0";
    const spreadsheet = (prefix: string) =>
      `<office:x xmlns:${prefix}="${space}">${xml.replaceAll("table:", `${prefix}:`)}</office:x>`;
    expect(cellsOf(await readTable(odsOf(spreadsheet("table"))))).toEqual([["Ann", ""]]);
    await expect(readTable(odsOf(spreadsheet("t")))).rejects.toThrow(
      'it has the prefix "t" where programs write table',
    );
  });

  it("a cell is what its paragraphs say, and not its comments", async () => {
    const rows = `<table:table-row>${cell(` a  b<text:tab/>c</text:p><office:annotation><text:p>no</text:p></office:annotation><draw:a><draw:frame><text:p>no</text:p></draw:frame></draw:a><text:p><text:a>d</text:a><text:line-break/>e`)}</table:table-row>`;
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

  it.each([
    ["times that are no number", row(cell("x"), times(0)), "has to be a number"],
    [
      "times of a cell that are none",
      row(cell("x", 'table:number-columns-repeated="two"')),
      '"two"',
    ],
    ["blanks that are no number", row(cell(`<text:s text:c="-1"/>`)), 'text:c is "-1"'],
    [
      "a boolean that is none",
      row(`<table:table-cell office:value-type="boolean" office:boolean-value="yes"/>`),
      'A2 does not hold what its type "boolean" says',
    ],
    [
      "a date that is none",
      row(`<table:table-cell office:value-type="date" office:date-value="May 1"/>`),
      'its type "date"',
    ],
    ["a type that nobody knows", row(`<table:table-cell office:value-type="x"/>`), 'its type "x"'],
    [
      "an unknown element in a cell",
      row("<table:table-cell><text:list/></table:table-cell>"),
      "A2 has <list>",
    ],
    ["an unknown element in a row", row("<x><table:table-cell/></x>"), "row 2 has <x>"],
    [
      "a row that is seen by nobody knows whom",
      row(cell("x"), 'table:visibility="half"'),
      'row 2 is "half"',
    ],
  ])("with %s is refused, saying where", async (_, rows, why) => {
    await expect(readTable(table(top + rows))).rejects.toThrow(why);
  });

  it("hidden, filtered and collapsed rows are counted, and what a merged cell covers is left out", async () => {
    const rows = [
      row(cell("a"), 'table:visibility="collapse"'),
      row(cell("b"), `table:visibility="filter" ${times(2)}`),
      `<table:table-row-group table:display="false">${row(cell("c"))}</table:table-row-group>`,
      row(`${cell("d")}${cell("hidden").replaceAll("table-cell", "covered-table-cell")}`),
    ];
    const { warnings, ...read } = await readTable(table(top + rows.join("")));
    expect(cellsOf(read)).toEqual(["a", "b", "b", "c", "d"].map((name) => [name, ""]));
    expect(warnings).toEqual([
      "input: 4 rows are hidden or filtered out in the sheet, first row 2, and read all the same: if they are not meant, give --hidden-rows skip.",
      "input: the sheet shows nothing of 1 cell that a merged cell covers, first B6, so it is left out.",
    ]);
    const skipped = await readTable(table(top + rows.join("")), { hiddenRows: "skip" });
    expect(skipped.rows).toEqual([{ row: 1, line: 6, cells: ["d", ""] }]);
  });

  it("with a password is refused", async () => {
    const bytes = zipOf({
      "content.xml": "x",
      "META-INF/manifest.xml": "<m:manifest><m:encryption-data/></m:manifest>",
    });
    await expect(readTable(bytes)).rejects.toThrow("it has a password");
  });
});
