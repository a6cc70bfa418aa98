import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { DiskError } from "../../src/model/errors.ts";
import { readManifest, writeManifest } from "../../src/results/manifest.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { givenManifest as manifest } from "./given-manifest.ts";

test("is read as it was written, and nothing else is left behind", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "people.run.json");
  await writeManifest(path, manifest);
  expect(await readManifest(path)).toMatchObject({ kind: "manifest", manifest });
  expect(await readdir(folder)).toEqual(["people.run.json"]);
  expect(await readFile(path, "utf8")).toMatch(/^\{\n {2}"version": 2,[\s\S]*\}\n$/);
});

test.each([
  ["no JSON", "{"],
  ["something else", '{"version":2}'],
  ["one of another version", JSON.stringify({ ...manifest, version: 1 })],
  ["one whose settings no run can have", withOptions({ timeout_ms: -1 })],
])("%s in its place is unreadable", async (_, text) => {
  expect(await readText(text)).toMatchObject({ kind: "unreadable" });
});

async function readText(text: string) {
  const path = join(await temporaryFolder(), "x.run.json");
  await writeFile(path, text);
  return readManifest(path);
}

function withOptions(options: object): string {
  return JSON.stringify({ ...manifest, options: { ...manifest.options, ...options } });
}

test("of an earlier version, which does not know a setting, has the usual one", async () => {
  const read = await readText(withOptions({ max_attempts: undefined }));
  expect(read).toMatchObject({ manifest: { options: { max_attempts: 5 } } });
});

test("with figures that somebody has bent is one without figures", async () => {
  const read = await readText(JSON.stringify({ ...manifest, figures: { buckets: "many" } }));
  expect(read).toMatchObject({ kind: "manifest", manifest: { base_url: manifest.base_url } });
  expect(read.kind === "manifest" && read.manifest.figures).toBeUndefined();
});

test("that cannot be written is an error of the disk, and no part of it stays", async () => {
  const folder = await temporaryFolder();
  await expect(writeManifest(join(folder, "no", "x.run.json"), manifest)).rejects.toThrow(
    DiskError,
  );
  // A folder stands where it would go: only the last step fails.
  const path = join(folder, "people.run.json");
  await mkdir(path);
  await expect(writeManifest(path, manifest)).rejects.toThrow(`${path} cannot be written`);
  expect(await readdir(folder)).toEqual(["people.run.json"]);
});

test("what has no end is unreadable, and not read to where memory ends", async () => {
  const path = join(await temporaryFolder(), "people.run.json");
  await symlink("/dev/zero", path);
  expect(await readManifest(path)).toMatchObject({ message: "it is too long for a manifest" });
});

test("a pipe in its place is unreadable, and is not waited for", async () => {
  const path = join(await temporaryFolder(), "people.run.json");
  execFileSync("mkfifo", [path]);
  expect(await readManifest(path)).toMatchObject({ kind: "unreadable" });
});
