// Packs the package, looks at what is in it, installs it into an empty folder and uses it from there
// on the versions of Node that it is for.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { installPackage } from "./install-package.mjs";
import { nodeVersions } from "./node-versions.mjs";
import { tryPackage } from "./try-package.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const own = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const folder = mkdtempSync(join(tmpdir(), "eventload-package-"));
const say = (line) => console.log(line);

try {
  execFileSync("npm", ["pack", "--pack-destination", folder], { cwd: root, stdio: "pipe" });
  const tarball = join(folder, readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "");
  const files = filesOf(tarball);
  const isTypes = (name) => name.endsWith(".d.ts");
  const types = files.filter(isTypes);
  assert.deepEqual(
    files.filter((name) => !isTypes(name)),
    neededFiles().filter((name) => !isTypes(name)),
  );

  const installed = join(folder, "installed");
  installPackage(tarball, installed, root, say);
  assert.deepEqual(types, checkTypes(installed));
  say(`The package holds what is needed and nothing else: ${files.length} files.`);
  say("It installs into an empty folder, and its types are sound there.");

  for (const { major, bin } of nodeVersions(folder, say)) {
    const node = String(execFileSync(join(bin, "node"), ["--version"])).trim();
    const place = join(folder, `on-${major}`);
    const fixtures = join(root, "fixtures");
    await tryPackage({ installed, folder: place, bin, node, fixtures, version: own.version });
    say(`It works on Node ${node}.`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function filesOf(tarball) {
  const list = String(execFileSync("tar", ["-tzf", tarball]));
  const names = list.split("\n").filter((name) => name !== "");
  return names.map((name) => name.replace(/^package\//, "")).sort();
}

/** The code that packing has just built, what package.json refers to, and what people read. */
function neededFiles() {
  const built = readdirSync(join(root, "dist"), { recursive: true })
    .filter((name) => name.endsWith(".js") || /^(page|sandbox)\//.test(name))
    .map((name) => `dist/${name}`);
  const referred = [own.bin, own.exports]
    .flatMap((entry) => Object.values(entry))
    .flatMap((entry) => (typeof entry === "string" ? entry : Object.values(entry)))
    .map((path) => path.replace(/^\.\//, ""));
  const pages = readdirSync(join(root, "docs")).map((name) => `docs/${name}`);
  const examples = readdirSync(join(root, "examples"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)));
  const read = [
    "package.json",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    ...pages,
    ...examples,
  ];
  return [...new Set([...built, ...referred, ...read])].sort();
}

/**
 * The examples of docs/library.md are sound in a project that has TypeScript and this package alone, and so is all
 * of the package's types that they come to.
 *
 * @returns the types of the package that they come to
 */
function checkTypes(installed) {
  const page = readFileSync(join(root, "docs/library.md"), "utf8");
  const examples = [...page.matchAll(/^```[jt]s\n(import .*? from "eventload";\n.*?)^```/gms)];
  assert.ok(examples.length > 0, "docs/library.md has examples");
  const programs = examples.map(([, example], at) => {
    const program = join(installed, `program-${at}.ts`);
    writeFileSync(program, `export {};\n${example}`);
    return program;
  });
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022"];
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const check = [tsc, ...options, ...programs];
  const here = { cwd: installed };
  execFileSync(process.execPath, check, { ...here, stdio: "inherit" });
  const read = String(execFileSync(process.execPath, [...check, "--listFilesOnly"], here));
  for (const program of programs) rmSync(program);
  const within = join(realpathSync(installed), "node_modules", own.name, "/");
  return read
    .split("\n")
    .filter((path) => path.startsWith(within))
    .map((path) => path.slice(within.length))
    .filter((path) => path.endsWith(".d.ts"))
    .sort();
}
