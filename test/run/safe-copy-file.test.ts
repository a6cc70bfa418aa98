import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSafeCopyFile } from "../../src/run/account/export.ts";
import { temporaryFolder } from "../temporary-folder.ts";

test("the file has its name only when it is whole", async () => {
  const folder = await temporaryFolder();
  const file = await createSafeCopyFile(join(folder, "copy.csv"));
  await file.append([["a", 'b "c"']]);
  expect(await readdir(folder)).toEqual([expect.stringMatching(/^copy\.csv\.\w{12}\.part$/)]);
  await file.finish();
  expect(await readdir(folder)).toEqual(["copy.csv"]);
  expect(await readFile(join(folder, "copy.csv"), "utf8")).toBe('\ufeff"a","b ""c"""\r\n');
});

test("a file of its name that somebody made meanwhile is left as it is", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "copy.csv");
  const file = await createSafeCopyFile(path);
  await writeFile(path, "theirs");
  await expect(file.finish()).rejects.toMatchObject({ code: "output_exists" });
  await file.discard();
  expect(await readFile(path, "utf8")).toBe("theirs");
  expect(await readdir(folder)).toEqual(["copy.csv"]);
});

test("a folder that is not there is said, and nothing is made", async () => {
  const folder = await temporaryFolder();
  await expect(createSafeCopyFile(join(folder, "none", "copy.csv"))).rejects.toMatchObject({
    code: "output_not_writable",
  });
  expect(await readdir(folder)).toEqual([]);
});
