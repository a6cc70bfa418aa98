import { basename, dirname, extname, join } from "node:path";
import { openSource } from "../input/open-source.ts";
import type { Source } from "../input/source.ts";
import { cannotStart, InputDamagedError } from "../model/errors.ts";
import { mostRecordBytes, type Reading } from "../model/reading.ts";
import { originalOfSafeCopy, safeCopyColumn } from "../model/results-columns.ts";
import { defuseCell } from "../results/defuse-cell.ts";
import { refuseUnfinished } from "./refuse-unfinished.ts";
import { createSafeCopyFile, type SafeCopyFile } from "./safe-copy-file.ts";

export interface ExportOptions {
  /** Path of a results or failed-rows file. */
  readonly results: string;
  /** Path of the copy; default `people.results.excel.csv` beside `people.results.csv`. */
  readonly output?: string;
  /** How the results are to be read; default by their content. */
  readonly reading?: Reading;
}

/** What was written. */
export interface ExportReport {
  readonly output: string;
  readonly lines: number;
  /** Cells that stand in the copy with an apostrophe. */
  readonly defusedCells: number;
}

/**
 * Writes a copy of results that a spreadsheet program can open without running what looks like a
 * formula or changing digits. It is for people: nothing reads it back in.
 *
 * @throws CannotStartError where there is a file of that name already, or either cannot be used; no
 *   file is left then
 */
export async function exportForSpreadsheet(options: ExportOptions): Promise<ExportReport> {
  const { results } = options;
  await refuseUnfinished(results);
  const output = options.output ?? defaultCopyPath(results);
  const source = await openSource(
    { kind: "file", path: results, name: basename(results) },
    { maxRecordBytes: mostRecordBytes, mayHoldRows: true, ...options.reading },
  );
  try {
    refuseOthers(source);
    const file = await createSafeCopyFile(output);
    try {
      const written = await copy(source, file);
      await file.finish();
      return { output, ...written };
    } catch (error) {
      await file.discard();
      throw error;
    }
  } finally {
    await source.close();
  }
}

/** `people.results.csv` gives `people.results.excel.csv`. */
function defaultCopyPath(results: string): string {
  return join(dirname(results), `${basename(results, extname(results))}.excel.csv`);
}

function refuseOthers({ name, columns }: Source): void {
  const original = originalOfSafeCopy(columns);
  if (original !== undefined) throw cannotStart("safe_copy_as_input", name, original);
  if (columns.includes("import_status")) return;
  throw cannotStart(
    "export_impossible",
    name,
    "it has no column import_status, so it is no results file",
  );
}

async function copy(source: Source, file: SafeCopyFile) {
  const { name, columns } = source;
  let lines = 0;
  let defusedCells = 0;
  const defuse = (cell: string) => {
    const safe = defuseCell(cell);
    if (safe !== cell) defusedCells++;
    return safe;
  };
  const header = columns.map((column) =>
    column === "import_status" ? safeCopyColumn(name) : defuseCell(column),
  );
  await file.append([header]);
  try {
    for await (const rows of source.batches) {
      const ragged = rows.find(({ problem }) => problem !== undefined);
      if (ragged?.problem !== undefined) {
        const { line, problem } = ragged;
        throw cannotStart(
          "export_impossible",
          name,
          `line ${line} ${problem.message}; mend it first`,
        );
      }
      lines += rows.length;
      await file.append(rows.map(({ cells }) => cells.map(defuse)));
    }
  } catch (error) {
    if (!(error instanceof InputDamagedError)) throw error;
    throw cannotStart("export_impossible", name, error.message.replace(/\.$/, ""));
  }
  return { lines, defusedCells };
}
