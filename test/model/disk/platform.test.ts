import { expect, it } from "vitest";
import { whyNotFileName } from "../../../src/model/disk/platform.ts";

it.each<[name: string, isFile: boolean]>([
  ["out\\people.results.csv", true],
  ["C:\\out/people.results.csv", true],
  ["\\\\server\\share\\people.results.csv", true],
  ["console.results.csv", true],
  ["out/null.results.csv", true],
  ["q:1.results.csv", false],
  ["C:people.results.csv", false],
  ["out\\q:1.results.csv", false],
  ["a?.results.csv", false],
  ["nul.results.csv", false],
  ["out\\COM1.results.csv", false],
])("%s can be a file on Windows: %s", (name, isFile) => {
  expect(whyNotFileName(name, "windows") === undefined).toBe(isFile);
  expect(whyNotFileName(name, "unix")).toBeUndefined();
});
