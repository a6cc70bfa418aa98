import { appendFile, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { nodeDisk } from "../../src/model/disk/node-disk.ts";
import { ChangedFileError, DiskError } from "../../src/model/errors.ts";
import { openPartFile } from "../../src/results/part-file.ts";
import { toCsv } from "../../src/results/to-csv.ts";
import { createSimulatedDisk, type Fault } from "../journal/simulated-disk.ts";
import { breakWritesTo, isOpen, temporaryFolder } from "../temporary-folder.ts";

test("grows by whole records, after its header", async () => {
  const path = join(await temporaryFolder(), "x.csv");
  const file = await openPartFile(nodeDisk, path, toCsv([["a", "b"]]));
  await file.append(toCsv([["1", 'say "hi"']]));
  await file.append(toCsv([]));
  await file.append(toCsv([["2", "x\ny"]]));
  await file.close();
  expect(await readFile(path, "utf8")).toBe('a,b\n1,"say ""hi"""\n2,"x\ny"\n');
  expect(isOpen(path)).toBe(false);
});

test("is never made over another", async () => {
  const path = join(await temporaryFolder(), "x.csv");
  await writeFile(path, "mine");
  await expect(openPartFile(nodeDisk, path, toCsv([["a"]]))).rejects.toMatchObject({
    code: "results_exist",
  });
  expect(await readFile(path, "utf8")).toBe("mine");
});

test("cannot be made where there is no folder", async () => {
  await expect(openPartFile(nodeDisk, "/nowhere/x.csv", toCsv([["a"]]))).rejects.toMatchObject({
    code: "output_not_writable",
    message: "/nowhere/x.csv cannot be written: there is no such file or folder.",
  });
});

test("a disk that breaks is reported, and what stood there before stays", async () => {
  const path = join(await temporaryFolder(), "x.csv");
  const file = await openPartFile(nodeDisk, path, toCsv([["a", "b"]]));
  await file.append(toCsv([["1", "2"]]));
  breakWritesTo(path);
  const failure = file.append(toCsv([["3", "4"]]));
  await expect(failure).rejects.toBeInstanceOf(DiskError);
  await expect(failure).rejects.toThrow(`${path} cannot be written`);
  await file.close();
  expect(await readFile(path, "utf8")).toBe("a,b\n1,2\n");
  expect(isOpen(path)).toBe(false);
});

describe("what something else does with it", () => {
  const changes: [string, (path: string) => Promise<unknown>][] = [
    ["is not there any more", (path) => rm(path)],
    ["is not there any more", (path) => rename(path, `${path}.moved`)],
    [
      "was replaced",
      (path) => writeFile(`${path}.new`, "a,b\n").then(() => rename(`${path}.new`, path)),
    ],
    ["was changed", (path) => appendFile(path, "5,6\n")],
    ["was changed", (path) => truncate(path, 4)],
  ];

  test.each(changes)("%s: said before more is written into it", async (what, change) => {
    const path = join(await temporaryFolder(), "x.csv");
    const file = await openPartFile(nodeDisk, path, toCsv([["a", "b"]]));
    await file.append(toCsv([["1", "2"]]));
    await file.sync();
    await change(path);
    const before = await readFile(path, "utf8").catch(() => undefined);
    for (const act of [() => file.append(toCsv([["3", "4"]])), file.sync]) {
      await expect(act()).rejects.toBeInstanceOf(ChangedFileError);
      await expect(act()).rejects.toThrow(`${path} ${what}`);
    }
    expect(await readFile(path, "utf8").catch(() => undefined)).toBe(before);
    await file.close();
  });

  test("is left alone when the file is taken away again", async () => {
    const path = join(await temporaryFolder(), "x.csv");
    const file = await openPartFile(nodeDisk, path, toCsv([["a", "b"]]));
    await rm(path);
    await writeFile(path, "theirs");
    await file.remove();
    expect(await readFile(path, "utf8")).toBe("theirs");
  });

  test("is noticed though records are written at the same time, and they are not taken for it", async () => {
    const disk = createSimulatedDisk();
    const file = await openPartFile(disk, "x.csv", toCsv([["a", "b"]]));
    await Promise.all([file.append(toCsv([["1", "2"]])), file.sync(), file.sync()]);
    expect(file.bytes).toBe(8);
  });
});

describe("resumed", () => {
  test("loses what lies beyond the place, and grows from there", async () => {
    const path = join(await temporaryFolder(), "x.csv");
    await writeFile(path, "a,b\n1,2\n3,4\n5,");
    const file = await openPartFile(nodeDisk, path, toCsv([["a", "b"]]), 8);
    expect(file.bytes).toBe(8);
    await file.append(toCsv([["6", "7"]]));
    expect(file.bytes).toBe(12);
    await file.close();
    expect(await readFile(path, "utf8")).toBe("a,b\n1,2\n6,7\n");
  });

  test.each([
    ["it is shorter", "a,b\n1,"],
    ["it is another file", "c,d\n1,2\n3,4\n"],
  ])("but not where %s", async (_, text) => {
    const path = join(await temporaryFolder(), "x.csv");
    await writeFile(path, text);
    await expect(openPartFile(nodeDisk, path, toCsv([["a", "b"]]), 8)).rejects.toMatchObject({
      code: "results_changed",
    });
    expect(await readFile(path, "utf8")).toBe(text);
    expect(isOpen(path)).toBe(false);
  });

  test("but not where it has been taken away", async () => {
    const path = join(await temporaryFolder(), "x.csv");
    await expect(openPartFile(nodeDisk, path, toCsv([["a"]]), 8)).rejects.toMatchObject({
      code: "output_not_writable",
      message: `${path} cannot be written: there is no such file or folder.`,
    });
  });
});

describe("on a disk", () => {
  /** A file with a record in it; the disk misbehaves from then on. */
  async function fileOn(faultAt: (call: number, name: string) => Fault | undefined) {
    let calls = 0;
    let isReady = false;
    const disk = createSimulatedDisk((_, name) => (isReady ? faultAt(++calls, name) : undefined));
    const file = await openPartFile(disk, "x.csv", toCsv([["a", "b"]]));
    await file.append(toCsv([["1", "2"]]));
    isReady = true;
    return { file, text: async () => (await disk.read("x.csv"))?.toString() };
  }

  test("that writes short, the rest follows", async () => {
    const { file, text } = await fileOn((_, name) => (name === "write" ? "short" : undefined));
    const cell = "x".repeat(1000);
    await file.append(toCsv([[cell, "4"]]));
    expect(await text()).toBe(`a,b\n1,2\n${cell},4\n`);
    expect(file.bytes).toBe(8 + 1003);
  });

  test.each(["ENOSPC", "EIO"] as const)(
    "that answers %s in the middle of a record, no part of it stays",
    async (fault) => {
      const { file, text } = await fileOn((call) => (["short", fault] as const)[call - 1]);
      await expect(file.append(toCsv([["3", "4"]]))).rejects.toBeInstanceOf(DiskError);
      expect(await text()).toBe("a,b\n1,2\n");
      expect(file.bytes).toBe(8);
      await file.append(toCsv([["5", "6"]]));
      expect(await text()).toBe("a,b\n1,2\n5,6\n");
    },
  );

  test("that is full, the reason is reported in plain words", async () => {
    const { file } = await fileOn(() => "ENOSPC");
    await expect(file.append(toCsv([["3", "4"]]))).rejects.toThrow(
      "x.csv cannot be written: the disk is full",
    );
  });

  test("that takes not even the end of a failed record away, the size stays what is sound", async () => {
    const { file } = await fileOn((call) => (call === 1 ? "short" : "EIO"));
    await expect(file.append(toCsv([["3", "4"]]))).rejects.toBeInstanceOf(DiskError);
    expect(file.bytes).toBe(8);
  });

  test("that cannot sync, that is an error, and the records are where they were", async () => {
    const { file, text } = await fileOn((_, name) => (name === "datasync" ? "EIO" : undefined));
    const failure = file.sync();
    await expect(failure).rejects.toBeInstanceOf(DiskError);
    await expect(failure).rejects.toThrow("x.csv cannot be written");
    expect(await text()).toBe("a,b\n1,2\n");
  });

  test("that does not take its header, it is not left behind", async () => {
    const disk = createSimulatedDisk((_, name) => (name === "write" ? "ENOSPC" : undefined));
    await expect(openPartFile(disk, "x.csv", toCsv([["a"]]))).rejects.toMatchObject({
      code: "output_not_writable",
      message: "x.csv cannot be written: the disk is full.",
    });
    expect(await disk.read("x.csv")).toBeUndefined();
  });
});
