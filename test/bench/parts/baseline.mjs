import { rm } from "node:fs/promises";
import { join } from "node:path";
import { rounded } from "../in-turn.mjs";
import { mapping, runMeasured } from "../run-measured.mjs";
import { startSink } from "../start-sink.mjs";
import { writeRows } from "../write-rows.mjs";

/** Nights of the same export with a baseline each: one row in a hundred is new, and one is gone. */
export async function measureBaseline({ folder, env, isQuick }) {
  const rows = isQuick ? 100_000 : 1_000_000;
  const changed = rows / 100;
  const sink = await startSink();
  const input = join(folder, "nightly.csv");
  const results = (night) => join(folder, `night-${night}.results.csv`);
  const nights = [];
  console.error("Baseline:");
  for (let night = 0; night <= 3; night++) {
    await writeRows(input, rows, night * changed);
    const baseline = night === 0 ? [] : ["--baseline", results(night - 1)];
    const args = ["import", input, "--mapping", mapping, "--base-url", sink.url, ...baseline];
    const measured = await runMeasured([...args, "--results", results(night)], { env });
    const { summary, seconds, cpuSeconds, peakRssMb } = measured;
    const { new_rows: added, gone_keys: gone, unchanged_rows: unchanged } = summary.compared ?? {};
    const isRight = added === changed && gone === changed && unchanged === rows - changed;
    if (night > 0 && !isRight) throw new Error(`night ${night}: ${JSON.stringify(summary)}`);
    console.error(
      `  night ${night}: ${rounded(seconds)} s, ${rounded(cpuSeconds)} s of processor time, ${rounded(peakRssMb)} MB`,
    );
    nights.push(measured);
  }
  const check = await runMeasured(["check", input, "--mapping", mapping], { env });
  console.error(`  check: ${rounded(check.seconds)} s`);
  await sink.stop();
  for (let night = 0; night <= 3; night++) {
    for (const kind of ["results.csv", "gone.csv", "run.json"]) {
      await rm(results(night).replace("results.csv", kind), { force: true });
    }
  }
  const [, first, , third] = nights;
  return [
    {
      what: `a night with a baseline of ${rows} keys / check, processor time`,
      atMost: 6,
      ratio: first.cpuSeconds / check.cpuSeconds,
    },
    {
      what: "the third such night / the first, processor time",
      atMost: 1.15,
      ratio: third.cpuSeconds / first.cpuSeconds,
    },
    { what: `peak RSS of the third, ${rows} keys, MB`, atMost: 250, ratio: third.peakRssMb },
  ];
}
