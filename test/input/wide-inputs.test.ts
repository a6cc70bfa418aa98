import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { openSource } from "../../src/input/open-source.ts";
import { sampleRows } from "../../src/input/sample-rows.ts";
import { charsOf } from "../../src/model/row.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { fileOf, odsOf, xlsxParts, zipOf } from "./given-workbook.ts";

const mebi = 1024 * 1024;
const widest = 16_384;
/** What a cell takes in memory at least. */
const pointerBytes = 8;
const cell = (text: string, more = "") => `<c t="str" ${more}><v>${text}</v></c>`;
/** Rows from the second on, of which each holds only its last cell. */
const lastCells = (rows: number) =>
  Array.from({ length: rows }, (_, at) => `<row><c r="XFD${at + 2}"><v>1</v></c></row>`).join("");
const wideHeader = `<row>${cell("Email")}${cell("Last", 'r="XFD1"')}</row>`;
const odsCell = (text: string, more = "") =>
  `<table:table-cell ${more}><text:p>${text}</text:p></table:table-cell>`;
const wholeRow = `table:number-columns-repeated="${widest}"`;
const odsRows = (rows: string) =>
  odsOf(
    `<table:table table:name="A"><table:table-row>${odsCell("A", wholeRow)}</table:table-row>${rows}</table:table>`,
  );

/** What the batches weigh in which an input hands out its rows, and how many rows those are. */
async function weigh(bytes: Buffer) {
  const source = await openSource(await fileOf(bytes));
  let most = 0;
  let rows = 0;
  try {
    for await (const batch of source.batches) {
      rows += batch.length;
      const weight = batch.reduce((sum, row) => sum + charsOf(row), 0);
      most = Math.max(most, weight);
    }
    return { most, rows };
  } finally {
    await source.close();
  }
}

it.each([
  [
    "a header of 100,000 columns, and rows of one cell",
    Buffer.from(`a${",".repeat(99_999)}\n${"x\n".repeat(60)}`),
    60,
  ],
  ["rows of blank cells", zipOf(xlsxParts(wideHeader + lastCells(300))), 300],
  [
    "rows that are short in the sheet, and wide as the header is",
    zipOf(xlsxParts(wideHeader + `<row>${cell("a")}</row>`.repeat(300))),
    300,
  ],
  [
    "rows that refer to one long text",
    zipOf(
      xlsxParts(`<row>${cell("A")}</row>${`<row><c t="s"><v>0</v></c></row>`.repeat(60)}`, {
        "xl/sharedStrings.xml": `<sst><si><t>${"x".repeat(1_000_000)}</t></si></sst>`,
      }),
    ),
    60,
  ],
  [
    "a cell that stands for a whole row",
    odsRows(`<table:table-row>${odsCell("a", wholeRow)}</table:table-row>`.repeat(200)),
    200,
  ],
  [
    "a row that stands for hundreds",
    odsRows(
      `<table:table-row table:number-rows-repeated="200">${odsCell("a", wholeRow)}</table:table-row>`,
    ),
    200,
  ],
])("rows are handed out some at a time, by what they weigh: %s", async (_, bytes, rows) => {
  const weighed = await weigh(bytes);
  expect(weighed.rows).toBe(rows);
  // Some rows more than a mebi, each of them at most that.
  expect(weighed.most).toBeLessThan(24 * mebi);
});

it("blank cells of rows that repeat count against what a sheet may stand for", async () => {
  const row = `<table:table-row table:number-rows-repeated="1000000"><table:table-cell table:number-columns-repeated="16383"/>${odsCell("x")}</table:table-row>`;
  await expect(weigh(odsRows(row))).rejects.toThrow("covers more rows than a spreadsheet has");
});

it.each([
  [
    "a cell of blanks in many pieces",
    `<table:table-row><table:table-cell><text:p>${'<text:s text:c="1000000"/>'.repeat(3)}</text:p></table:table-cell></table:table-row>`,
    "A2 has more than 2097152 characters",
  ],
  [
    "errors",
    `<table:table-row>${`<table:table-cell calcext:value-type="error" table:number-columns-repeated="${widest}"/>`.repeat(2)}</table:table-row>`,
    "it has more than 16384 columns",
  ],
])("%s is refused", async (_, row, why) => {
  await expect(weigh(odsRows(row))).rejects.toThrow(why);
});

it("as many styles as no workbook has are refused", async () => {
  const styles = `<styleSheet><cellXfs>${"<xf/>".repeat(200_000)}</cellXfs></styleSheet>`;
  await expect(weigh(zipOf(xlsxParts(lastCells(1), { "xl/styles.xml": styles })))).rejects.toThrow(
    "it names more styles or parts than any workbook has",
  );
});

it("a sample keeps no more of a file that is packed than of any other", async () => {
  const folder = await temporaryFolder();
  const sampled = async (name: string, bytes: Buffer) => {
    const path = join(folder, name);
    await writeFile(path, bytes);
    return sampleRows({ kind: "file", path, name }, {});
  };
  const packed = await sampled("a.csv.gz", gzipSync(`A\n${`${"x".repeat(999)}\n`.repeat(12_000)}`));
  expect(packed.isWhole).toBe(false);
  expect(packed.rows.length).toBeLessThan(9000);
  const wide = await sampled("a.xlsx", zipOf(xlsxParts(wideHeader + lastCells(600))));
  expect(wide.isWhole).toBe(false);
  expect(wide.rows.length).toBeLessThan(520);
});

it.each([
  ["check", 900, 100, ["--mapping", "wide.yaml"]],
  // It keeps a sample, of 512 such rows.
  ["init", 2000, 200, ["--output", "new.yaml"]],
] as const)(
  "%s of a small file with %i very wide rows takes less memory than these rows would",
  async (command, rows, mebibytes, options) => {
    expect(rows * widest * pointerBytes).toBeGreaterThan(mebibytes * mebi);
    const folder = await temporaryFolder();
    await writeFile(join(folder, "wide.xlsx"), zipOf(xlsxParts(wideHeader + lastCells(rows))));
    const mapping = "version: 1\nresource: users\nevent: e\nmembers: { email: Email }\n";
    await writeFile(join(folder, "wide.yaml"), mapping);
    const bin = fileURLToPath(new URL("../../dist/cli/bin.js", import.meta.url));
    // Half of it would do: where others keep the processor busy, a heap is cleared later.
    const heap = `--max-old-space-size=${mebibytes}`;
    const { status, stderr } = spawnSync(
      process.execPath,
      [heap, bin, command, "wide.xlsx", ...options],
      { cwd: folder, encoding: "utf8" },
    );
    expect(status === 0 ? "" : stderr).toBe("");
  },
  300_000,
);
