import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

/** The rules of the house, as CONTRIBUTING.md has them. */

const src = fileURLToPath(new URL("../src", import.meta.url));

interface SourceFile {
  /** Below `src`. */
  readonly path: string;
  /** The folder directly below `src`; blank for `index.ts`. */
  readonly folder: string;
  readonly code: string;
  /** What it imports: files below `src`, or names of packages. */
  readonly imports: readonly string[];
  /** Those of them that are loaded with it. */
  readonly loads: readonly string[];
}

const files = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts"))
  .map(readSourceFile);

const testFiles = readdirSync(join(src, "../test"), { recursive: true, encoding: "utf8" }).map(
  (path) => `/test/${path}`,
);

function readSourceFile(path: string): SourceFile {
  const text = readFileSync(join(src, path), "utf8");
  const code = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
  const named = (pattern: RegExp) =>
    [...code.matchAll(pattern)].map(([, name = ""]) =>
      name.startsWith(".") ? relative(src, join(src, dirname(path), name)) : name,
    );
  const imports = named(/(?:from|import)\s*\(?\s*"([^"]+)"/g);
  const loads = named(/^(?:import|export)\s(?!type\b)(?:[^;"]*?\sfrom\s)?"([^"]+)"/gm);
  return {
    path,
    folder: path.includes("/") ? (path.split("/")[0] ?? "") : "",
    code,
    imports,
    loads,
  };
}

function folderOf(imported: string): string | undefined {
  const file = files.find(({ path }) => path === imported);
  return file?.folder;
}

/** Files, with what they import, that break a rule. */
function offenders(
  chosen: (file: SourceFile) => boolean,
  breaks: (imported: string) => boolean,
): string[] {
  return files
    .filter(chosen)
    .flatMap(({ path, imports }) => imports.filter(breaks).map((name) => `${path} -> ${name}`));
}

function mentions(chosen: (file: SourceFile) => boolean, pattern: RegExp): string[] {
  return files.filter(chosen).flatMap(({ path, code }) => {
    const found = pattern.exec(code);
    return found === null ? [] : [`${path}: ${found[0]}`];
  });
}

/** What is loaded with a file at once, and not when it is needed. */
function loadedBy(path: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(path)) return loaded;
  loaded.add(path);
  for (const name of files.find((file) => file.path === path)?.loads ?? []) loadedBy(name, loaded);
  return loaded;
}

const rooms = ["input", "mapping", "lint", "delivery", "journal", "results", "stats"];

/** Imports of a folder that lead out of it, other than to those folders. */
function importsBeyond(room: string, known: readonly string[]): string[] {
  const allowed = [undefined, room, ...known];
  return offenders(
    ({ folder }) => folder === room,
    (name) => !allowed.includes(folderOf(name)),
  );
}

/** Ways from a file back to itself. */
function circles(): string[] {
  const importsOf = new Map(files.map(({ path, imports }) => [path, imports]));
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, way: readonly string[]) => {
    if (way.includes(path)) found.push([...way.slice(way.indexOf(path)), path].join(" -> "));
    if (done.has(path) || way.includes(path)) return;
    for (const name of importsOf.get(path) ?? []) {
      if (importsOf.has(name)) visit(name, [...way, path]);
    }
    done.add(path);
  };
  for (const { path } of files) visit(path, []);
  return found;
}

describe("the house", () => {
  it("is read by this test", () => {
    expect(files.length).toBeGreaterThan(60);
    expect(
      offenders(
        ({ path }) => path === "run/send/send-rows.ts",
        () => true,
      ),
    ).toContain("run/send/send-rows.ts -> delivery/delivery.ts");
  });

  it("has nothing loose in it", () => {
    expect(files.filter(({ folder }) => folder === "").map(({ path }) => path)).toEqual([
      "index.ts",
    ]);
    const folders = new Set(files.map(({ folder }) => folder));
    const known = ["", "cli", "run", ...rooms, "report", "sandbox", "page", "model"];
    expect([...folders].toSorted()).toEqual(known.toSorted());
  });

  it.each<[room: string, known: readonly string[]]>([
    ["model", []],
    ["sandbox", ["model"]],
    ...[...rooms, "report"].map((room): [string, readonly string[]] => [room, ["model"]]),
    ["run", [...rooms, "report", "model"]],
    ["cli", ["run", "report", "sandbox", "page", "model"]],
    ["page", ["run", "model"]],
  ])("%s imports no other room than %j", (room, known) => {
    expect(importsBeyond(room, known)).toEqual([]);
  });

  it("the parts of run import one way", () => {
    const parts = ["options", "prepare", "check", "send", "state", "account"];
    const levelOf = (path: string) => parts.indexOf(/^run\/(\w+)\//.exec(path)?.[1] ?? "");
    const inRun = files.filter(({ folder }) => folder === "run");
    expect(inRun.filter(({ path }) => levelOf(path) < 0)).toEqual([]);
    const upwards = inRun.flatMap(({ path, imports }) =>
      imports.filter((name) => levelOf(name) > levelOf(path)).map((name) => `${path} -> ${name}`),
    );
    expect(upwards).toEqual([]);
  });

  it("the page loads in the browser only types of runs and nothing of Node", () => {
    const loaded = [...loadedBy("page/browser/main.ts")];
    expect(loaded.length).toBeGreaterThan(10);
    expect(loaded.filter((name) => /^(run\/|node:)/.test(name))).toEqual([]);
  });

  it("has no circle, types included", () => {
    expect(circles()).toEqual([]);
  });

  it("nothing but its command and the library knows the sandbox", () => {
    expect(
      offenders(
        ({ path, folder }) =>
          folder !== "sandbox" && !["cli/commands/sandbox.ts", "index.ts"].includes(path),
        (name) => folderOf(name) === "sandbox",
      ),
    ).toEqual([]);
  });

  it("nothing reaches into the command line, and only it knows the terminal", () => {
    const outside = ({ folder }: SourceFile) => folder !== "cli";
    expect(offenders(outside, (name) => folderOf(name) === "cli")).toEqual([]);
    expect(offenders(outside, (name) => /^(yargs|node:process)/.test(name))).toEqual([]);
    expect(mentions(outside, /\b(process|console)\s*\./)).toEqual([]);
  });

  it("only the program's entry knows the process", () => {
    expect(mentions(({ path }) => path !== "cli/bin.ts", /\b(process|console)\s*\./)).toEqual([]);
  });

  it("asks for the platform at one place in model/disk and at one in journal", () => {
    const others = ({ path, folder }: SourceFile) =>
      folder !== "cli" && !["model/disk/platform.ts", "journal/lock.ts"].includes(path);
    expect(mentions(others, /\bplatform\(\)|\bprocess\.platform\b|\bwin32\b/)).toEqual([]);
  });

  it("mapping, lint, stats and report are pure and synchronous", () => {
    const mapping = ({ folder }: SourceFile) =>
      ["mapping", "lint", "stats", "report"].includes(folder);
    expect(mentions(mapping, /\b(async|await|Promise|setTimeout|setImmediate)\b/)).toEqual([]);
    // node:module loads a package for the few mappings that need it.
    expect(offenders(mapping, (name) => /^node:(?!crypto|module)/.test(name))).toEqual([]);
  });

  it("only the clock touches time and chance", () => {
    const others = ({ path, folder }: SourceFile) =>
      path !== "model/clock.ts" && folder !== "sandbox";
    const touches =
      /\b(setTimeout|setInterval|setImmediate|performance|Math\.random|Date\.now)\b|new Date\(\)/;
    expect(mentions(others, touches)).toEqual([]);
    expect(offenders(others, (name) => /^node:(timers|perf_hooks)/.test(name))).toEqual([]);
  });

  it("a command loads only what it needs", () => {
    const packages = (path: string) => [...loadedBy(path)].filter((name) => !name.endsWith(".ts"));
    const own = packages("cli/main.ts").filter((name) => !name.startsWith("node:"));
    expect(own.toSorted()).toEqual(["fastest-levenshtein", "yargs"]);
    const ofCheck = packages("cli/run-check.ts");
    expect(ofCheck).toContain("zod");
    for (const name of ["undici", "hdr-histogram-js", "p-limit", "csv-parse/sync"]) {
      expect(ofCheck).not.toContain(name);
    }
  });

  it("prints no command but by its words, so that every shell reads the same", () => {
    const everywhere = () => true;
    const pasted = /(?:\beventload [a-z]+|\bchmod \S+|\b(?:mv|rm|mkdir)|--check) (?:-\w+ )?\$\{/;
    expect(mentions(everywhere, pasted)).toEqual([]);
  });

  it("the guide names files that exist", () => {
    const guide = readFileSync(join(src, "../CONTRIBUTING.md"), "utf8");
    const places = [...files.map(({ path }) => `src/${path}`), ...testFiles];
    const named = [...guide.matchAll(/`([\w/-]+\.ts)`/g)].map(([, name = ""]) => name);
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter((name) => !places.some((path) => path.endsWith(`/${name}`)))).toEqual([]);
  });

  it("a name at the top of a file is that of one thing in the whole tree", () => {
    const declared =
      /^(?:export )?(?:async )?(?:function\*?|const|let|class|type|interface) (?:(\w+)|[[{]([^\]}]+)[\]}] = (?!await import))/gm;
    const namesIn = (code: string) =>
      [...code.matchAll(declared)].flatMap(([, name, several = ""]) =>
        name === undefined
          ? several.split(",").map((one) => one.replace(/^.*[:.]/, "").trim())
          : [name],
      );
    const byName = new Map<string, string[]>();
    // The library's functions are those of the rooms, with what is usual for it.
    for (const { path, code } of files.filter(({ path }) => path !== "index.ts")) {
      for (const name of new Set(namesIn(code))) {
        byName.set(name, [...(byName.get(name) ?? []), path]);
      }
    }
    expect(byName.size).toBeGreaterThan(3000);
    expect(byName.get("knownHigh")).toEqual(["run/state/known-keys.ts"]);
    expect([...byName].filter(([, paths]) => paths.length > 1)).toEqual([]);
  });

  it("no file is a drawer for odds and ends", () => {
    const names = files.map(({ path }) => path.split("/").at(-1));
    for (const drawer of ["utils", "util", "helpers", "helper", "manager", "common", "misc"]) {
      expect(names.filter((name) => name?.includes(drawer))).toEqual([]);
    }
  });
});
