import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inTurn, medianOf, ratioOf, rounded } from "../in-turn.mjs";
import { mapping, runMeasured } from "../run-measured.mjs";
import { startSink } from "../start-sink.mjs";
import { writeRows } from "../write-rows.mjs";

/** Where the shards and the service are, so that more cores do not help more shards. */
const twoCores = "0,1";

/** Imports by 1, 2 and 4 shards beside one run; what a shard pays for reading; and the merge. */
export async function measureShards({ folder, input, rows, rounds, env, isQuick }) {
  const sink = await startSink({ core: twoCores });
  const importBy = (from, count) =>
    importByShards({ folder, input: from, url: sink.url, env, count });
  try {
    return [
      ...(await measureSpeed({ input, rows, rounds, importBy })),
      ...(await measureReading({ folder, rounds, isQuick, env, url: sink.url })),
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

/** So many that one of them does hardly more than read. */
const manyShards = 10_000;

/** What a shard pays for the rows of the others: a check of the input, and an import, with its check and without. */
async function measureReading({ folder, rounds, isQuick, env, url }) {
  const rows = isQuick ? 400_000 : 1_000_000;
  const [input, oneRow] = [join(folder, "read.csv"), join(folder, "one-row.csv")];
  await Promise.all([writeRows(input, rows), writeRows(oneRow, 1)]);
  const inTurnMapping = join(folder, "in-turn.yaml");
  const withoutKey = (await readFile(mapping, "utf8")).replace(/^ordering_key.*\n/m, "");
  await writeFile(inTurnMapping, withoutKey);
  const one = ["--shard", `1/${manyShards}`];
  const results = join(folder, "reading.results.csv");
  const figures = [];
  for (const { name, file } of [
    { name: "by ordering key", file: mapping },
    { name: "in turn", file: inTurnMapping },
  ]) {
    const costOf = async (args) => {
      const { cpuSeconds } = await runMeasured([...args, "--mapping", file], { env, core: 0 });
      return { cpu_us_a_row: (cpuSeconds * 1e6) / rows };
    };
    const importOf = async (from, ...more) => {
      const cost = await costOf(["import", from, "--base-url", url, "--results", results, ...more]);
      for (const status of ["results.csv", "run.json"]) await rm(join(folder, `reading.${status}`));
      return cost;
    };
    console.error(`Reading, rows divided ${name}, one core:`);
    const { whole, quarter, reading, unchecked, start } = await inTurn(
      {
        whole: () => costOf(["check", input]),
        quarter: () => costOf(["check", input, "--shard", "1/4"]),
        reading: () => importOf(input, ...one),
        unchecked: () => importOf(input, ...one, "--no-check"),
        start: () => importOf(oneRow),
      },
      Math.min(rounds, 3),
    );
    const microseconds = (of) => ({
      ratio: medianOf(of, "cpu_us_a_row") - medianOf(start, "cpu_us_a_row"),
    });
    figures.push(
      { what: `check of 1/4 / of the whole, ${name}`, ...ratioOf(quarter, whole, "cpu_us_a_row") },
      { what: `import of other shards' rows, µs each, ${name}`, ...microseconds(reading) },
      { what: `the same with --no-check, ${name}`, ...microseconds(unchecked) },
    );
  }
  await Promise.all([rm(input), rm(oneRow)]);
  return figures;
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
