import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

/** What a function may take for a text before it counts as hanging. */
const longestMs = 60_000;

/** Runs `fuzz.mjs` in a process of its own: what hangs could not be stopped in this one. */
export async function runFuzz(...args: readonly string[]) {
  const program = fileURLToPath(new URL("fuzz.mjs", import.meta.url));
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = once(child, "exit");
  let last = "";
  let watch: NodeJS.Timeout | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    last = line;
    clearTimeout(watch);
    watch = setTimeout(() => child.kill("SIGKILL"), longestMs);
  }
  clearTimeout(watch);
  expect(await exit, `hung or died at: ${last}`).toEqual([0, null]);
  return JSON.parse(last) as { functions: number; texts: number; failures: readonly object[] };
}
