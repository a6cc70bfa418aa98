// Breaks the sources on purpose, one change at a time in a copy, and says whether the tests notice.
//   node test/mutation/mutate.mjs [PART_OF_A_NAME]
// A change that no longer applies is an error: whoever rewrote the code says what breaks it now.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { mutations } from "./mutations.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const copied = ["src", "test", "fixtures", "examples", "docs", "build", "dist"];
const files = ["package.json", "tsconfig.json", "vitest.config.ts", "README.md"];
/** A break may make a test wait forever. */
const longestMs = 120_000;
const [part = ""] = process.argv.slice(2);

const chosen = mutations.filter(({ what, file }) => `${file}: ${what}`.includes(part));
const outdated = chosen.filter(({ file, from }) => timesIn(file, from) !== 1);
for (const { what, file, from } of outdated) {
  console.log(`does not apply: ${file}: ${what}: "${from}" is there ${timesIn(file, from)} times`);
}

const begun = performance.now();
const folder = mkdtempSync(join(tmpdir(), "eventload-mutation-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));

const waiting = chosen.filter((one) => !outdated.includes(one));
const survived = [];
let noticed = 0;
await Promise.all(
  Array.from({ length: Math.min(availableParallelism(), waiting.length) }, async (_, worker) => {
    const copy = makeCopy(String(worker));
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await judge(copy, next);
    }
  }),
);
const seconds = Math.round((performance.now() - begun) / 1000);
console.log(`${noticed} noticed, ${survived.length} survived, in ${seconds} s`);
for (const { what, file } of survived) console.log(`  survived: ${file}: ${what}`);
if (survived.length > 0 || outdated.length > 0) process.exitCode = 1;

async function judge(copy, mutation) {
  const { what, file, from, to, tests } = mutation;
  const path = join(copy, file);
  const sound = readFileSync(path, "utf8");
  writeFileSync(
    path,
    sound.replace(from, () => to),
  );
  const { status, output, ms } = await runTests(copy, tests);
  writeFileSync(path, sound);
  // Tests that did not run have noticed nothing.
  if (status !== 0 && !/ (failed|Errors? )/.test(output)) {
    throw new Error(`the tests do not run with "${what}":\n${output}`);
  }
  const by = /FAIL\s+(.*)/.exec(output)?.[1] ?? (status === null ? "taking too long" : "an error");
  if (status === 0) survived.push(mutation);
  else noticed++;
  const result = status === 0 ? "SURVIVED" : `noticed by ${by}`;
  console.log(`${file}: ${what}: ${result} (${(ms / 1000).toFixed(1)} s)`);
}

async function runTests(copy, tests) {
  const startedMs = performance.now();
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const args = [vitest, "run", "--bail=1", "--maxWorkers=1", "--reporter=default", ...tests];
  const child = spawn(process.execPath, args, {
    cwd: copy,
    env: { ...process.env, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  }
  const timer = setTimeout(() => child.kill("SIGKILL"), longestMs);
  const [status] = await once(child, "close");
  clearTimeout(timer);
  if (status === null) output += " failed: killed";
  return { status, output, ms: performance.now() - startedMs };
}

function makeCopy(name) {
  const copy = join(folder, name);
  for (const one of copied) cpSync(join(root, one), join(copy, one), { recursive: true });
  for (const one of files) cpSync(join(root, one), join(copy, one));
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  return copy;
}

function timesIn(file, text) {
  try {
    return readFileSync(join(root, file), "utf8").split(text).length - 1;
  } catch {
    return 0;
  }
}
