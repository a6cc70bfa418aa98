import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readMapping } from "../../src/read-mapping.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { head } from "./given-mapping.ts";

const withoutInput = async () => undefined;
const mebibyte = 1024 * 1024;

test("a mapping file of a mebibyte is read, and one byte more is refused", async () => {
  const path = join(await temporaryFolder(), "people.yaml");
  const start = `${head}members: {}\n#`;
  const text = start + "-".repeat(mebibyte - start.length);
  await writeFile(path, text);
  expect((await readMapping(path, withoutInput)).fingerprint.bytes).toBe(mebibyte);
  await writeFile(path, `${text}-`);
  await expect(readMapping(path, withoutInput)).rejects.toThrow(
    "cannot be read: it is larger than 1 MiB; put long lists of values into a CSV file (lookup)",
  );
});

test("a module may be larger", async () => {
  const path = join(await temporaryFolder(), "people.mjs");
  await writeFile(path, `export default () => null; //${"-".repeat(mebibyte)}`);
  expect((await readMapping(path, withoutInput)).fingerprint.bytes).toBeGreaterThan(mebibyte);
});

test("what is no file is not looked things up in, whatever it waits for", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "people.yaml");
  execFileSync("mkfifo", [join(folder, "silent.csv")]);
  const member = (file: string) => `{ column: A, lookup: { file: ${file}, key: K, value: V } }`;
  await writeFile(
    path,
    `version: 1\nresource: users\nevent: e\nmembers:\n  a: ${member("silent.csv")}\n  b: ${member("/dev/zero")}\n`,
  );
  const compiled = (await readMapping(path, withoutInput)).compile(["A"], { name: "", id: "" });
  expect(compiled).toMatchObject({
    kind: "invalid",
    problems: ["a", "b"].map((name) => ({
      path: `members.${name}.lookup.file`,
      message: "is no file, but a folder, a pipe or a device: name a CSV file",
    })),
  });
});
