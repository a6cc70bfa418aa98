import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { sampleRows } from "../../src/input/sample-rows.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const limits = { rows: 4000, furtherRows: 500, bytes: 20_000, keptChars: 1_000_000 };

function table(rows: number, cell = "plain"): string {
  const lines = Array.from({ length: rows }, (_, at) => `${at + 1},${cell},end\n`);
  return `id,note,last\n${lines.join("")}`;
}

async function sampleOf(name: string, content: string | Buffer, most = limits) {
  const path = join(await temporaryFolder(), name);
  await writeFile(path, content);
  return sampleRows({ kind: "file", path, name }, {}, most);
}

it("a small file is read in whole, and of any other the first rows", async () => {
  const small = await sampleOf("small.csv", table(300));
  expect(small.isWhole).toBe(true);
  expect(small.rows).toHaveLength(300);
  for (const content of [table(40_000), gzipSync(table(40_000))]) {
    const { rows, isWhole } = await sampleOf("large.csv", content);
    expect(isWhole).toBe(false);
    expect(rows.length).toBeGreaterThan(100);
    expect(rows.length).toBeLessThan(40_000);
    expect(rows.map(({ cells }) => cells[0])).toEqual(rows.map((_, at) => String(at + 1)));
  }
});

it("some rows are from the middle and the end of a large file, wherever its lines begin", async () => {
  const few = { ...limits, bytes: 1_000_000 };
  for (const cell of ["plain", '"of two\nlines"']) {
    const { rows, further, isWhole } = await sampleOf("large.csv", table(40_000, cell), few);
    expect([rows.length, isWhole]).toEqual([4000, false]);
    const ids = further.map(({ cells }) => Number(cells[0]));
    expect(ids.length).toBe(1000);
    for (const id of ids) expect(id).toBeGreaterThan(4000);
    if (cell === "plain") expect(Math.max(...ids)).toBeGreaterThan(39_000);
  }
});

it("damage is refused, as a check refuses it", async () => {
  await expect(sampleOf("bad.csv", 'a,b\n1,2\n7,"8\n9,0')).rejects.toThrow("is never closed");
});

it("rows that are no rows are left out", async () => {
  const { rows, unsound } = await sampleOf("bad.csv", 'a,b\n1,2\n1,2,3\n5,6\n7,"8"x\n');
  expect(unsound).toBe(2);
  expect(rows.map(({ cells }) => cells)).toEqual([
    ["1", "2"],
    ["5", "6"],
  ]);
});
