import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { loadMapping } from "../../src/mapping/load-mapping.ts";
import { showFileProblem } from "../../src/model/file-problem.ts";
import { head, problemsOfFile } from "./given-mapping.ts";

function shown(text: string): string[] {
  const loaded = loadMapping(text);
  if (loaded.kind === "loaded") throw new Error("loaded");
  return loaded.problems.map((problem) => showFileProblem("m.yaml", problem));
}

test("of a long line the part around the place is shown, and nothing that a terminal would act upon", () => {
  const long = JSON.stringify({ a: { value: `${"é".repeat(200)}\u001b\t` }, b: { clumn: "A" } });
  const [problem = ""] = shown(
    `${head.replaceAll("\n", "\r\n")}members: ${long.replace("\\u001b", "\u009b")}\r\n`,
  );
  const [, line = "", caret = ""] = problem.split("\n");
  expect(line).toMatch(/^4 \| ….*�.*"b":\{"clumn":"A"\}\}$/);
  expect(line.charAt(caret.indexOf("^"))).toBe('"');
  expect(line.slice(caret.indexOf("^"))).toMatch(/^"clumn"/);
});

test("wherever a problem is, the caret stands below it", () => {
  fc.assert(
    fc.property(
      fc.nat({ max: 150 }),
      fc.nat({ max: 150 }),
      fc.nat({ max: 12 }),
      (left, right, lines) => {
        const text = `${"#\n".repeat(lines)}${head}members: { "${"x".repeat(left)}a": { clumn: A, column: "${"y".repeat(right)}" } }\n`;
        const problem = shown(text).find((one) => one.includes("unknown key")) ?? "";
        const [, line = "", caret = ""] = problem.split("\n");
        expect(line.length).toBeLessThan(120);
        expect(line.slice(caret.indexOf("^"))).toMatch(/^clumn/);
      },
    ),
    { numRuns: 60 },
  );
});

const many = <Made>(count: number, make: (at: number) => Made) =>
  Array.from({ length: count }, (_, at) => make(at));

const tooMany =
  "holds more than 50000 keys and items: put long lists of values into a CSV file, and look them up there (lookup)";
const tooDeep = "not valid YAML: nested too deeply; a few levels are enough";

test.each([
  [
    "lists 10,000 deep",
    `members: { x: { value: ${"[".repeat(10_000)}1${"]".repeat(10_000)} } }`,
    tooDeep,
  ],
  [
    "conditions 10,000 deep",
    `when: ${"{not: ".repeat(10_000)}{column: A, blank: true}${"}".repeat(10_000)}\nmembers: {}`,
    tooDeep,
  ],
  ["50,000 members", `members:\n${many(50_000, (at) => `  m${at}: A`).join("\n")}`, tooMany],
  [
    "a path of 10,000 parts",
    `members:\n  ? ${many(10_000, () => "a").join(".")}\n  : A`,
    "has more than 100 parts: nest less deeply",
  ],
  [
    "a name in a name, 30 times",
    `members:\n  ${"? ".repeat(30)}x\n`,
    "lacks a name here: write one",
  ],
])("%s is one problem, soon told", (_, text, message) => {
  const problems = problemsOfFile(`${head}${text}\n`);
  expect(problems).toHaveLength(1);
  expect(problems[0]?.endsWith(message)).toBe(true);
});

test("a text of a mebibyte takes little memory, whatever is in it", () => {
  const script = `
    import { loadMapping } from "./build/mapping/load-mapping.js";
    const units = ["[", "{", "- ", "? ", "[],", "'a' ", "&a ", "a: b: c\\n", "a,"];
    const wrong = units.filter((unit) => {
      const { kind, problems } = loadMapping(unit.repeat(2 ** 20 / unit.length));
      return kind !== "invalid" || problems.length > 100;
    });
    console.log(JSON.stringify({ wrong, mebibytes: process.resourceUsage().maxRSS / 1024 }));
  `;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
  });
  const { wrong, mebibytes } = JSON.parse(stdout);
  expect(wrong).toEqual([]);
  expect(mebibytes).toBeLessThan(256);
});

test("a long format is not shown in full", () => {
  const format = "-".repeat(10_000);
  const [problem = ""] = problemsOfFile(
    `${head}members: { a: { column: A, type: date, format: "${format}" } }\n`,
  );
  expect(problem).toMatch(/"-{80}…" is longer than 200 characters: shorten it$/);
});
