// Prints the list of all parts that an installation of the package has (CycloneDX), from the lockfile.
// npm sbom --omit dev leaves out what tools of development need as well, such as yaml and zod, and the packages that
// are built into the page of a mapping. So it is given a lockfile of these parts alone.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = new URL("../../", import.meta.url);
const read = (name) => JSON.parse(readFileSync(new URL(name, root), "utf8"));

const { devDependencies, ...ownPackage } = read("package.json");
const lock = read("package-lock.json");
const { devDependencies: _, ...lockedRoot } = lock.packages[""];

const browser = new URL("src/page/browser/", root);
const page = readdirSync(browser).map((name) => readFileSync(new URL(name, browser), "utf8"));
const imported = page.flatMap((text) => [...text.matchAll(/ from "([^".][^"]*)"/g)]);
const built = new Set(imported.map(([, name]) => name).filter((name) => name in devDependencies));
const direct = Object.fromEntries([...built].map((name) => [name, devDependencies[name]]));
ownPackage.dependencies = { ...ownPackage.dependencies, ...direct };
lockedRoot.dependencies = ownPackage.dependencies;
// A set shows what is added to it on the way: the packages that they need.
for (const name of built) {
  const { dependencies = {} } = lock.packages[`node_modules/${name}`];
  for (const needed of Object.keys(dependencies)) built.add(needed);
}

const parts = Object.entries(lock.packages).flatMap(([path, { dev, ...part }]) => {
  const isBuilt = built.has(path.replace("node_modules/", ""));
  return path !== "" && (!dev || isBuilt) ? [[path, part]] : [];
});
lock.packages = { "": lockedRoot, ...Object.fromEntries(parts) };

const folder = mkdtempSync(join(tmpdir(), "eventload-sbom-"));
try {
  writeFileSync(join(folder, "package.json"), JSON.stringify(ownPackage));
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock));
  const options = [
    "--package-lock-only",
    "--sbom-format",
    "cyclonedx",
    "--sbom-type",
    "application",
  ];
  const npm = { cwd: folder, stdio: ["ignore", "pipe", "inherit"] };
  const written = JSON.parse(String(execFileSync("npm", ["sbom", ...options], npm)));
  // npm calls the whole as the folder is called.
  written.metadata.component.name = ownPackage.name;
  console.log(JSON.stringify(written, null, 2));
} finally {
  rmSync(folder, { recursive: true });
}
