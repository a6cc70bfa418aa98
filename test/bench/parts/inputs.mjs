import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { mapping, runMeasured } from "../run-measured.mjs";
import { writeRows } from "../write-rows.mjs";
import { writeSortedWorkbook, writeWorkbook } from "../write-workbook.mjs";

const workbookRows = 300_000;
/** A row of the tenth million and beyond has a hundred bytes and more. */
const rowsPerGigabyte = 10_000_000;

/** The peak of memory of a check of large inputs, which must not grow with them. */
export async function measureInputs({ folder, gigabytes }) {
  console.error("Inputs:");
  const inputs = [
    ["workbook", "large.xlsx", writeWorkbook, workbookRows],
    [
      "workbook, rows in another order than its texts",
      "large.xlsx",
      writeSortedWorkbook,
      workbookRows,
    ],
    ["CSV", "large.csv", writeRows, Math.ceil(gigabytes * rowsPerGigabyte)],
  ];
  const figures = [];
  for (const [what, name, write, rows] of inputs) {
    const input = join(folder, name);
    await write(input, rows);
    const { size } = await stat(input);
    const { summary, seconds, peakRssMb } = await runMeasured([
      "check",
      input,
      "--mapping",
      mapping,
    ]);
    if (summary.events !== rows) throw new Error(`${summary.events} events of ${rows} rows`);
    console.error(
      `  ${what}: ${Math.round(rows / seconds)} rows a second, ${Math.round(peakRssMb)} MB`,
    );
    await rm(input);
    const ofInput = `${what} of ${Math.round(size / 1e6)} MB`;
    figures.push({ what: `peak RSS of a check, ${ofInput}, MB`, atMost: 200, ratio: peakRssMb });
  }
  return figures;
}
