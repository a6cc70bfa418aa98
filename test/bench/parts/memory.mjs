import { rm } from "node:fs/promises";
import { join } from "node:path";
import { rounded } from "../in-turn.mjs";
import { startSink } from "../start-sink.mjs";
import { writeRows } from "../write-rows.mjs";

/** The peak of memory of an import of many rows, and of ten times as many. */
export async function measureMemory({ folder, importRows, isQuick }) {
  const rows = isQuick ? 50_000 : 500_000;
  const sink = await startSink();
  const peakOf = async (count) => {
    const input = join(folder, `${count}.csv`);
    await writeRows(input, count);
    const { peakRssMb, summary } = await importRows(input, sink.url, {});
    if (summary.succeeded !== count) throw new Error("not every row succeeded");
    await rm(input);
    console.error(`  ${count} rows: ${rounded(peakRssMb)} MB`);
    return peakRssMb;
  };
  console.error("Memory:");
  const few = await peakOf(rows);
  const many = await peakOf(10 * rows);
  await sink.stop();
  return [
    { what: `peak RSS, ${10 * rows} rows / ${rows} rows`, atMost: 1.1, ratio: many / few },
    { what: `peak RSS of ${10 * rows} rows, MB`, atMost: 200, ratio: many },
  ];
}
