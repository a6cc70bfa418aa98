import { sep } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { labelFiles } from "../../src/input/label-files.ts";

describe("files are called", () => {
  it.each([
    [["/in/a.csv"], ["a.csv"]],
    [
      ["/in/a.csv", "/in/b.csv"],
      ["a.csv", "b.csv"],
    ],
    [
      ["/in/1/a.csv", "/in/2/a.csv", "/in/b.csv"],
      ["1/a.csv", "2/a.csv", "b.csv"],
    ],
    [
      ["/x/in/a.csv", "/y/in/a.csv", "/y/out/a.csv"],
      ["x/in/a.csv", "y/in/a.csv", "out/a.csv"],
    ],
    [
      ["/a.csv", "/in/a.csv"],
      ["/a.csv", "in/a.csv"],
    ],
  ])("%j: %j", (paths, labels) => {
    expect(labelFiles(paths)).toEqual(labels);
  });
});

it("files that differ never have the same name, and each is the end of its path", () => {
  const part = fc.constantFrom("a", "b", "c");
  const path = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join("/")}`);
  fc.assert(
    fc.property(fc.uniqueArray(path, { minLength: 1, maxLength: 12 }), (paths) => {
      const labels = labelFiles(paths);
      expect(new Set(labels).size).toBe(paths.length);
      labels.forEach((label, at) => {
        expect(paths[at]?.replaceAll(sep, "/").endsWith(label)).toBe(true);
      });
    }),
  );
});
