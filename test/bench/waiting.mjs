// `npm run bench:waiting`: rows a second where 1 % of the events wait 20 s for their next attempt, as
// a share of those where none does. The service is in another process and answers 1 % of the events
// with 500 once; what makes them wait 20 s is told in `waiting-run.mjs`. With and without in turn, and
// measured at the service until the last first attempt: what still waits then is the tail.
//   --rows N     rows of an import (default: 200,000)
//   --rate N     attempts a second at most (default: 5,000; 0: no cap)
//   --rounds N   of each (default: 2)
//   --json       one JSON object on standard output instead of the table
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { writeRows } from "./write-rows.mjs";

const { values: options } = parseArgs({
  options: {
    rows: { type: "string", default: "200000" },
    rate: { type: "string", default: "5000" },
    rounds: { type: "string", default: "2" },
    json: { type: "boolean", default: false },
  },
});
const rows = Number(options.rows);
const targetRatio = 0.95;

const here = (file) => fileURLToPath(new URL(file, import.meta.url));
const folder = await mkdtemp(join(tmpdir(), "eventload-waiting-"));
try {
  const input = join(folder, "people.csv");
  await writeRows(input, rows);
  const measured = [];
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const percent of [0, 1]) measured.push(await measure(input, percent, measured.length));
  }
  report(measured);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function measure(input, percent, number) {
  const service = start("waiting-service.mjs", [String(percent)]);
  const [url] = await once(createInterface({ input: service.stdout }), "line");
  const results = join(folder, `${number}.results.csv`);
  const run = start("waiting-run.mjs", [input, here("people.yaml"), url, results, options.rate]);
  const told = JSON.parse(await text(run.stdout));
  const { firstAttempts, forMs } = await (await fetch(`${url}/figures`)).json();
  service.kill("SIGTERM");
  await once(service, "exit");
  await rm(results);
  if (told.succeeded !== rows || firstAttempts !== rows) throw new Error("not every row succeeded");
  return {
    waiting_percent: percent,
    waits: told.waits,
    rows_per_second: Math.round(rows / (forMs / 1000)),
    most_pending: told.mostPending,
    peak_journal_mb: told.peakJournalMb,
    peak_rss_mb: told.peakRssMb,
    cpu_us_per_row: Math.round((told.cpuMs * 1000) / rows),
  };
}

function start(file, args) {
  return spawn(process.execPath, [here(file), ...args], { stdio: ["ignore", "pipe", "inherit"] });
}

async function text(stream) {
  let all = "";
  for await (const part of stream.setEncoding("utf8")) all += part;
  return all;
}

function report(measured) {
  const speed = (percent) => {
    const chosen = measured.filter(({ waiting_percent }) => waiting_percent === percent);
    return chosen.reduce((sum, { rows_per_second }) => sum + rows_per_second, 0) / chosen.length;
  };
  const ratio = Number((speed(1) / speed(0)).toFixed(3));
  const figures = {
    ...{ rows, rate: Number(options.rate), ratio, target_ratio: targetRatio },
    ...{ node: process.version, cpu: cpus()[0]?.model, cores: cpus().length },
  };
  if (options.json) console.log(JSON.stringify({ ...figures, runs: measured }));
  else {
    console.table(measured);
    console.table(figures);
  }
  if (ratio < targetRatio) {
    console.error("The rows a second are below their target.");
    process.exitCode = 1;
  }
}
