import { expect, test } from "vitest";
import { describeFileProblem, inFileOrder } from "../../src/model/file-problem.ts";
import { readYaml, type YamlFileKind } from "../../src/model/yaml-document.ts";

const open: YamlFileKind = {
  longListFix: "shorten it",
  hasSecrets: false,
  prepare: () => [],
};
const secret: YamlFileKind = { ...open, hasSecrets: true };

function problemsOf(text: string, kind: YamlFileKind): string[] {
  const read = readYaml(text, kind);
  const problems = read.kind === "invalid" ? read.problems : read.document.problems;
  return inFileOrder(problems).map((problem) => describeFileProblem("f.yaml", problem));
}

test("what a file says is read, and a place in it can be named", () => {
  const read = readYaml("a: 1\nb: [x, { c: y }]\n", open);
  if (read.kind === "invalid") throw new Error("invalid");
  const { content, problems, problemOf } = read.document;
  expect(content).toEqual({ a: 1, b: ["x", { c: "y" }] });
  expect(problems).toEqual([]);
  const at = (path: (string | number)[], part?: "key") => {
    const { line, column } = problemOf({ path, message: "", part });
    return [line, column];
  };
  expect(at(["a"])).toEqual([1, 4]);
  expect(at(["a"], "key")).toEqual([1, 1]);
  expect(at(["b"])).toEqual([2, 1]);
  expect(at(["b", 0])).toEqual([2, 5]);
  expect(at(["b", 1, "c"])).toEqual([2, 13]);
  expect(at(["b", 1, "none"])).toEqual([2, 8]);
});

test("all of a file's problems are reported, and of a duplicate key the last one counts", () => {
  expect(problemsOf("a: 1\na: 2\nb: { c: 1, c: 2 }\n", open)).toEqual([
    "f.yaml:2:1: a: is here twice: remove one",
    "f.yaml:3:12: b.c: is here twice: remove one",
  ]);
});

test.each([
  ["a quote", 'token: "sesame\n'],
  ["a colon", "token: sesame: sesame\n"],
  ["a tab", "token:\n\tsesame: x\n"],
  ["an escape", 'token: "\\qsesame"\n'],
  ["a tag", "token: !sesame x\n"],
  ["an alias", "token: *sesame\n"],
  ["a word too many", "token: 'x' sesame\n"],
  ["a reserved character", "token: @sesame\n"],
  ["a bad header", "token: |sesame\n"],
  ["a key that is an alias", "token: &sesame x\n*sesame : y\n"],
  ["a document too many", "token: x\n---\nsesame: y\n"],
])("nothing that a file with secrets holds is in a message or an excerpt: %s", (_, text) => {
  const read = readYaml(text, secret);
  expect(read.kind).toBe("invalid");
  expect(JSON.stringify(read)).not.toContain("sesame");
  expect(problemsOf(text, secret)[0]).toMatch(/^f\.yaml:\d+:\d+: /);
});
