// Prints the list of all parts that an installation of the package has (CycloneDX), from the lockfile.
// npm sbom --omit dev leaves out what tools of development need as well, such as yaml and zod, so it is
// given a lockfile without those tools.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = new URL("../../", import.meta.url);
const read = (name) => JSON.parse(readFileSync(new URL(name, root), "utf8"));

const { devDependencies: _, ...ownPackage } = read("package.json");
const lock = read("package-lock.json");
const { devDependencies: __, ...lockedRoot } = lock.packages[""];
const installed = Object.entries(lock.packages).filter(([path, { dev }]) => path !== "" && !dev);
lock.packages = { "": lockedRoot, ...Object.fromEntries(installed) };

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
