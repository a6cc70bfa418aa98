import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inTurn, leastOf } from "../in-turn.mjs";
import { allocatedBytes, runNode } from "../run-measured.mjs";
import { startSink } from "../start-sink.mjs";

const contender = (name) => fileURLToPath(new URL(`../contenders/${name}.mjs`, import.meta.url));
const connections = 32;

/**
 * Everything on but the check, beside the HTTP client alone and a sketch: the least processor time a row of all rounds,
 * and what is allocated for a row.
 */
export async function measureSending({ folder, rows, input, importRows, rounds }) {
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
    const least = (name) => leastOf(sent[name], "cpu_us_a_row");
    const isOne = core !== undefined;
    figures.push({
      what: `bare undici loop / eventload, ${cores}, processor time`,
      ratio: least("undici") / least("eventload"),
      ...(isOne ? { atLeast: 0.42 } : {}),
    });
    figures.push({
      what: `sketch / eventload, ${cores}, processor time`,
      ratio: least("sketch") / least("eventload"),
      ...(isOne ? { atLeast: 0.68 } : {}),
    });
    if (isOne) {
      const { stdout } = await importRows(input, sink.url, { core, traceGc: true }, ["--no-check"]);
      figures.push({
        what: "allocated for a row, KB",
        ratio: allocatedBytes(stdout) / rows / 1000,
        atMost: 14,
      });
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
