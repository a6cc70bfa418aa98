import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const here = (file) => fileURLToPath(new URL(file, import.meta.url));

export const program = here("../../dist/cli/bin.js");
export const mapping = here("people.yaml");

/** Runs the built program with `--json`: what it says on standard output, and its peak memory. */
export async function runMeasured(args, env = process.env) {
  const child = spawn(
    process.execPath,
    ["--import", here("report-memory.mjs"), program, ...args, "--json", "--quiet"],
    { env, stdio: ["ignore", "pipe", "inherit", "pipe"] },
  );
  const [stdout, memory] = await Promise.all([text(child.stdout), text(child.stdio[3])]);
  return { summary: JSON.parse(stdout), peakRssMb: (JSON.parse(memory).peakRssKib * 1024) / 1e6 };
}

async function text(stream) {
  let all = "";
  for await (const part of stream.setEncoding("utf8")) all += part;
  return all;
}
