import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";

/**
 * Runs a program that says what it is about to do in a process of its own: what hangs could not be stopped in this one.
 *
 * @param longestMs what one thing may take before it counts as hanging
 * @returns the object that it prints at its end
 */
export async function runFuzzer<Result>(
  nodeOptions: readonly string[],
  program: URL,
  args: readonly string[],
  longestMs: number,
): Promise<Result> {
  const child = spawn(process.execPath, [...nodeOptions, fileURLToPath(program), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = once(child, "exit");
  let last = "";
  // Counted in seconds that this process has seen: a machine may stand still for minutes.
  let silentMs = 0;
  const watch = setInterval(() => {
    silentMs += 1000;
    if (silentMs >= longestMs) child.kill("SIGKILL");
  }, 1000);
  for await (const line of createInterface({ input: child.stdout })) {
    last = line;
    silentMs = 0;
  }
  clearInterval(watch);
  expect(await exit, `hung or died at: ${last}`).toEqual([0, null]);
  return JSON.parse(last);
}

interface FuzzedFunctions {
  readonly functions: number;
  readonly texts: number;
  readonly failures: readonly object[];
}

/** Shows texts to the functions that text from outside passes. */
export function runFuzz(...args: readonly string[]): Promise<FuzzedFunctions> {
  return runFuzzer([], new URL("fuzz.mjs", import.meta.url), args, 60_000);
}
