// `npm run bench`: a million rows from the built program into a sandbox in another process.
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
import { writeRows } from "./write-rows.mjs";

const { values: options } = parseArgs({
  options: {
    rows: { type: "string", default: "1000000" },
    json: { type: "boolean", default: false },
  },
});
const rows = Number(options.rows);
const peakRssTargetMib = 200;

const here = (file) => fileURLToPath(new URL(file, import.meta.url));
const program = here("../../dist/cli/bin.js");
const env = { ...process.env, EVENTLOAD_TOKEN: "bench" };
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
  sandbox.kill("SIGTERM");
  await once(sandbox, "exit");
  report(measured);
  if (measured.summary.succeeded !== rows) throw new Error("not every row succeeded");
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function measureImport(input, url) {
  const child = spawn(
    process.execPath,
    [
      ...["--import", here("report-memory.mjs"), program, "import", input],
      ...["--mapping", here("people.yaml"), "--base-url", url, "--json", "--quiet"],
    ],
    { env, stdio: ["ignore", "pipe", "inherit", "pipe"] },
  );
  const [stdout, memory] = await Promise.all([text(child.stdout), text(child.stdio[3])]);
  return { summary: JSON.parse(stdout), peakRssMib: JSON.parse(memory).peakRssKib / 1024 };
}

async function text(stream) {
  let all = "";
  for await (const part of stream.setEncoding("utf8")) all += part;
  return all;
}

function report({ summary, peakRssMib }) {
  const rowsPerSecond = Math.round(rows / (summary.elapsed_ms / 1000));
  const figures = {
    rows,
    elapsed_ms: summary.elapsed_ms,
    rows_per_second: rowsPerSecond,
    peak_rss_mib: Math.round(peakRssMib),
    peak_rss_target_mib: peakRssTargetMib,
    node: process.version,
    cpu: cpus()[0]?.model,
    cores: cpus().length,
  };
  if (options.json) console.log(JSON.stringify(figures));
  else console.table(figures);
}
