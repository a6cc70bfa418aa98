// `npm run bench:rate`: how much of an unknown limit eventload uses, and how much it has
// refused, beside a fixed number at a time. The service is a process of its own and does the counting.
//   --seconds N        measured for each row of the table (40; a limit that changes does so half way)
//   --quick            a few limits, 20 seconds each
//   --only NAME        one limit; --contender NAME one line of each; both may be given again
//   --bin PATH         another built program, such as dist/cli/bin.js of another checkout
//   --trace            what the service saw in each second
//   --json             one JSON object on standard output instead of the table
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { cpus, loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { rateFigures, rateTable, rateTrace, settlingS } from "../hidden-limits/rate-figures.mjs";
import { contenders, scenariosOf } from "../hidden-limits/scenarios.mjs";
import { writeRows } from "./write-rows.mjs";

const { values: options } = parseArgs({
  options: {
    seconds: { type: "string" },
    quick: { type: "boolean", default: false },
    only: { type: "string", multiple: true },
    contender: { type: "string", multiple: true },
    bin: { type: "string" },
    trace: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
const seconds = Number(options.seconds ?? (options.quick ? 20 : 40));
if (!Number.isInteger(seconds) || seconds <= settlingS) {
  throw new Error(`--seconds has to be a whole number over ${settlingS}`);
}
const quickScenarios = ["tokens-500", "places-5", "load"];
/** More than the fastest limit lets through in a second. */
const rowsPerSecond = 6000;
const longestEndMs = 10_000;

const here = (file) => fileURLToPath(new URL(file, import.meta.url));
const program = options.bin === undefined ? here("../../dist/cli/bin.js") : resolve(options.bin);
const scenarios = chosen(scenariosOf(seconds), options.only ?? (options.quick && quickScenarios));
const senders = chosen(contenders, options.contender);
const children = new Set();
const knowsAdaptive = await mentionsAdaptive();
if (!knowsAdaptive) note("This build has no --no-adaptive: everything is sent without it.");

const folder = await mkdtemp(join(tmpdir(), "eventload-rate-"));
const rows = [];
try {
  const input = join(folder, "people.csv");
  await writeRows(input, Math.ceil(rowsPerSecond * seconds + 20_000));
  for (const scenario of scenarios) {
    for (const contender of senders) {
      note(`${scenario.title}, ${contender.title}: ${seconds} s …`);
      rows.push({ scenario, contender, ...(await measure(scenario, contender, input)) });
    }
  }
} finally {
  for (const child of children) child.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
}
report();

async function measure(scenario, contender, input) {
  const limit = JSON.stringify(scenario.limit);
  const service = start([here("hidden-limits.mjs"), limit], { stdin: "pipe" });
  const lines = createInterface({ input: service.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error("the service has ended");
    return value;
  };
  const url = await nextLine();
  const place = await mkdtemp(join(folder, "run-"));
  const sender = start(
    [
      ...[program, "import", input, "--results", join(place, "results.csv")],
      ...["--mapping", here("people.yaml"), "--base-url", url, "--no-check", "--json", "--quiet"],
      ...["--concurrency", String(contender.concurrency), "--max-attempts", "1000"],
      ...(contender.adaptive || !knowsAdaptive ? [] : ["--no-adaptive"]),
    ],
    { stderr: "pipe" },
  );
  const summary = text(sender.stdout);
  const said = text(sender.stderr);
  const left = once(sender, "exit");
  const first = await Promise.race([nextLine(), left.then(() => undefined)]);
  if (first === undefined) throw new Error(`ended without a request: ${await said}`);

  const enough = new AbortController();
  const hasLeft = await Promise.race([
    sleep(seconds * 1000, false, { signal: enough.signal }).catch(() => true),
    left.then(() => true),
  ]);
  enough.abort();
  service.stdin.write("counts\n");
  const { slices, cpu_ms } = JSON.parse(await nextLine());
  service.stdin.end();
  if (!hasLeft) await end(sender, left);
  const stopped = hasLeft ? endingOf(await summary) : undefined;
  await rm(place, { recursive: true });
  if (options.trace) note(rateTrace(slices));
  const figures = rateFigures(scenario, slices, seconds);
  return { figures, stopped, serviceCpu: cpu_ms / 1000 / seconds };
}

function start(args, { stdin = "ignore", stderr = "inherit" } = {}) {
  const env = { ...process.env, EVENTLOAD_TOKEN: "bench" };
  const child = spawn(process.execPath, args, { env, stdio: [stdin, "pipe", stderr] });
  children.add(child);
  child.on("exit", () => children.delete(child));
  return child;
}

/** Interrupts it, and once more if it has a long way to go. */
async function end(child, left) {
  child.kill("SIGINT");
  if (await leavesWithin(1000, left)) return;
  child.kill("SIGINT");
  if (await leavesWithin(longestEndMs, left)) return;
  child.kill("SIGKILL");
  throw new Error(`did not end within ${longestEndMs / 1000} s of the second interrupt`);
}

function leavesWithin(durationMs, left) {
  return Promise.race([left.then(() => true), sleep(durationMs, false, { ref: false })]);
}

/** Why it ended before its time. */
function endingOf(summary) {
  try {
    return `stopped: ${JSON.parse(summary).exit_reason}`;
  } catch {
    return "stopped without a summary";
  }
}

async function mentionsAdaptive() {
  const help = start([program, "import", "--help"]);
  return (await text(help.stdout)).includes("adaptive");
}

function chosen(all, names) {
  if (!names) return all;
  const strangers = names.filter((name) => !all.some((one) => one.name === name));
  if (strangers.length === 0) return all.filter(({ name }) => names.includes(name));
  const known = all.map(({ name }) => name).join(", ");
  throw new Error(`${strangers.join(", ")} is none of: ${known}`);
}

function note(message) {
  process.stderr.write(`${message}\n`);
}

function report() {
  const about = {
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    // Well over 2, and others had the processor: such figures say little.
    load: Number(loadavg()[0].toFixed(1)),
    seconds,
  };
  if (options.json) {
    const flat = rows.map(({ scenario, contender, figures, stopped, serviceCpu }) => ({
      ...{ limit: scenario.name, contender: contender.name, ...figures, stopped },
      service_cpu: serviceCpu,
    }));
    console.log(JSON.stringify({ ...about, rows: flat }));
    return;
  }
  console.log(rateTable(rows));
  console.log(
    Object.entries(about)
      .map(([name, value]) => `${name} ${value}`)
      .join(", "),
  );
}
