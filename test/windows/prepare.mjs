import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installPackage } from "../package/install-package.mjs";
import { fetchNode } from "../package/node-versions.mjs";
import { addMissingDll } from "./missing-dll.mjs";
import { windowsEnv } from "./on-windows.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Makes the Windows of all tests once: a prefix of Wine, Node's own build for Windows, and the packed package,
 * installed into an empty folder. Where Wine is not installed, all tests are skipped.
 */
export default function prepare() {
  const say = (line) => console.log(line);
  try {
    execFileSync("wine", ["--version"], { stdio: "ignore" });
  } catch {
    say("Skipped, as Wine is not there: apt-get install wine wine64");
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), "windows-"));
  const skipped = (why) => say(`Skipped, as Node for Windows is not to be had: ${why}`);
  if (fetchNode(20, join(folder, "node"), skipped, "win") === undefined) return undefined;
  process.env.EVENTLOAD_WINDOWS = folder;
  const run = (program, ...args) =>
    execFileSync(program, args, { cwd: root, env: windowsEnv(), stdio: "pipe" });
  mkdirSync(join(folder, "packed"));
  run("wineboot", "--init");
  run("wine", "winecfg", "-v", "win10");
  addMissingDll(join(folder, "prefix/drive_c/windows/system32"));
  execFileSync("npm", ["pack", "--ignore-scripts", "--pack-destination", join(folder, "packed")], {
    cwd: root,
    stdio: "pipe",
  });
  const [tarball = ""] = readdirSync(join(folder, "packed"));
  installPackage(join(folder, "packed", tarball), join(folder, "installed"), root, say);
  return () => {
    try {
      run("wineserver", "--kill");
    } catch {
      // It has ended on its own.
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
}
