import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  columnDifferences,
  labelFiles,
  openSeveral,
  type SeveralFile,
} from "../../src/input/open-several.ts";
import { openSource } from "../../src/input/open-source.ts";
import type { Source } from "../../src/input/source.ts";
import { InputDamagedError } from "../../src/model/errors.ts";
import type { Row } from "../../src/model/row.ts";
import { casesOf } from "../mapping/given-mapping.ts";
import { isOpen, temporaryFolder } from "../temporary-folder.ts";
import { readAll } from "./given-bytes.ts";

/** Files of these texts. */
async function givenFiles(folder: string, texts: readonly string[]) {
  const paths: string[] = [];
  const files: SeveralFile[] = [];
  for (const [at, text] of texts.entries()) {
    const path = join(folder, `${at}.csv`);
    await writeFile(path, text);
    paths.push(path);
    files.push({
      ...{ name: `${at}.csv`, bytes: Buffer.byteLength(text), dialect: {} },
      open: () => openSource({ kind: "file", path, name: `${at}.csv` }),
    });
  }
  return { files, paths };
}

async function drain(source: Source) {
  const rows: Row[] = [];
  for await (const batch of source.batches) rows.push(...batch);
  await source.close();
  return rows;
}

/** Files with a header of two columns; some have several batches, some none. */
const cell = fc.oneof(
  fc.constantFrom("", "a", '"b\r\nc"', '"""é"""'),
  fc.integer({ min: 1, max: 9000 }).map((length) => "é".repeat(length)),
);
const line = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(cell, cell).map((cells) => cells.join(",")) },
  { weight: 1, arbitrary: fc.constantFrom("", "one", "1,2,3") },
);
const body = fc.array(line, { maxLength: 12 }).map((lines) => lines.map((one) => `${one}\n`));
const bodies = fc.array(body, { minLength: 2, maxLength: 5 });

describe("several files as one", () => {
  it("give the rows of their concatenation, each with its file and the line in it", async () => {
    const folder = await temporaryFolder();
    await fc.assert(
      fc.asyncProperty(bodies, async (given) => {
        const texts = given.map((lines) => `x,y\n${lines.join("")}`);
        const { files } = await givenFiles(folder, texts);
        const source = openSeveral(files, ["x", "y"], []);
        const rows = await drain(source);
        const path = join(folder, "all.csv");
        await writeFile(path, `x,y\n${given.flat().join("")}`);
        const all = await readAll({ kind: "file", path, name: "all.csv" });

        expect(rows.map(({ source: _, line: __, ...row }) => row)).toEqual(
          all.rows.map(({ line: _, ...row }) => row),
        );
        expect(source.blankLines().all).toBe(all.blankLines);
        expect(source.bytesRead()).toBe(source.totalBytes);
        const own: { source: string; line: number }[] = [];
        for (const file of files) {
          const alone = await drain(await file.open());
          own.push(...alone.map((row) => ({ source: file.name, line: row.line })));
        }
        expect(rows.map((row) => ({ source: row.source, line: row.line }))).toEqual(own);
      }),
      { numRuns: 40 },
    );
  });

  it("have no more than one file open, and none after the end or in the midst", async () => {
    const folder = await temporaryFolder();
    const { files, paths } = await givenFiles(folder, Array(20).fill("x\n1\n2\n"));
    const source = openSeveral(files, ["x"], []);
    const rows = source.batches[Symbol.asyncIterator]();
    for (let at = 0; at < 10; at++) await rows.next();
    expect(paths.filter(isOpen)).toEqual([paths[9]]);
    await source.close();
    expect(paths.filter(isOpen)).toEqual([]);
    const whole = await drain(openSeveral(files, ["x"], []));
    expect(whole).toHaveLength(40);
    expect(paths.filter(isOpen)).toEqual([]);
  });
});

it.each([
  [["Email", "Age"], ["Email", "Age"], []],
  [["Email"], ["email "], ['it has no "Email"', 'it has "email ", which a.csv lacks']],
  [["a", "a"], ["a"], ['it has no "a"']],
  [["a"], ["a", "a", "b", "a"], ['it has "a", "b", "a", which a.csv lacks']],
  [["a", "b"], ["b", "a"], ["its columns come in another order"]],
])("a header that differs: %j, %j: %j", (columns, found, differences) => {
  expect(columnDifferences(columns, found, "a.csv")).toEqual(differences);
});

describe("damage in one of them", () => {
  const damageIn = async (
    texts: readonly string[],
    change?: (paths: string[]) => Promise<void>,
  ) => {
    const { files, paths } = await givenFiles(await temporaryFolder(), texts);
    await change?.(paths);
    const rows: Row[] = [];
    try {
      for await (const batch of openSeveral(files, ["x"], []).batches) rows.push(...batch);
    } catch (error) {
      return { rows, error, paths };
    }
    throw new Error("was not found");
  };

  it("is reported with the name of the file, after the rows before it", async () => {
    const { rows, error, paths } = await damageIn(["x\n1\n", 'x\n2\n"3\n4\n', "x\n4\n"]);
    expect(rows.map(({ row, cells }) => [row, ...cells])).toEqual([
      [1, "1"],
      [2, "2"],
    ]);
    expect(error).toBeInstanceOf(InputDamagedError);
    expect(error).toMatchObject({ file: "1.csv", line: 3 });
    expect(paths.filter(isOpen)).toEqual([]);
  });

  it("so is a header that has changed since it was compared", async () => {
    const { error } = await damageIn(["x\n1\n", "x\n2\n"], ([_, second = ""]) =>
      writeFile(second, "y\n2\n"),
    );
    expect(error).toMatchObject({ file: "1.csv", line: 1 });
    expect(String(error)).toContain('it has no "x"');
  });

  it("and a file that is gone, or has become a folder", async () => {
    const gone = await damageIn(["x\n1\n", "x\n2\n"], ([_, second = ""]) => rm(second));
    expect(String(gone.error)).toContain("1.csv");
    const folder = await damageIn(["x\n1\n", "x\n2\n"], async ([_, second = ""]) => {
      await rm(second);
      await mkdir(second);
    });
    expect(String(folder.error)).toContain("1.csv cannot be read: it is a directory");
  });
});

it.each(
  casesOf(`
/in/a.csv
    a.csv
/in/a.csv /in/b.csv
    a.csv b.csv
/in/1/a.csv /in/2/a.csv /in/b.csv
    1/a.csv 2/a.csv b.csv
/x/in/a.csv /y/in/a.csv /y/out/a.csv
    x/in/a.csv y/in/a.csv y/out/a.csv
/a.csv /in/a.csv
    a.csv in/a.csv
`),
)("files are called: %s: %s", (paths, labels) => {
  expect(labelFiles(paths.split(" "))).toEqual(labels.split(" "));
});
