import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { readXlsx } from "hucre";
import { describe, expect, it } from "vitest";
import { openSource } from "../../src/input/open-source.ts";
import { exportForSpreadsheet } from "../../src/run/account/export-for-spreadsheet.ts";
import { eventload } from "../cli/fake-host.ts";
import { resultsText } from "../input/given-results.ts";
import { nastyCells } from "../nasty-cells.ts";
import { readCsv, temporaryFolder } from "../temporary-folder.ts";

const text = resultsText(
  ["name", "=code", "zip"],
  [
    { cells: ["=1+1", "00172", "01067"], told: { import_error: 'column "name": is no name' } },
    { cells: ['Ann "A"', "pro", " x"], told: { import_error: "zip: is not a postal code" } },
    { cells: ["Bo", "gold", "1-2"], told: { import_error: "no such plan: gold" } },
    { cells: ["Cy", "", ""], told: { import_error: "try again later" } },
  ],
);

async function given(failed = text) {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "people.failed.csv"), failed);
  return {
    folder,
    path: (name: string) => join(folder, name),
    run: (...args: string[]) =>
      eventload(["export", join(folder, "people.failed.csv"), ...args], { cwd: folder }),
  };
}

/** A workbook as this project reads it. */
async function recordsOf(path: string): Promise<string[][]> {
  const source = await openSource({ kind: "file", path, name: "people.failed.xlsx" });
  const records: string[][] = [[...source.columns]];
  for await (const rows of source.batches) for (const { cells } of rows) records.push([...cells]);
  await source.close();
  return records;
}

describe("eventload export", () => {
  it("writes a workbook of text: people's columns, status, reason, then the others", async () => {
    const { path, run } = await given();
    const { status, stdout, stderr } = await run("--json");
    expect(status).toBe(0);
    const output = path("people.failed.xlsx");
    expect(JSON.parse(stdout)).toEqual({ output, lines: 4, marked: 3 });
    expect(stderr).toBe(`${output}: 4 lines; the cell that is probably why is marked in 3.\n`);

    const [header = [], ...lines] = await readCsv(path("people.failed.csv"));
    const { sheets } = await readXlsx(await readFile(output), { readStyles: true });
    const [sheet] = sheets;
    const [names = [], ...rows] = sheet?.rows ?? [];
    expect(names.slice(0, 6)).toEqual([
      ...["name", "=code", "zip", "import_status", "import_error", "import_row"],
    ]);
    const places = names.map((name) => header.indexOf(String(name)));
    const inOrder = lines.map((cells) => places.map((at) => cells[at]));
    expect(rows.map((cells) => cells.map((cell) => String(cell ?? "")))).toEqual(inOrder);
    expect(sheet).toMatchObject({ autoFilter: { range: "A1:P5" } });
    const cells = [...(sheet?.cells ?? [])];
    expect(new Set(cells.map(([, { style }]) => style?.numFmt))).toEqual(new Set(["@"]));
    // So that a program can sort by the row.
    expect(rows.map((cells) => cells[5])).toEqual([1, 1, 1, 1]);
    const noted = cells.flatMap(([place, { comment, style }]) =>
      comment === undefined ? [] : [[place, comment.text, style?.fill !== undefined]],
    );
    expect(noted).toEqual([
      ["1,0", 'column "name": is no name', true],
      ["2,2", "zip: is not a postal code", true],
      ["3,1", "no such plan: gold", true],
    ]);
  });

  it("whatever is in the cells, the workbook has it", async () => {
    const folder = await temporaryFolder();
    const path = (name: string) => join(folder, name);
    const cell = fc.oneof(
      nastyCells,
      fc.constantFrom("_x000D_", "\u0001", "\u007f\u0085\u0092", "a\uffffb", "<&>"),
    );
    let run = 0;
    const rows = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(rows, async (people) => {
        const name = `${++run}.failed`;
        const columns = ["one", "two"];
        await writeFile(
          path(`${name}.csv`),
          resultsText(
            columns,
            people.map((cells) => ({ cells })),
          ),
        );
        await exportForSpreadsheet({ results: path(`${name}.csv`) });
        const [, ...read] = await recordsOf(path(`${name}.xlsx`));
        expect(read.map((cells) => cells.slice(0, 2))).toEqual(people);
      }),
      { numRuns: 50 },
    );
  });

  it("never overwrites", async () => {
    const { path, folder, run } = await given();
    await writeFile(path("people.failed.xlsx"), "mine");
    const { status, stderr } = await run("--output", path("people.failed.xlsx"));
    expect(status).toBe(2);
    expect(stderr).toContain(
      "people.failed.xlsx exists already, and nothing is overwritten: move it away, or name another with --output.",
    );
    expect(await readFile(path("people.failed.xlsx"), "utf8")).toBe("mine");
    for (const name of ["people.failed-2.xlsx", "people.failed-3.xlsx"]) {
      expect((await run()).stderr).toContain(path(name));
    }
    expect(await readdir(folder)).toHaveLength(4);
  });

  it.each([
    [
      "a torn line",
      `${text}x,y\n`,
      "line 6 has 2 cells where the header has 16; fix it first. No workbook was written.",
    ],
    ["an open quote", `${text}"x`, "No workbook was written."],
    [
      "more columns than a workbook has",
      resultsText(
        Array.from({ length: 16_380 }, (_, at) => `c${at}`),
        [],
      ),
      "it has 16,393 columns, and a workbook holds 16,384: fix it as CSV. No workbook was written.",
    ],
    [
      "a cell that no workbook can hold",
      resultsText(["name"], [{ cells: ["x".repeat(40_000)] }]),
      'line 2 has 40,000 characters in column "name", and a cell of a workbook holds 32,767: fix it as CSV. No',
    ],
    [
      "no results",
      "name\nAnn\n",
      "people.failed.csv: it has no columns import_status and import_error, so it is no file of an account. No workbook was written.",
    ],
  ])("leaves nothing behind where the file has %s", async (_what, failed, why) => {
    const { folder, run } = await given(failed);
    const { status, stderr } = await run();
    expect(status).toBe(2);
    expect(stderr).toContain(why);
    expect(await readdir(folder)).toEqual(["people.failed.csv"]);
  });

  it("does not take standard input, which has no name to go by", async () => {
    expect((await eventload("export -")).status).toBe(2);
  });
});
