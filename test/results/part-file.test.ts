import { appendFile, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { nodeDisk } from "../../src/model/disk/node-disk.ts";
import { ChangedFileError, DiskError } from "../../src/model/errors.ts";
import { openPartFile } from "../../src/results/part-file.ts";
import { toCsv } from "../../src/results/to-csv.ts";
import { createSimulatedDisk, type Fault } from "../journal/simulated-disk.ts";
import { isOpen, temporaryFolder } from "../temporary-folder.ts";

describe("what something else does with it", () => {
  test.each<[string, (path: string) => Promise<unknown>]>([
    ["removed", (path) => rm(path)],
    [
      "replaced",
      (path) => writeFile(`${path}.new`, "a,b\n").then(() => rename(`${path}.new`, path)),
    ],
    ["longer", (path) => appendFile(path, "5,6\n")],
    ["cut", (path) => truncate(path, 4)],
  ])("%s: said before more is written into it", async (_, change) => {
    const path = join(await temporaryFolder(), "x.csv");
    const file = await openPartFile(nodeDisk, path, toCsv([["a", "b"]]), 0);
    await file.append(toCsv([["1", "2"]]));
    await file.sync();
    await change(path);
    const before = await readFile(path, "utf8").catch(() => undefined);
    for (const act of [() => file.append(toCsv([["3", "4"]])), file.sync]) {
      await expect(act()).rejects.toBeInstanceOf(ChangedFileError);
    }
    expect(await readFile(path, "utf8").catch(() => undefined)).toBe(before);
    await file.close();
  });

  test("is left alone when the file is taken away again", async () => {
    const path = join(await temporaryFolder(), "x.csv");
    const file = await openPartFile(nodeDisk, path, toCsv([["a", "b"]]), 0);
    await rm(path);
    await writeFile(path, "theirs");
    await file.remove();
    expect(await readFile(path, "utf8")).toBe("theirs");
  });
});

test.each([
  ["it is shorter", "a,b\n1,"],
  ["it is another file", "c,d\n1,2\n3,4\n"],
])("resumed but not where %s", async (_, text) => {
  const path = join(await temporaryFolder(), "x.csv");
  await writeFile(path, text);
  await expect(openPartFile(nodeDisk, path, toCsv([["a", "b"]]), 8)).rejects.toMatchObject({
    code: "results_changed",
  });
  expect(await readFile(path, "utf8")).toBe(text);
  expect(isOpen(path)).toBe(false);
});

/** A file with a record in it; the disk misbehaves from then on. */
async function fileOn(faultAt: (call: number, name: string) => Fault | undefined) {
  let calls = 0;
  let isReady = false;
  const disk = createSimulatedDisk((_, name) => (isReady ? faultAt(++calls, name) : undefined));
  const file = await openPartFile(disk, "x.csv", toCsv([["a", "b"]]), 0);
  await file.append(toCsv([["1", "2"]]));
  isReady = true;
  return { file, text: async () => (await disk.read("x.csv"))?.toString() };
}

test.each(["ENOSPC", "EIO"] as const)(
  "on a disk that answers %s in the middle of a record, no part of it stays",
  async (fault) => {
    const { file, text } = await fileOn((call) => (["short", fault] as const)[call - 1]);
    await expect(file.append(toCsv([["3", "4"]]))).rejects.toBeInstanceOf(DiskError);
    expect(await text()).toBe("a,b\n1,2\n");
    expect(file.bytes).toBe(8);
    await file.append(toCsv([["5", "6"]]));
    expect(await text()).toBe("a,b\n1,2\n5,6\n");
  },
);
