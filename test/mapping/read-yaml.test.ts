import fc from "fast-check";
import { expect, test } from "vitest";
import { loadMapping } from "../../src/mapping/load-mapping.ts";
import { showMappingProblem } from "../../src/model/mapping-problem.ts";
import { head } from "./given-mapping.ts";

function shown(text: string): string[] {
  const loaded = loadMapping(text);
  if (loaded.kind === "loaded") throw new Error("loaded");
  return loaded.problems.map((problem) => showMappingProblem("m.yaml", problem));
}

test("a problem shows its line, and points at its place", () => {
  expect(shown(`${head}members:\n  plan: { column: Plan, vaules: { P: pro } }\n`)).toEqual([
    `m.yaml:5:25: members.plan.vaules: unknown key; did you mean values?
5 |   plan: { column: Plan, vaules: { P: pro } }
  |                         ^`,
  ]);
});

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
