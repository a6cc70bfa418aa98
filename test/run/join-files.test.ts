import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openSource } from "../../src/input/open-source.ts";
import type { InputSpec } from "../../src/input/read-bytes.ts";
import { fingerprintOfAll } from "../../src/journal/fingerprint.ts";
import { holdFiles, joinFiles, nameFiles } from "../../src/run/prepare/open-inputs.ts";
import { temporaryFolder } from "../temporary-folder.ts";

async function given(texts: readonly string[]) {
  const folder = await temporaryFolder();
  const paths = texts.map((_, at) => join(folder, `${at}.csv`));
  for (const [at, path] of paths.entries()) await writeFile(path, texts[at] ?? "");
  return nameFiles(paths);
}

test("of any number of files, one at a time is open", async () => {
  const specs = await given(Array(50).fill("x\n1\n"));
  let open = 0;
  let most = 0;
  const watched = async (spec: InputSpec) => {
    const source = await openSource(spec);
    open++;
    most = Math.max(most, open);
    return {
      ...source,
      close() {
        open--;
        return source.close();
      },
    };
  };
  const openAll = await joinFiles(specs, watched);
  const source = openAll();
  let rows = 0;
  for await (const batch of source.batches) rows += batch.length;
  await source.close();
  expect({ rows, open, most }).toEqual({ rows: 50, open: 0, most: 1 });
});

test("of many that differ, some are shown in full and the others counted", async () => {
  const specs = await given(["x\n", ...Array(30).fill("y\n")]);
  await expect(joinFiles(specs, (spec) => openSource(spec))).rejects.toMatchObject({
    code: "headers_differ",
    message: expect.stringContaining("4.csv, 5.csv and 25 more have other columns than 0.csv"),
    details: { length: 20 },
  });
});

test("one file is known by its own bytes, several by those of all in their order", async () => {
  const [a, b] = await (await holdFiles(await given(["x\n1\n", "x\n22\n"]))).fingerprints();
  if (a === undefined || b === undefined) throw new Error("no files");
  expect(fingerprintOfAll([a])).toEqual({ bytes: a.bytes, sha256: a.sha256 });
  const both = fingerprintOfAll([a, b]);
  expect(both?.bytes).toBe(9);
  const others = [[a], [b], [b, a], [a, b, b]].map((files) => fingerprintOfAll(files)?.sha256);
  expect(others).not.toContain(both?.sha256);
  expect(fingerprintOfAll([])).toBeUndefined();
});
