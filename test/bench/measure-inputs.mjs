import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { mapping, runMeasured } from "./run-measured.mjs";
import { writeRows } from "./write-rows.mjs";
import { writeSortedWorkbook, writeWorkbook } from "./write-workbook.mjs";

// Each figure is told on standard error as soon as it is known: the whole takes minutes.

/** A row of the tenth million and beyond has a hundred bytes and more. */
const rowsPerGigabyte = 10_000_000;

/** Checks a CSV of so many gigabytes: its figures, and memory that must not grow with it. */
export async function measureCsv(folder, gigabytes) {
  const rows = Math.ceil(gigabytes * rowsPerGigabyte);
  const input = join(folder, "large.csv");
  return measureWritten("CSV", writeRows, input, rows);
}

/** Checks an .xlsx of so many rows. */
export function measureWorkbook(folder, rows) {
  return measureWritten("workbook", writeWorkbook, join(folder, "large.xlsx"), rows);
}

/** Checks one whose rows are in another order than its texts. */
export function measureSortedWorkbook(folder, rows) {
  const input = join(folder, "large.xlsx");
  return measureWritten("workbook, sorted", writeSortedWorkbook, input, rows);
}

async function measureWritten(name, write, input, rows) {
  const start = performance.now();
  await write(input, rows);
  const seconds = (performance.now() - start) / 1000;
  console.error(`${name}: ${rows} rows written in ${seconds.toFixed(1)} s`);
  const figures = await measureCheck(name, input, rows);
  console.error(`${name}: ${JSON.stringify(figures)}`);
  await rm(input);
  return figures;
}

async function measureCheck(name, input, rows) {
  const { size } = await stat(input);
  const start = performance.now();
  const { summary, peakRssMb } = await runMeasured(["check", input, "--mapping", mapping]);
  const seconds = (performance.now() - start) / 1000;
  if (summary.events !== rows) throw new Error(`${summary.events} events of ${rows} rows`);
  return {
    input: name,
    megabytes: Math.round(size / 1e6),
    rows,
    seconds: Number(seconds.toFixed(1)),
    rows_per_second: Math.round(rows / seconds),
    peak_rss_mb: Math.round(peakRssMb),
  };
}
