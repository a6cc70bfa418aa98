import { basename, dirname, extname, join } from "node:path";
import { openSource } from "../../input/open-source.ts";
import type { Source } from "../../input/source.ts";
import { createAtomicFile } from "../../model/disk/atomic-file.ts";
import { isFileAt } from "../../model/disk/exists.ts";
import { CannotStartError, cannotStart, InputDamagedError, reasonOf } from "../../model/errors.ts";
import { grouped } from "../../model/quantities.ts";
import { type Reading, usualRecordBytes } from "../../model/reading.ts";
import { isResultsColumn } from "../../model/results-columns.ts";
import { quote, type Row } from "../../model/row.ts";
import { refusedColumn } from "../../report/failed-rows.ts";
import { sheetLimits, type WrittenRow, writeWorkbook } from "../../results/write-workbook.ts";
import { columnOfMember } from "../send/column-of-member.ts";
import { readAccount } from "./read-account.ts";

export interface ExportOptions {
  /** Path of failed rows, results, or another CSV file of an account. */
  readonly results: string;
  /** Path of the workbook; default `people.failed.xlsx` beside `people.failed.csv`, or `people.failed-2.xlsx` and so on. */
  readonly output?: string;
  /** How to read the file; default detected from its content. */
  readonly reading?: Reading;
}

export interface ExportReport {
  readonly output: string;
  readonly lines: number;
  /** Lines of which a cell is marked, as it is probably why they did not succeed. */
  readonly marked: number;
}

/**
 * Writes failed rows or results as a workbook that a spreadsheet program does not rewrite: every cell is text, but for
 * the number of the row, by which it can be sorted. People's columns come first, then status and reason; `retry` takes it back.
 *
 * @throws CannotStartError if there is a file of that name already, or either cannot be used; no
 *   file is left then
 */
export async function exportForSpreadsheet(options: ExportOptions): Promise<ExportReport> {
  const { results } = options;
  const output = options.output ?? (await freeWorkbookPath(results));
  const name = basename(results);
  const reading = { maxRecordBytes: 4 * usualRecordBytes, rowsInCells: true, ...options.reading };
  const source = await openSource({ kind: "file", path: results, name }, reading);
  const report = { output, lines: 0, marked: 0 };
  let discard = async () => {};
  try {
    const refuseOther = async () => {
      if (await isFileAt(output)) throw cannotStart("output_exists", output, "--output");
    };
    await refuseOther();
    const { columns, rows } = await sheetOf(source, report, results);
    const file = await createAtomicFile(output);
    discard = file.discard;
    for await (const chunk of writeWorkbook(columns, rows)) await file.add(chunk);
    await refuseOther();
    await file.finish();
    return report;
  } catch (error) {
    await discard();
    if (error instanceof CannotStartError) throw error;
    if (error instanceof InputDamagedError) {
      throw cannotStart("export_impossible", name, error.message.replace(/\.$/, ""));
    }
    throw cannotStart("output_not_writable", output, reasonOf(error));
  } finally {
    await source.close();
  }
}

/** A path beside the results that is not in use: a workbook that is there may have fixes in it. */
async function freeWorkbookPath(results: string): Promise<string> {
  const base = join(dirname(results), basename(results, extname(results)));
  let path = `${base}.xlsx`;
  for (let number = 2; await isFileAt(path); number++) path = `${base}-${number}.xlsx`;
  return path;
}

const [narrowestColumn, widestColumn] = [8, 50];
/** Of the first rows, for the widths of columns. */
const rowsMeasured = 200;

/**
 * The columns and rows of the sheet.
 *
 * @param counted counts the rows as they are read
 * @param results of whose account they are
 */
async function sheetOf(
  { name, columns, batches }: Source,
  counted: { lines: number; marked: number },
  results: string,
) {
  const refuse = (why: string) => cannotStart("export_impossible", name, why);
  const statusAt = columns.indexOf("import_status");
  const codeAt = columns.indexOf("import_error_code");
  const errorAt = columns.indexOf("import_error");
  if (statusAt < 0 || errorAt < 0) {
    throw refuse(
      "it has no columns import_status and import_error, so it is no file of an account",
    );
  }
  if (columns.length > sheetLimits.columns) {
    const [has, holds] = [columns.length, sheetLimits.columns].map(grouped);
    throw refuse(`it has ${has} columns, and a workbook holds ${holds}: fix it as CSV`);
  }
  const people = columns.flatMap((column, at) => (isResultsColumn(column) ? [] : [at]));
  const order = [...new Set([...people, statusAt, errorAt, ...columns.keys()])];
  const inputColumns = people.map((at) => columns[at] ?? "");

  const account = await readAccount(results);
  const mapping = account.kind === "complete" ? account.manifest.mapping : undefined;
  const ofMember = await columnOfMember(mapping, inputColumns);
  const rowAt = columns.indexOf("import_row");
  const iterator = batches[Symbol.asyncIterator]();
  const { value: first = [] } = await iterator.next();
  const sample: readonly Row[] = first.slice(0, rowsMeasured);
  const widthOf = (at: number) => {
    const texts = [columns[at] ?? "", ...sample.map(({ cells }) => cells[at] ?? "")];
    const longest = Math.max(...texts.map(({ length }) => length));
    return Math.min(widestColumn, Math.max(narrowestColumn, longest + 2));
  };
  const toSheetRow = ({ line, cells, problem }: Row): WrittenRow => {
    if (problem !== undefined && problem.code !== "nul_character")
      throw refuse(`line ${line} ${problem.message}; fix it first`);
    const long = cells.findIndex((cell) => cell.length > sheetLimits.charsOfCell);
    if (long >= 0) {
      throw refuse(
        `line ${line} has ${grouped(cells[long]?.length ?? 0)} characters in column ${quote(columns[long] ?? "")}, and a cell of a workbook holds ${grouped(sheetLimits.charsOfCell)}: fix it as CSV`,
      );
    }
    if (++counted.lines > sheetLimits.rows) {
      throw refuse(
        `it has more than ${grouped(sheetLimits.rows)} lines, which is what a workbook can hold: fix it as CSV`,
      );
    }
    const note = cells[errorAt] ?? "";
    const row = { cells: order.map((at) => cells[at] ?? "") };
    const ofPeople = people.map((at) => cells[at] ?? "");
    const { [statusAt]: status = "", [codeAt]: code = "" } = cells;
    const said = { status, code, message: note, cells: ofPeople };
    const column = refusedColumn(said, inputColumns, ofMember);
    if (column === undefined) return row;
    counted.marked++;
    return { ...row, marked: { at: inputColumns.indexOf(column), note } };
  };
  async function* rows(): AsyncGenerator<readonly WrittenRow[]> {
    yield first.map(toSheetRow);
    for await (const batch of { [Symbol.asyncIterator]: () => iterator }) {
      yield batch.map(toSheetRow);
    }
  }
  return {
    columns: order.map((at) => {
      return { name: columns[at] ?? "", width: widthOf(at), isNumber: at === rowAt };
    }),
    rows: rows(),
  };
}
