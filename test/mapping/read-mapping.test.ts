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
