import { rm } from "node:fs/promises";
import { join } from "node:path";
import { rounded } from "../in-turn.mjs";
import { mapping, runMeasured } from "../run-measured.mjs";
import { startSink } from "../start-sink.mjs";
import { writeRows } from "../write-rows.mjs";
import { writeWorkbook } from "../write-workbook.mjs";

/** The peak of memory of an import of many rows and of ten times as many, and of a check of a workbook. */
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
  const workbook = join(folder, "large.xlsx");
  await writeWorkbook(workbook, rows);
  const checked = await runMeasured(["check", workbook, "--mapping", mapping]);
  await rm(workbook);
  return [
    { what: `peak RSS, ${10 * rows} rows / ${rows} rows`, atMost: 1.1, ratio: many / few },
    { what: `peak RSS of ${10 * rows} rows, MB`, atMost: 200, ratio: many },
    { what: `peak RSS, workbook of ${rows} rows, MB`, atMost: 200, ratio: checked.peakRssMb },
  ];
}
