import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createAtomicFile, writeAtomically } from "../../src/model/disk/atomic-file.ts";
import { temporaryFolder } from "../temporary-folder.ts";

test("the old file stands until the new one is whole", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "a.txt");
  await writeFile(path, "old", { mode: 0o644 });
  const file = await createAtomicFile(path);
  await file.add(Buffer.from("new"));
  expect(await readFile(path, "utf8")).toBe("old");
  await file.finish();
  expect(await readFile(path, "utf8")).toBe("new");
  expect(await readdir(folder)).toEqual(["a.txt"]);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test("nothing is left of one that is given up or cannot have its name", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "a.txt");
  await (await createAtomicFile(path)).discard();
  expect(await readdir(folder)).toEqual([]);
  await mkdir(path);
  await expect(writeAtomically(path, "new")).rejects.toMatchObject({ code: "EISDIR" });
  expect(await readdir(folder)).toEqual(["a.txt"]);
});

test("the umask has no say in who may read it", async () => {
  const folder = await temporaryFolder();
  const before = process.umask(0o077);
  try {
    await writeAtomically(join(folder, "a.prom"), "", 0o644);
  } finally {
    process.umask(before);
  }
  expect((await stat(join(folder, "a.prom"))).mode & 0o777).toBe(0o644);
});

test("two at once do not meet", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "a.txt");
  const texts = ["one", "two", "three"];
  await Promise.all(texts.map((text) => writeAtomically(path, text, 0o644)));
  expect(texts).toContain(await readFile(path, "utf8"));
  expect(await readdir(folder)).toEqual(["a.txt"]);
  expect((await stat(path)).mode & 0o777).toBe(0o644);
});
