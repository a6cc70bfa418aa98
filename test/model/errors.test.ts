import { mkdir, open, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { reasonOf } from "../../src/model/errors.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const failed = (code: string) =>
  Promise.reject(Object.assign(new Error("what Node says"), { code }));

test.each<[string, (folder: string) => Promise<unknown>]>([
  ["a part of its path is a file, not a folder", (at) => open(join(at, "file/a"), "w")],
  ["there is no such file or folder", (at) => open(join(at, "nowhere/a"), "w")],
  ["it is a directory", (at) => open(join(at, "folder"), "w")],
  ["its name is too long", (at) => open(join(at, "n".repeat(300)), "w")],
  ["it is a link, and has to be the file itself", (at) => open(join(at, "loop"), "r")],
  ["what Node says", () => failed("EOTHER")],
  ["permission denied", () => failed("EACCES")],
  ["not permitted, as where it belongs to another user or is protected", () => failed("EPERM")],
  ["the file system is read-only", () => failed("EROFS")],
  ["the disk is full", () => failed("ENOSPC")],
  ["your quota on this disk is used up", () => failed("EDQUOT")],
  ["the file would become larger than is allowed", () => failed("EFBIG")],
  ["the file system allows no more links there", () => failed("EMLINK")],
])("%s", async (words, act) => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "file"), "");
  await mkdir(join(folder, "folder"));
  await symlink("loop", join(folder, "loop"));
  expect(reasonOf(await act(folder).catch((error: unknown) => error))).toBe(words);
});
