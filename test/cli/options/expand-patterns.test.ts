import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { expandPatterns } from "../../../src/cli/options/expand-patterns.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const list = { name: "input", describe: "", isList: true } as const;

it.each<[pattern: string, names: string[]]>([
  ["*.csv", ["North (1).csv", "south.csv"]],
  ["?ast.*", ["east.CSV"]],
  ["North (?).csv", ["North (1).csv"]],
  ["south.csv", ["south.csv"]],
  ["*.xlsx", ["*.xlsx"]],
  ["no such folder/*.csv", ["no such folder/*.csv"]],
])("%s is the files that it matches, or stays as it is", async (pattern, names) => {
  const folder = await temporaryFolder();
  for (const name of ["south.csv", "North (1).csv", "east.CSV", "people.yaml"]) {
    await writeFile(join(folder, name), "");
  }
  await mkdir(join(folder, "more"));
  const parsed = { input: [join(folder, pattern)], results: "*.csv" };
  expect(expandPatterns({ positional: list }, parsed)).toEqual({
    input: names.map((name) => join(folder, name)),
    results: "*.csv",
  });
});
