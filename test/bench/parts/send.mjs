import { once } from "node:events";
import { createReadStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { inTurn, medianOf, ratioOf } from "../in-turn.mjs";
import { runNode, spawnOn } from "../run-measured.mjs";
import { startSink } from "../start-sink.mjs";

const contender = (name) => fileURLToPath(new URL(`../contenders/${name}.mjs`, import.meta.url));
const connections = 32;

/** Everything on but the check, beside the HTTP client alone, a sketch and what else one would use; rows a second. */
export async function measureSending({ folder, rows, input, importRows, rounds }) {
  const few = Math.ceil(rows / 10);
  const figures = [];
  for (const { cores, core, sinkCore } of [
    { cores: "one core", core: 0, sinkCore: 1 },
    { cores: "two cores", core: undefined, sinkCore: undefined },
  ]) {
    const sink = await startSink({ core: sinkCore });
    const undici = async () => {
      const args = [contender("bare-undici"), sink.url, String(rows), String(connections)];
      const measured = await runNode(args, { core });
      return perRow(rows, Number(measured.stdout), measured);
    };
    const eventload = async () => {
      const measured = await importRows(input, sink.url, { core }, ["--no-check"]);
      return perRow(rows, measured.summary.succeeded, measured);
    };
    const sketch = async () => {
      const output = join(folder, "sketch.csv");
      const args = [contender("sketch"), input, output, sink.url, String(connections)];
      const measured = await runNode(args, { core });
      return perRow(rows, Number(measured.stdout), measured);
    };
    console.error(`Sending, ${cores}:`);
    const sent = await inTurn({ eventload, undici, sketch }, rounds);
    figures.push({
      what: `eventload / bare undici loop, ${cores}`,
      ...(core === undefined ? {} : { atLeast: 0.5 }),
      ...ratioOf(sent.eventload, sent.undici, "rows_per_second"),
    });
    figures.push({
      what: `eventload / sketch, ${cores}`,
      ...(core === undefined ? {} : { atLeast: 0.78 }),
      ...ratioOf(sent.eventload, sent.sketch, "rows_per_second"),
    });
    if (core === 0) {
      const others = await measureOthers({ folder, input, few, sink, core, rounds });
      for (const { name, atLeast, rowsPerSecond } of others) {
        const ratio = medianOf(sent.eventload, "rows_per_second") / rowsPerSecond;
        figures.push({ what: `eventload / ${name}`, atLeast, ratio });
      }
    }
    await sink.stop();
  }
  return figures;
}

function perRow(rows, done, { seconds, cpuSeconds, peakRssMb }) {
  if (done !== rows) throw new Error(`${done} of ${rows} were accepted`);
  return {
    rows_per_second: rows / seconds,
    cpu_us_a_row: (cpuSeconds * 1e6) / rows,
    peak_rss_mb: peakRssMb,
  };
}

/** Those that are many times slower, or faster, are measured after the turns. */
async function measureOthers({ folder, input, few, sink, core, rounds }) {
  const part = join(folder, "few.csv");
  await takeLines(input, part, few + 1);
  const contenders = {
    "afternoon script": async () => {
      const output = join(folder, "afternoon.csv");
      const args = [contender("afternoon-script"), part, sink.url, String(connections), output];
      const measured = await runNode(args, { core });
      return perRow(few, Number(measured.stdout), measured);
    },
    "curl --parallel": await curl(folder, few, sink.url, core),
  };
  const here = Object.entries(contenders).filter(([, run]) => run !== undefined);
  const measured = await inTurn(Object.fromEntries(here), Math.min(rounds, 3));
  const atLeast = { "afternoon script": 8, "curl --parallel": 1.25 };
  return here.map(([name]) => ({
    name,
    atLeast: atLeast[name],
    rowsPerSecond: medianOf(measured[name], "rows_per_second"),
  }));
}

async function takeLines(from, to, count) {
  const lines = [];
  for await (const line of createInterface({ input: createReadStream(from) })) {
    if (lines.push(line) === count) break;
  }
  await writeFile(to, `${lines.join("\n")}\n`);
}

const body =
  '{"event":"contact.imported","id":"123456","first_name":"Anna123","last_name":"Lovelace, Ada","email":"anna.123456@example.com","phone":"+49 30 1123456","address":{"city":"Berlin","zip":"23456"},"signed_up_on":"2024-05-16"}';

async function curl(folder, requests, url, core) {
  if (!(await isThere("curl"))) return undefined;
  const list = join(folder, "curl.txt");
  const one = [
    `url = "${url}/v1/contacts/events"`,
    'header = "authorization: Bearer bench"',
    'header = "content-type: application/json"',
    `data = "${body.replaceAll('"', '\\"')}"`,
    'output = "/dev/null"',
  ].join("\n");
  await writeFile(list, Array(requests).fill(one).join("\nnext\n"));
  return async () => {
    const start = performance.now();
    const args = [
      "--silent",
      "--parallel",
      "--parallel-max",
      String(connections),
      "--config",
      list,
    ];
    const [status] = await once(spawnOn(core, "curl", args, { stdio: "ignore" }), "exit");
    if (status !== 0) throw new Error(`curl ended with ${status}`);
    return { rows_per_second: requests / ((performance.now() - start) / 1000) };
  };
}

async function isThere(command) {
  const child = spawnOn(undefined, "sh", ["-c", `command -v ${command}`], { stdio: "ignore" });
  const [status] = await once(child, "exit");
  if (status !== 0) console.error(`  ${command} is not installed, and is left out`);
  return status === 0;
}
