import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { findRecordStart, sampleRows } from "../../src/input/sample-rows.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const limits = { wholeBytes: 20_000, placeBytes: 6_000, placeRows: 200, keptChars: 1_000_000 };

/** Every third row has a cell of several lines that look like rows themselves. */
function table(rows: number, border = "text"): string {
  const lines = Array.from({ length: rows }, (_, at) => {
    const note =
      at % 3 === 0 ? `"${border}\n${at},within,quotes\n${at},within\n${border}"` : "plain";
    return `${at + 1},${note},end\n`;
  });
  return `id,note,last\n${lines.join("")}`;
}

async function sampleOf(name: string, content: string | Buffer) {
  const path = join(await temporaryFolder(), name);
  await writeFile(path, content);
  return sampleRows({ kind: "file", path, name }, {}, limits);
}

it("a small file is read in whole", async () => {
  const { rows, extent } = await sampleOf("small.csv", table(300));
  expect(extent).toBe("all");
  expect(rows).toHaveLength(300);
});

// Where the cell begins and ends in a line end, all quotes can be taken for their opposite without damage.
it.each(["text", ""])(
  "of a large file rows at three places are read, with cells that begin and end in %j",
  async (border) => {
    const text = table(40_000, border);
    const { rows, extent, unsound } = await sampleOf("large.csv", text);
    expect(extent).toBe("beginning, middle and end");
    expect(unsound).toBe(0);
    expect(rows.length).toBeGreaterThan(150);
    expect(rows.length).toBeLessThan(1_000);
    const ids = rows.map(({ cells }) => Number(cells[0]));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids[0]).toBe(1);
    expect(ids.filter((id) => id > 15_000 && id < 25_000).length).toBeGreaterThan(50);
    expect(ids.at(-1)).toBe(40_000);
    for (const { cells } of rows) {
      const isLong = (Number(cells[0]) - 1) % 3 === 0;
      expect(cells[1]?.split("\n")).toHaveLength(isLong ? 4 : 1);
    }
  },
);

it.each(["text", ""])(
  "a record begins at every place found, with cells that begin and end in %j",
  async (border) => {
    const path = join(await temporaryFolder(), "large.csv");
    const text = table(60, border);
    await writeFile(path, text);
    const input = { kind: "file", path, name: "large.csv" } as const;
    for (let offset = 20; offset < 600; offset += 5) {
      const found = await findRecordStart(input, {}, 3, offset);
      expect(text.slice(found?.offset)).toMatch(/^\d+,("|plain)/);
    }
  },
);

it("at the end of a file no record begins", async () => {
  const path = join(await temporaryFolder(), "small.csv");
  const text = table(10);
  await writeFile(path, text);
  const input = { kind: "file", path, name: "small.csv" } as const;
  expect(await findRecordStart(input, {}, 3, text.length - 1)).toBeUndefined();
});

it("what can be entered at the beginning only gives its first rows", async () => {
  const packed = await sampleOf("large.csv.gz", gzipSync(table(40_000)));
  const wide = await sampleOf("large.csv", Buffer.from(`\ufeff${table(40_000)}`, "utf16le"));
  for (const { rows, extent } of [packed, wide]) {
    expect(extent).toBe("beginning");
    expect(rows.length).toBeGreaterThan(100);
    expect(rows.length).toBeLessThan(40_000);
    expect(rows.map(({ cells }) => cells[0])).toEqual(rows.map((_, at) => String(at + 1)));
  }
});

it("damage is refused, as a check refuses it", async () => {
  await expect(sampleOf("bad.csv", 'a,b\n1,2\n7,"8\n9,0')).rejects.toThrow("is never closed");
});

it("rows that are no rows are left out", async () => {
  const { rows, unsound } = await sampleOf("bad.csv", 'a,b\n1,2\n1,2,3\n5,6\n7,"8');
  expect(unsound).toBe(2);
  expect(rows.map(({ cells }) => cells)).toEqual([
    ["1", "2"],
    ["5", "6"],
  ]);
});
