// `npm run bench`: a million rows from the built program into a sandbox in another process.
// Then a part of them with and without the sync of the journal, in turn, as a ratio, what mapping costs
// beside parsing (rows of 36 columns to 20 members, a ratio of times), and a check of large inputs.
//   --rows N        another number of rows
//   --gigabytes N   another size of the large CSV
//   --inputs-only   the large inputs alone
//   --json          one JSON object on standard output instead of the tables
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { compareMapping } from "./mapping.mjs";
import { measureCsv, measureSortedWorkbook, measureWorkbook } from "./measure-inputs.mjs";
import { mapping, program, runMeasured } from "./run-measured.mjs";
import { writeRows } from "./write-rows.mjs";
import { writeWorkbook } from "./write-workbook.mjs";

const { values: options } = parseArgs({
  options: {
    rows: { type: "string", default: "1000000" },
    gigabytes: { type: "string", default: "2" },
    "inputs-only": { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
const rows = Number(options.rows);
const peakRssTargetMb = 200;
const durabilityRounds = 5;
const workbookRows = 300_000;

const env = { ...process.env, EVENTLOAD_TOKEN: "bench" };
let imports = 0;
const folder = await mkdtemp(join(tmpdir(), "eventload-bench-"));
try {
  const figures = options["inputs-only"] ? undefined : await measureImports();
  report(figures, [
    await measureWorkbook(folder, workbookRows),
    await measureSortedWorkbook(folder, workbookRows),
    await measureCsv(folder, Number(options.gigabytes)),
  ]);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function measureImports() {
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
  const workbook = join(folder, "people.xlsx");
  await writeWorkbook(workbook, workbookRows);
  const { peakRssMb } = await measureImport(workbook, url);
  sandbox.kill("SIGTERM");
  await once(sandbox, "exit");
  if (measured.summary.succeeded !== rows) throw new Error("not every row succeeded");
  return {
    ...figuresOf(measured, ratio, await compareMapping(rows)),
    workbook_peak_rss_mb: Math.round(peakRssMb),
  };
}

async function measureImport(input, url, ...more) {
  const results = join(folder, `${imports++}.results.csv`);
  const service = ["--mapping", mapping, "--base-url", url];
  const measured = await runMeasured(
    ["import", input, "--results", results, ...service, ...more],
    env,
  );
  await rm(results);
  return measured;
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

function figuresOf({ summary, peakRssMb }, durabilityRatio, { mappingUs, parsingUs, ratio }) {
  return {
    rows,
    elapsed_ms: summary.elapsed_ms,
    rows_per_second: Math.round(rows / (summary.elapsed_ms / 1000)),
    peak_rss_mb: Math.round(peakRssMb),
    peak_rss_target_mb: peakRssTargetMb,
    with_sync_to_without: Number(durabilityRatio.toFixed(2)),
    mapping_us_a_row: Number(mappingUs.toFixed(1)),
    parsing_us_a_row: Number(parsingUs.toFixed(1)),
    mapping_to_parsing: Number(ratio.toFixed(2)),
    mapping_to_parsing_target: 1,
  };
}

function report(figures, inputs) {
  const machine = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length };
  if (options.json) console.log(JSON.stringify({ ...figures, inputs, ...machine }));
  else {
    console.table({ ...figures, ...machine });
    console.table(inputs);
  }
  if ((figures?.mapping_to_parsing ?? 0) >= 1) {
    console.error("Mapping takes longer than parsing.");
    process.exitCode = 1;
  }
  const imported = [figures?.peak_rss_mb ?? 0, figures?.workbook_peak_rss_mb ?? 0];
  const peaks = [...imported, ...inputs.map(({ peak_rss_mb }) => peak_rss_mb)];
  if (Math.max(...peaks) > peakRssTargetMb) {
    console.error("The peak of memory is over its target.");
    process.exitCode = 1;
  }
}
