import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { oneLine, shellWord } from "../../src/model/escape-text.ts";

const unprintable = /[\p{Cc}\p{Zl}\p{Zp}]/u;

test("what a terminal does not show as it is, is escaped", () => {
  expect(oneLine("a\nb\tc\u001b[2J\u009b\u2028\u202e é 😀 \\n")).toBe(
    "a\\nb\\tc\\u001b[2J\\u009b\\u2028\\u202e é 😀 \\n",
  );
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(oneLine(text)).not.toMatch(unprintable);
      if (!unprintable.test(text) && !/[\u061c\u200e-\u202e\u2066-\u2069]/.test(text)) {
        expect(oneLine(text)).toBe(text);
      }
    }),
  );
});

test.skipIf(!existsSync("/bin/bash"))("a shell makes the path of it again", () => {
  const nasty = [
    "a\nb",
    "it's\n",
    "\u001b[31m",
    "back\\slash\n",
    "$(x)\t`y`",
    "-\n",
    "\u202eé",
    "'\\'\r",
  ];
  const paths = [...nasty, ...fc.sample(fc.string({ unit: "binary", minLength: 1 }), 300)].filter(
    (path) => !path.includes("\0") && Buffer.from(path).toString() === path,
  );
  const script = `printf '%s\\0' ${paths.map(shellWord).join(" ")}`;
  const env = { LC_ALL: "C.UTF-8" };
  const made = execFileSync("/bin/bash", ["--norc", "-c", script], { encoding: "utf8", env });
  const expected = paths.map((path) => (path.startsWith("-") ? `./${path}` : path));
  expect(made.split("\0").slice(0, -1)).toEqual(expected);
  for (const path of paths) expect(shellWord(path)).not.toMatch(unprintable);
});
