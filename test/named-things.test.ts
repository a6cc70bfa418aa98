import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { eventload as run } from "./cli/fake-host.ts";

/** What a workflow, an example or a page names has to be there: nothing else runs or compiles these. */

const root = fileURLToPath(new URL("..", import.meta.url));
const textOf = (path: string) => readFileSync(join(root, path), "utf8");
const given = [
  ".ci",
  ".github",
  "examples",
  "docs",
  "README.md",
  "CONTRIBUTING.md",
  "fixtures/demo",
];
const files = execFileSync("git", ["ls-files", ...given], { cwd: root, encoding: "utf8" })
  .trim()
  .split("\n")
  .filter((path) => !/\.(png|csv)$/.test(path));
const { scripts } = JSON.parse(textOf("package.json"));

/** What each file names by a pattern, and is not known. */
function unknownIn(pattern: RegExp, isKnown: (...groups: string[]) => boolean): string[] {
  return files.flatMap((path) =>
    [
      ...textOf(path)
        .replaceAll(/\\\n\s*/g, "")
        .matchAll(pattern),
    ]
      .filter(([, ...groups]) => !isKnown(...groups.map((group = "") => group)))
      .map(([found]) => `${path}: ${found.trim()}`),
  );
}

it("looks at all of them", () => {
  expect(files.length).toBeGreaterThan(40);
  expect(files).toContain(".github/workflows/publish.yml");
});

it("scripts of npm, its commands and programs of packages", () => {
  const ofNpm = [
    "ci",
    "exec",
    "install",
    "pack",
    "pkg",
    "publish",
    "run",
    "sbom",
    "start",
    "test",
    "version",
  ];
  expect(
    unknownIn(/\bnpm run (?:--?[\w-]+ )*([\w:-]+)/g, (name) => Object.hasOwn(scripts, name)),
  ).toEqual([]);
  expect(unknownIn(/(?:`|&& |run: |RUN |^)npm ([a-z]+)/gm, (name) => ofNpm.includes(name))).toEqual(
    [],
  );
  const isProgram = (name: string) =>
    name === "eventload" || existsSync(join(root, "node_modules/.bin", name));
  expect(unknownIn(/\bnpx (?:--?[\w-]+ )*([\w-]+)/g, isProgram)).toEqual([]);
});

it("commands of eventload, with options that they have", async () => {
  const { stdout } = await run("--help");
  const commands = [...stdout.matchAll(/^ {2}(\w+) /gm)].map(([, name = ""]) => name);
  const options = new Map<string, readonly string[]>();
  for (const command of commands) {
    const { stdout: help } = await run(`${command} --help`);
    options.set(command, help.match(/(?<![\w-])--[a-z][a-z-]*/g) ?? []);
  }
  expect(
    unknownIn(/(?:npx |bin\/|exec |srun )eventload ([a-z]+)/g, (name) => options.has(name)),
  ).toEqual([]);
  // To the end of the command: of the line, of the code in a text, or where another command begins.
  const whole = /\beventload ([a-z]+)\b([^\n`;|&]*)/g;
  const has = (command: string, rest: string) =>
    (rest.match(/(?<![\w-])--[a-z][a-z-]*/g) ?? []).every(
      (option) => options.get(command)?.includes(option) ?? true,
    );
  expect(unknownIn(whole, has)).toEqual([]);
});

it("files and folders of this repository", () => {
  const path = /(?<![\w./-])((?:src|test|docs|examples|fixtures|\.ci|\.github)\/[\w./-]*\w)/g;
  expect(unknownIn(path, (name) => existsSync(join(root, name)))).toEqual([]);
});

it("actions of a workflow have a version", () => {
  const uses = files.flatMap((path) => textOf(path).match(/\buses: .*/g) ?? []);
  expect(uses.length).toBeGreaterThan(3);
  expect(
    uses.filter((line) => !/^uses: [\w-]+(?:\/[\w-]+)+@(v\d+|[0-9a-f]{40})$/.test(line)),
  ).toEqual([]);
});
