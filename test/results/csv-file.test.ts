import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { DiskError } from "../../src/domain/errors.ts";
import { createCsvFile, toCsv } from "../../src/results/csv-file.ts";
import { nastyCells } from "../nasty-cells.ts";
import { breakWritesTo, isOpen, parseCsvText, temporaryFolder } from "../temporary-folder.ts";

test("whatever is in the cells is read again as it was", () => {
  const tables = fc.integer({ min: 2, max: 5 }).chain((columns) =>
    fc.array(fc.array(nastyCells, { minLength: columns, maxLength: columns }), {
      minLength: 1,
      maxLength: 8,
    }),
  );
  fc.assert(
    fc.property(tables, (lines) => {
      expect(parseCsvText(toCsv(lines))).toEqual(lines);
    }),
    { numRuns: 500 },
  );
});

test("plain cells stand without quotes, so that a person can read them", () => {
  expect(toCsv([["a", "00172", "x y", ""]])).toBe("a,00172,x y,\n");
});

test("grows by whole records, after its header", async () => {
  const path = join(await temporaryFolder(), "x.csv");
  const file = await createCsvFile(path, ["a", "b"]);
  await file.append([["1", 'say "hi"']]);
  await file.append([]);
  await file.append([["2", "x\ny"]]);
  await file.close();
  expect(await readFile(path, "utf8")).toBe('a,b\n1,"say ""hi"""\n2,"x\ny"\n');
  expect(isOpen(path)).toBe(false);
});

test("is never made over another", async () => {
  const path = join(await temporaryFolder(), "x.csv");
  await writeFile(path, "mine");
  await expect(createCsvFile(path, ["a"])).rejects.toMatchObject({ code: "results_exist" });
  expect(await readFile(path, "utf8")).toBe("mine");
});

test("cannot be made where there is no folder", async () => {
  await expect(createCsvFile("/nowhere/x.csv", ["a"])).rejects.toMatchObject({
    code: "output_not_writable",
    message: "/nowhere/x.csv cannot be written: there is no such file or folder.",
  });
});

test("a disk that breaks is told, and what stood there before stays", async () => {
  const path = join(await temporaryFolder(), "x.csv");
  const file = await createCsvFile(path, ["a", "b"]);
  await file.append([["1", "2"]]);
  breakWritesTo(path);
  const failure = file.append([["3", "4"]]);
  await expect(failure).rejects.toBeInstanceOf(DiskError);
  await expect(failure).rejects.toThrow(`${path} cannot be written`);
  await file.close();
  expect(await readFile(path, "utf8")).toBe("a,b\n1,2\n");
  expect(isOpen(path)).toBe(false);
});
