// `npm run bench`: a million rows from the built program into a sandbox in another process.
// Then a part of them with and without the sync of the journal, in turn, as a ratio.
// Last, what mapping costs beside parsing: rows of 36 columns to 20 members, as a ratio of times.
//   --rows N   another number of rows
//   --json     one JSON object on standard output instead of the table
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { compareMapping } from "./mapping.mjs";
import { writeRows } from "./write-rows.mjs";

const { values: options } = parseArgs({
  options: {
    rows: { type: "string", default: "1000000" },
    json: { type: "boolean", default: false },
  },
});
const rows = Number(options.rows);
const peakRssTargetMb = 200;
const durabilityRounds = 5;

const here = (file) => fileURLToPath(new URL(file, import.meta.url));
const program = here("../../dist/cli/bin.js");
const env = { ...process.env, EVENTLOAD_TOKEN: "bench" };
let imports = 0;
const folder = await mkdtemp(join(tmpdir(), "eventload-bench-"));
try {
  const input = join(folder, "people.csv");
  await writeRows(input, rows);
  const sandbox = spawn(process.execPath, [program, "sandbox"], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [url] = await once(createInterface({ input: sandbox.stdout }), "line");
  const measured = await measureImport(input, url);
  const part = join(folder, "part.csv");
  await writeRows(part, Math.ceil(rows / 10));
  const ratio = await compareDurability(part, url);
  sandbox.kill("SIGTERM");
  await once(sandbox, "exit");
  report(measured, ratio, await compareMapping(rows));
  if (measured.summary.succeeded !== rows) throw new Error("not every row succeeded");
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function measureImport(input, url, ...more) {
  const results = join(folder, `${imports++}.results.csv`);
  const child = spawn(
    process.execPath,
    [
      ...["--import", here("report-memory.mjs"), program, "import", input, "--results", results],
      ...["--mapping", here("people.yaml"), "--base-url", url, "--json", "--quiet", ...more],
    ],
    { env, stdio: ["ignore", "pipe", "inherit", "pipe"] },
  );
  const [stdout, memory] = await Promise.all([text(child.stdout), text(child.stdio[3])]);
  await rm(results);
  return { summary: JSON.parse(stdout), peakRssMb: (JSON.parse(memory).peakRssKib * 1024) / 1e6 };
}

/** Rows a second with the sync, as a share of those without: medians of rounds in turn. */
async function compareDurability(input, url) {
  const elapsed = { power: [], process: [] };
  for (let round = 0; round < durabilityRounds; round++) {
    for (const durability of ["power", "process"]) {
      const { summary } = await measureImport(input, url, "--durability", durability);
      elapsed[durability].push(summary.elapsed_ms);
    }
  }
  return median(elapsed.process) / median(elapsed.power);
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}

async function text(stream) {
  let all = "";
  for await (const part of stream.setEncoding("utf8")) all += part;
  return all;
}

function report({ summary, peakRssMb }, durabilityRatio, mapping) {
  const figures = {
    rows,
    elapsed_ms: summary.elapsed_ms,
    rows_per_second: Math.round(rows / (summary.elapsed_ms / 1000)),
    peak_rss_mb: Math.round(peakRssMb),
    peak_rss_target_mb: peakRssTargetMb,
    with_sync_to_without: Number(durabilityRatio.toFixed(2)),
    mapping_us_a_row: Number(mapping.mappingUs.toFixed(1)),
    parsing_us_a_row: Number(mapping.parsingUs.toFixed(1)),
    mapping_to_parsing: Number(mapping.ratio.toFixed(2)),
    mapping_to_parsing_target: 1,
    node: process.version,
    cpu: cpus()[0]?.model,
    cores: cpus().length,
  };
  if (options.json) console.log(JSON.stringify(figures));
  else console.table(figures);
  if (mapping.ratio >= 1) {
    console.error("Mapping takes longer than parsing.");
    process.exitCode = 1;
  }
  if (peakRssMb > peakRssTargetMb) {
    console.error("The peak of memory is over its target.");
    process.exitCode = 1;
  }
}
