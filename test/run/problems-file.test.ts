import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createProblemsFile, defuseCell } from "../../src/run/check/problems-file.ts";
import { nastyCells } from "../nasty-cells.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const row = { row: 1, line: 2, cells: [] };
const problem = { code: "ragged_row", message: "has 2 cells" } as const;

test("every problem has a line, whatever is in its cell", async () => {
  const path = join(await temporaryFolder(), "problems.csv");
  await fc.assert(
    fc.asyncProperty(fc.array(nastyCells), async (values) => {
      const file = await createProblemsFile(path);
      for (const value of values) file.add(row, { ...problem, column: "A", value });
      file.add({ ...row, row: 7, source: "north.csv" }, problem);
      await file.finish();
      const [header, ...lines] = parse(readFileSync(path)) as string[][];
      expect(header).toEqual(["row", "line", "source", "column", "value", "code", "message"]);
      expect(lines.map(([, , , , value]) => value)).toEqual([...values.map(defuseCell), ""]);
      expect(lines.at(-1)).toEqual(["7", "2", "north.csv", "", "", "ragged_row", "has 2 cells"]);
    }),
  );
});

test("no cell of it is a formula in a spreadsheet program", async () => {
  const path = join(await temporaryFolder(), "problems.csv");
  const file = await createProblemsFile(path);
  const formula = '=HYPERLINK("https://evil.example","look")';
  for (const before of ["", " ", "\t", "\u00a0", "a;", "a,\n"]) {
    for (const text of [formula, "+1+cmd", "-1+cmd", "@SUM(1)", "＝1", "＋1", "－1", "＠1"]) {
      const hostile = before + text;
      const message = `${hostile} is no number`;
      file.add(
        { ...row, source: hostile },
        { ...problem, column: hostile, value: hostile, message },
      );
    }
  }
  await file.finish();
  const [, ...lines] = parse(readFileSync(path)) as string[][];
  expect(lines.length).toBe(48);
  // With whatever delimiter a program reads it.
  const cells = lines.flat().flatMap((cell) => cell.split(/[,;|\t\r\n]/));
  expect(cells.filter((cell) => /^[\s\p{Cf}"]*[=+\-@＝＋－＠]/u.test(cell))).toEqual([]);
});

test("many problems are written as they come, and none is lost on the way", async () => {
  const path = join(await temporaryFolder(), "problems.csv");
  const file = await createProblemsFile(path);
  for (let at = 1; at <= 5000; at++) file.add({ ...row, row: at }, problem);
  const [part = ""] = readdirSync(dirname(path));
  expect(readFileSync(join(dirname(path), part), "utf8").length).toBeGreaterThan(50_000);
  await file.finish();
  const rows = (parse(readFileSync(path)) as string[][]).slice(1).map(([row]) => Number(row));
  expect(rows).toEqual(Array.from({ length: 5000 }, (_, at) => at + 1));
});

test("one of an earlier check is replaced, at the end, and any other file is not", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "problems.csv");
  for (const message of ["first", "second"]) {
    const file = await createProblemsFile(path);
    file.add(row, { ...problem, message });
    await file.finish();
    expect(readFileSync(path, "utf8")).toContain(message);
  }
  await (await createProblemsFile(path)).discard();
  expect(readFileSync(path, "utf8")).toContain("second");
  expect(readdirSync(folder)).toEqual(["problems.csv"]);

  const other = "row,line\n1,2\n";
  writeFileSync(path, other);
  await expect(createProblemsFile(path)).rejects.toMatchObject({ code: "output_exists" });
  expect(readFileSync(path, "utf8")).toBe(other);
});

test("where it cannot be written, that is said", async () => {
  const path = join(await temporaryFolder(), "nowhere", "problems.csv");
  await expect(createProblemsFile(path)).rejects.toThrow(
    `${path} cannot be written: there is no such file or folder.`,
  );
});
