import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";

const here = (file) => fileURLToPath(new URL(file, import.meta.url));

export const program = here("../../dist/cli/bin.js");
export const mapping = here("people.yaml");

/** Whether processes can be kept to a core each. */
export const canPin = process.platform === "linux" && availableParallelism() >= 2;

/** The built program with `--json`: what it says on standard output, and what it used. */
export async function runMeasured(args, options) {
  const measured = await runNode([program, ...args, "--json", "--quiet"], options);
  const summary = JSON.parse(measured.stdout.replaceAll(traceOfGc, ""));
  return { ...measured, summary };
}

/** What V8 prints of each collection with `--trace-gc`: the heap before it and after it, in MB. */
const traceOfGc = /^\[\d+:0x[\da-f]+\].* ([\d.]+) \([\d.]+\) -> ([\d.]+) \([\d.]+\) MB.*\n/gm;

/** What a process allocated on its heap from its first collection to its last, by their traces on standard output. */
export function allocatedBytes(stdout) {
  let bytes = 0;
  let after;
  for (const [, before, left] of stdout.matchAll(traceOfGc)) {
    if (after !== undefined) bytes += (Number(before) - after) * 1024 * 1024;
    after = Number(left);
  }
  return bytes;
}

/**
 * Runs Node to its end. `core` keeps it to one core; with `traceGc` it prints its collections.
 *
 * @returns seconds from start to end, those of the processor, and the peak of memory in MB
 */
export async function runNode(args, { env = process.env, core, traceGc = false } = {}) {
  const start = performance.now();
  const child = spawnOn(
    core,
    process.execPath,
    [...(traceGc ? ["--trace-gc"] : []), "--import", here("report-usage.mjs"), ...args],
    {
      env,
      stdio: ["ignore", "pipe", "inherit", "pipe"],
    },
  );
  const [stdout, usage] = await Promise.all([textOf(child.stdout), textOf(child.stdio[3])]);
  const seconds = (performance.now() - start) / 1000;
  if (usage === "") throw new Error(`${args[0]} ended before it could tell what it used`);
  const { peakRssKib, cpuUs } = JSON.parse(usage);
  return { stdout, seconds, cpuSeconds: cpuUs / 1e6, peakRssMb: (peakRssKib * 1024) / 1e6 };
}

/** Starts a process, on one core where that can be had. */
export function spawnOn(core, command, args, options) {
  return core === undefined || !canPin
    ? spawn(command, args, options)
    : spawn("taskset", ["-c", String(core), command, ...args], options);
}

async function textOf(stream) {
  let all = "";
  for await (const part of stream.setEncoding("utf8")) all += part;
  return all;
}
