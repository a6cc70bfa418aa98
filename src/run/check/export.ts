import { basename, dirname, extname, join } from "node:path";
import { openSource } from "../../input/open-source.ts";
import type { Source } from "../../input/source.ts";
import { createAtomicFile } from "../../model/disk/atomic-file.ts";
import { createTextBuffer } from "../../model/disk/disk.ts";
import { isFileAt } from "../../model/disk/exists.ts";
import { CannotStartError, cannotStart, InputDamagedError, reasonOf } from "../../model/errors.ts";
import { type Reading, recordBytesLimit } from "../../model/reading.ts";
import { originalOfSafeCopy, safeCopyColumn } from "../../model/results-columns.ts";
import { toQuotedCsv } from "../../results/to-csv.ts";

export interface ExportOptions {
  /** Path of a results or failed-rows file. */
  readonly results: string;
  /** Path of the copy; default `people.results.excel.csv` beside `people.results.csv`. */
  readonly output?: string;
  /** How to read the results; default detected from their content. */
  readonly reading?: Reading;
}

/** What was written. */
export interface ExportReport {
  readonly output: string;
  readonly lines: number;
  /** Cells that got an apostrophe in the copy. */
  readonly defusedCells: number;
}

/**
 * Writes a copy of results that a spreadsheet program can open without running what looks like a
 * formula or changing digits. It is for people: nothing reads it back in.
 *
 * @throws CannotStartError if there is a file of that name already, or either cannot be used; no
 *   file is left then
 */
export async function exportForSpreadsheet(options: ExportOptions): Promise<ExportReport> {
  const { results } = options;
  // `people.results.csv` gives `people.results.excel.csv`.
  const usual = `${basename(results, extname(results))}.excel.csv`;
  const output = options.output ?? join(dirname(results), usual);
  const name = basename(results);
  const reading = { maxRecordBytes: 4 * recordBytesLimit, rowsInCells: true, ...options.reading };
  const source = await openSource({ kind: "file", path: results, name }, reading);
  try {
    const original = originalOfSafeCopy(source.columns);
    if (original !== undefined) throw cannotStart("safe_copy_as_input", name, original);
    if (!source.columns.includes("import_status")) {
      const why = "it has no column import_status, so it is not a results file";
      throw cannotStart("export_impossible", name, why);
    }
    return { output, ...(await writeSafeCopy(source, output)) };
  } finally {
    await source.close();
  }
}

/** Excel recognises UTF-8 by it. */
const byteOrderMark = "\ufeff";

/** Writes the copy, which has its name only when it is whole. */
async function writeSafeCopy({ name, columns, batches }: Source, output: string) {
  const refuse = (why: string) => cannotStart("export_impossible", name, why);
  const toBytes = createTextBuffer();
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
  let discard = async () => {};
  try {
    const refuseOther = async () => {
      if (await isFileAt(output)) throw cannotStart("output_exists", output, "--output");
    };
    await refuseOther();
    const file = await createAtomicFile(output);
    discard = file.discard;
    // All cells are quoted, so that where a cell begins does not depend on the delimiter.
    await file.handle.writeFile(byteOrderMark + toQuotedCsv([header]));
    for await (const rows of batches) {
      for (const { line, problem } of rows) {
        if (problem !== undefined) throw refuse(`line ${line} ${problem.message}; fix it first`);
      }
      lines += rows.length;
      const text = toQuotedCsv(rows.map(({ cells }) => cells.map(defuse)));
      await file.handle.writeFile(toBytes(text));
    }
    await refuseOther();
    await file.finish();
    return { lines, defusedCells };
  } catch (error) {
    await discard();
    if (error instanceof CannotStartError) throw error;
    if (error instanceof InputDamagedError) throw refuse(error.message.replace(/\.$/, ""));
    throw cannotStart("output_not_writable", output, reasonOf(error));
  }
}

/**
 * A cell as a spreadsheet program can show it without running or changing it: an apostrophe goes
 * before what begins like a formula, and before digits that would be shown as another number.
 *
 * The signs are those of OWASP's "CSV Injection" and ASVS 5.0, 1.2.10. As that page says, it is not
 * enough to check the beginning of a cell: a program that assumes another delimiter begins a new
 * one after each semicolon, so text after a delimiter or a line break inside a cell is treated the
 * same way.
 */
export function defuseCell(cell: string): string {
  if (bendable.test(cell)) return `'${cell}`;
  return mayBeDangerous.test(cell) ? cell.replaceAll(formulaStart, "'") : cell;
}

/** Leading zeros, more digits than a column shows, or an exponent. */
const bendable = /^\s*(?:0\d+|\d{12,}|\d+(?:[.,]\d+)?e\d+)\s*$/i;

/** Spares most cells the search, as they hold none of the signs. */
const mayBeDangerous = /[=+\-@\t\r\0＝＋－＠]/;

/**
 * Any kind of space, even invisible, may precede the sign. It is one class: if a character were in two of
 * them, each would double the ways to match it.
 */
const formulaStart = /(?<=^|[,;|\t\r\n])(?=(?:(?![\t\r\n])[\s\p{Cf}"])*[=+\-@\t\r\0＝＋－＠])/gu;
