import { existsSync } from "node:fs";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  baseOfRun,
  defaultResultsPath,
  makeFolderOf,
  runFiles,
} from "../../src/model/run-files.ts";
import { refuseExisting } from "../../src/run/account/claim-files.ts";
import { temporaryFolder } from "../temporary-folder.ts";

test.each([
  ["out/people.results.csv", "out/people.failed.csv", "out/people.run.json"],
  ["people.2026.results.csv", "people.2026.failed.csv", "people.2026.run.json"],
])("%s has %s and %s beside it", (results, failed, manifest) => {
  const journal = manifest.replace(".run.json", ".results.csv.journal");
  expect(runFiles(results)).toEqual({
    ...{ results, failed, manifest, journal },
    input: journal.replace(/journal$/, "input"),
    newInput: journal.replace(/journal$/, "input.new"),
    newResults: journal.replace(/journal$/, "new"),
    newFailed: `${failed}.new`,
    ofAccount: [results, failed, manifest],
    ofPart: ["input", "input.new", "new"]
      .map((end) => journal.replace(/journal$/, end))
      .concat(`${failed}.new`),
  });
});

test.each([
  ["people.csv", "people.results.csv"],
  ["in/people.txt", "in/people.results.csv"],
  ["in/people", "in/people.results.csv"],
  ["people.2026.csv", "people.2026.results.csv"],
  ["stdin", "stdin.results.csv"],
])("the results of %s go to %s", (input, results) => {
  expect(defaultResultsPath(input)).toBe(results);
});

test.each([
  ["out/people.results.csv", "out/people"],
  ["out/people.failed.csv", "out/people"],
  ["out/people.failed-fixed.csv", "out/people"],
  ["out/people.failed (1).csv", "out/people"],
  ["out/people.failed.xlsx", "out/people"],
  ["out/PEOPLE.FAILED.CSV", "out/PEOPLE"],
  ["out/People.Results.csv", "out/People"],
  ["out/people.csv", "out/people"],
  ["out/people.results.csv.", "out/people"],
  ["out/people.results.csv.journal", "out/people"],
  ["out/people.results.csv.journal.12", "out/people"],
  ["out/people.results.csv.input", "out/people"],
])("%s belongs to the run %s", (path, base) => {
  expect(baseOfRun(path)).toBe(base);
});

describe("the folder of a run", () => {
  test("is made, and may be there already", async () => {
    const folder = join(await temporaryFolder(), "a", "b");
    const files = runFiles(join(folder, "people.results.csv"));
    await makeFolderOf(files.results);
    await makeFolderOf(files.results);
    expect(existsSync(folder)).toBe(true);
  });

  test("is not made where a file stands in its place", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "out"), "");
    for (const path of ["out/people.results.csv", "out/of/today/people.results.csv"]) {
      await expect(makeFolderOf(join(folder, path))).rejects.toMatchObject({
        code: "output_not_writable",
        message: `${join(folder, path)} cannot be written: ${join(folder, "out")} is a file, not a folder.`,
      });
    }
  });

  test("may be made by several at once", async () => {
    const path = join(await temporaryFolder(), "a", "b", "c", "people.results.csv");
    await Promise.all([1, 2, 3, 4].map(() => makeFolderOf(path)));
    expect(existsSync(join(path, ".."))).toBe(true);
  });

  test.skipIf(!existsSync("/proc/self"))("is refused where none can be made", async () => {
    const made = makeFolderOf("/proc/nowhere/of/all/people.results.csv");
    await expect(made).rejects.toMatchObject({ code: "output_not_writable" });
  });
});

describe("a run is refused", () => {
  test.each(["results.csv", "failed.csv", "run.json", "results.csv.input"])(
    "where there is a people.%s",
    async (extension) => {
      const name = `people.${extension}`;
      const folder = await temporaryFolder();
      await writeFile(join(folder, name), "");
      const refused = refuseExisting(runFiles(join(folder, "people.results.csv")));
      await expect(refused).rejects.toMatchObject({
        code: "results_exist",
        message: expect.stringContaining(name),
      });
    },
  );

  test("where a link leads to a file", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "other.csv"), "");
    await symlink(join(folder, "other.csv"), join(folder, "people.results.csv"));
    const refused = refuseExisting(runFiles(join(folder, "people.results.csv")));
    await expect(refused).rejects.toMatchObject({ code: "results_exist" });
  });

  test("not where there is nothing, nor even a folder; and none is made", async () => {
    const folder = join(await temporaryFolder(), "none");
    await refuseExisting(runFiles(join(folder, "people.results.csv")));
    expect(existsSync(folder)).toBe(false);
  });
});
