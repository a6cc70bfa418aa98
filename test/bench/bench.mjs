// `npm run bench`: what the program costs beside the parts that it is made of, as ratios of one run, each beside its
// target. Contenders go in turn; the service is a process of its own. The whole takes a quarter of an hour.
//   --quick     fewer rows and rounds, under two minutes: send, check, start-up
//   --only A,B  some parts: send, check, start-up, nights, memory
//   --rows N    rows of an import
//   --json      one JSON object on standard output instead of the table
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { rounded } from "./in-turn.mjs";
import { measureChecking } from "./parts/check.mjs";
import { measureMemory } from "./parts/memory.mjs";
import { measureNights } from "./parts/nights.mjs";
import { measureSending } from "./parts/send.mjs";
import { measureStartUp } from "./parts/start-up.mjs";
import { canPin, mapping, runMeasured } from "./run-measured.mjs";
import { writeRows } from "./write-rows.mjs";

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    rows: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const parts = {
  send: measureSending,
  check: measureChecking,
  "start-up": measureStartUp,
  nights: measureNights,
  memory: measureMemory,
};
const quick = ["send", "check", "start-up"];
const chosen = options.only?.split(",") ?? (options.quick ? quick : Object.keys(parts));
const unknown = chosen.filter((name) => !Object.hasOwn(parts, name));
if (unknown.length > 0) throw new Error(`there is no part ${unknown}: ${Object.keys(parts)}`);

const rows = Number(options.rows ?? (options.quick ? 40_000 : 200_000));
const rounds = options.quick ? 3 : 5;
const env = { ...process.env, EVENTLOAD_TOKEN: "bench" };
const folder = await mkdtemp(join(tmpdir(), "eventload-bench-"));
const figures = [];
let imports = 0;
try {
  const input = join(folder, "people.csv");
  await writeRows(input, rows);
  const given = { folder, input, rows, rounds, env, importRows, isQuick: options.quick };
  for (const name of chosen) {
    figures.push(...(await parts[name](given)));
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
report();

/** Imports with everything on, into results that are taken away again. */
async function importRows(input, url, options, more = []) {
  const name = `import-${imports++}`;
  const results = ["--results", join(folder, `${name}.results.csv`)];
  const service = ["--mapping", mapping, "--base-url", url];
  const args = ["import", input, ...service, ...results, ...more];
  const measured = await runMeasured(args, { env, ...options });
  const manifest = JSON.parse(await readFile(join(folder, `${name}.run.json`), "utf8"));
  for (const status of ["results.csv", "run.json"]) await rm(join(folder, `${name}.${status}`));
  return { ...measured, manifest };
}

function report() {
  const judged = figures.map(({ what, ratio, least, most, atLeast, atMost }) => ({
    what,
    ratio: rounded(ratio),
    ...(least === undefined ? {} : { rounds: `${rounded(least)} to ${rounded(most)}` }),
    ...(atLeast === undefined ? {} : { target: `at least ${atLeast}` }),
    ...(atMost === undefined ? {} : { target: `at most ${atMost}` }),
    reached: ratio >= (atLeast ?? ratio) && ratio <= (atMost ?? ratio),
  }));
  const machine = {
    node: process.version,
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    pinned: canPin,
  };
  if (options.json) console.log(JSON.stringify({ ...machine, rows, rounds, figures: judged }));
  else {
    console.table(judged);
    console.table({ ...machine, rows, rounds });
  }
}
