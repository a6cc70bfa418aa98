import { rm } from "node:fs/promises";
import { join } from "node:path";
import { inTurn, medianOf, ratioOf, rounded } from "../in-turn.mjs";
import { mapping, runMeasured } from "../run-measured.mjs";
import { startSink } from "../start-sink.mjs";
import { writeRows } from "../write-rows.mjs";

/** Where the shards and the service are, so that more cores do not help more shards. */
const twoCores = "0,1";

/** Imports by 1, 2 and 4 shards beside one run, and the merge. */
export async function measureShards({ folder, input, rows, rounds, env, isQuick }) {
  const sink = await startSink({ core: twoCores });
  const importBy = (from, count) =>
    importByShards({ folder, input: from, url: sink.url, env, count });
  try {
    return [
      ...(await measureSpeed({ input, rows, rounds, importBy })),
      ...(await measureMerge({ folder, rounds, isQuick, importBy })),
    ];
  } finally {
    await sink.stop();
  }
}

async function measureSpeed({ input, rows, rounds, importBy }) {
  const contender = (count) => async () => {
    const start = performance.now();
    const { runs, remove } = await importBy(input, count);
    const seconds = (performance.now() - start) / 1000;
    await remove();
    const done = runs.reduce((sum, { summary }) => sum + summary.succeeded, 0);
    if (done !== rows) throw new Error(`${done} of ${rows} were accepted`);
    const cpuSeconds = runs.reduce((sum, run) => sum + run.cpuSeconds, 0);
    return { rows_per_second: rows / seconds, cpu_us_a_row: (cpuSeconds * 1e6) / rows };
  };
  console.error("Shards, on two cores with their service:");
  const names = { whole: undefined, "1 shard": 1, "2 shards": 2, "4 shards": 4 };
  const sent = await inTurn(
    Object.fromEntries(Object.entries(names).map(([name, count]) => [name, contender(count)])),
    rounds,
  );
  const { whole, ...divided } = sent;
  return Object.entries(divided).flatMap(([name, measured]) => [
    { what: `${name} / one run, rows/s`, ...ratioOf(measured, whole, "rows_per_second") },
    { what: `${name} / one run, CPU time`, ...ratioOf(measured, whole, "cpu_us_a_row") },
  ]);
}

async function measureMerge({ folder, rounds, isQuick, importBy }) {
  const few = isQuick ? 20_000 : 100_000;
  const many = 10 * few;
  const mergeOf = async (rows) => {
    const input = join(folder, `${rows}.csv`);
    await writeRows(input, rows);
    const { files, remove } = await importBy(input, 4);
    const merged = join(folder, "merged.results.csv");
    const measured = [];
    for (let round = 0; round < Math.min(rounds, 3); round++) {
      const args = ["merge", ...files, "--results", merged];
      const { summary, seconds, peakRssMb } = await runMeasured(args, { core: 0 });
      if (summary.succeeded !== rows) throw new Error("not every row is there");
      for (const name of ["results.csv", "run.json"]) await rm(join(folder, `merged.${name}`));
      measured.push({ rows_per_second: rows / seconds, peak_rss_mb: peakRssMb });
      console.error(`  ${rows} rows: ${rounded(rows / seconds)}/s, ${rounded(peakRssMb)} MB`);
    }
    await remove();
    await rm(input);
    return measured;
  };
  console.error("Merging four shards, one core:");
  const [ofFew, ofMany] = [await mergeOf(few), await mergeOf(many)];
  return [
    { what: `merge of ${many} rows, rows/s`, ratio: medianOf(ofMany, "rows_per_second") },
    { what: `merge of ${many} rows, peak RSS in MB`, ratio: medianOf(ofMany, "peak_rss_mb") },
    {
      what: `merge, peak RSS, ${many} rows / ${few} rows`,
      atMost: 1.1,
      ...ratioOf(ofMany, ofFew, "peak_rss_mb"),
    },
  ];
}

/**
 * Imports by some processes at the same time, all on two cores.
 *
 * @param count how many shards; undefined for a run without
 * @returns what each has used, their results, and how to take these away again
 */
async function importByShards({ folder, input, url, env, count }) {
  const indexes = count === undefined ? [0] : Array.from({ length: count }, (_, at) => at + 1);
  const nameOf = (index) => join(folder, `shard-${index}-of-${count}`);
  const runs = await Promise.all(
    indexes.map((index) => {
      const shard = count === undefined ? [] : ["--shard", `${index}/${count}`];
      const to = ["--base-url", url, "--results", `${nameOf(index)}.results.csv`];
      const args = ["import", input, "--mapping", mapping, ...to, ...shard];
      return runMeasured(args, { env, core: twoCores });
    }),
  );
  return {
    runs,
    files: indexes.map((index) => `${nameOf(index)}.results.csv`),
    async remove() {
      for (const index of indexes) {
        for (const name of ["results.csv", "run.json"]) await rm(`${nameOf(index)}.${name}`);
      }
    },
  };
}
