import { openResultsFile } from "../../input/open-results-file.ts";
import type { Source } from "../../input/source.ts";
import { fileState, fingerprintFile, fingerprintOn, inputId } from "../../journal/fingerprint.ts";
import type { Disk } from "../../model/disk/disk.ts";
import { cannotStart } from "../../model/errors.ts";
import { goneEvent, goneEventText } from "../../model/event.ts";
import { isEventStatus } from "../../model/outcome.ts";
import { type ResultsColumn, resultsColumnsOf, sourceColumn } from "../../model/results-columns.ts";
import type { AccountLine, LineUse, Row } from "../../model/row.ts";
import type { RunFiles } from "../../model/run-files.ts";
import type { ResultsReader } from "../../results/results-reader.ts";
import { toCsv } from "../../results/to-csv.ts";
import type { RunContext } from "../options/run-context.ts";
import type { Selection } from "../options/run-events.ts";
import type { InputIdentity, PreparedInput } from "../prepare/prepare-input.ts";
import { readMapping } from "../prepare/read-mapping.ts";
import {
  changedResults,
  openResults,
  type Pass,
  rowsOfAccount,
  rowsOfGiven,
} from "./account-rows.ts";
import { openGivenLines } from "./given-lines.ts";
import { selectionColumns, selectLines } from "./select-lines.ts";

/** Selected rows in place of an input. */
export interface SelectedInput extends PreparedInput {
  /**
   * Writes beside the part what is selected; a resume reads that.
   *
   * @throws CannotStartError if the account or the given file cannot be used
   */
  select(): Promise<Selection>;
}

/**
 * Binds the mapping to the columns of an account whose rows are sent again, or of failed rows whose account is gone.
 *
 * @throws CannotStartError
 */
export async function prepareSelected(
  { settings, mapping: path, account, files, given, unfinished, ports, stop }: RunContext,
  startedAt: string,
  warn: (message: string) => void,
): Promise<SelectedInput> {
  const { disk } = ports;
  if (given === undefined) throw new Error("no file selects rows");
  const { reading, delivery, skip, limit = Number.POSITIVE_INFINITY } = settings;
  const { allowAltered = false } = settings;
  const { name } = given;
  const spec = { kind: "file", path: given.path, name } as const;
  const header = await columnsOfResults();
  const columns = header.slice(0, header.lastIndexOf("import_row"));
  const hasSources = header.includes(sourceColumn);
  const known = await identityOf();
  const called = account?.input.called ?? unfinished?.run.input.called ?? name;
  const mapping = await readMapping(path, async () => columns);
  const bound = mapping.bind(columns, { name: called, id: known.id }, startedAt);
  const request = { disk, files, delivery, allowAltered, skip, limit, mapping: bound };
  return {
    ...{ name, called, ...bound, columns, hasSources, reading: {}, readAs: [] },
    identify: async () => known,
    async select() {
      if (account === undefined) {
        const lines = await openGivenLines(spec, reading, columns);
        return selectLines(request, header, undefined, () =>
          rowsOfGiven(lines, known.id, hasSources),
        );
      }
      const { results_file: written, failed_rows_file: failed } = account;
      if (!(await isSameFile(spec.path, files.failed))) {
        // What was fixed in the failed rows would be overwritten.
        const now = await fingerprintOn(disk, files.failed);
        if (now !== undefined && now.sha256 !== failed?.sha256) {
          throw cannotStart("failed_rows_edited", files.failed, name);
        }
      }
      try {
        const lines = given.isResults ? undefined : await openGivenLines(spec, reading, columns);
        if (lines !== undefined && lines.lostColumns.length > 0) {
          const lost = lines.lostColumns.join(", ");
          warn(`${name} has lost the columns ${lost}: the account's own cells count.`);
        }
        const rows = (pass: Pass) => rowsOfAccount(disk, files, written, lines, pass, stop.signal);
        return await selectLines(request, header, lines?.name, rows);
      } catch (error) {
        // A line may seem wrong because the results are.
        const now = await fingerprintOn(disk, files.results);
        throw now?.sha256 === written?.sha256 ? error : changedResults(files.results);
      }
    },
    open: () => openSelectedRows(disk, files, name, known.id),
    async close() {},
  };

  async function columnsOfResults(): Promise<readonly string[]> {
    if (unfinished === undefined && account === undefined) {
      const source = await openResultsFile(spec, reading);
      await source.close();
      return [...source.columns, ...resultsColumnsOf(source.hasSources)];
    }
    const path = unfinished === undefined ? files.results : files.given;
    const reader = await openResults(disk, files, path);
    await reader.close();
    const { columns } = reader;
    return unfinished === undefined ? columns : columns.slice(0, -selectionColumns.length);
  }

  async function identityOf(): Promise<InputIdentity> {
    const before = account?.input ?? unfinished?.run.input;
    if (before !== undefined) {
      const { id, bytes, sha256 } = before;
      const isKnown = bytes !== null && sha256 !== null;
      return { files: [], id, fingerprint: isKnown ? { bytes, sha256 } : undefined };
    }
    const fingerprint = await fingerprintFile(spec.path);
    const file = { ...spec, ...fingerprint, state: await fileState(spec.path) };
    return { files: [file], id: inputId(fingerprint), fingerprint };
  }
}

/** Whether two paths lead to one file. */
export async function isSameFile(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([fileState(one), fileState(other)]);
  return first !== undefined && first === second;
}

const rowsPerBatch = 256;

/**
 * Opens the rows that were selected, each with all its lines, for one pass.
 *
 * @param name of the given file, in which their lines are counted
 * @param inputId of the account's own input: rows of another are from failed rows whose account is gone
 * @throws CannotStartError if they are not as they were written
 */
async function openSelectedRows(
  disk: Disk,
  files: RunFiles,
  name: string,
  inputId: string,
): Promise<Source> {
  const reader = await openResults(disk, files, files.given);
  const accountColumns = reader.columns.slice(0, -selectionColumns.length);
  const inputCount = accountColumns.lastIndexOf("import_row");
  const places = new Map(accountColumns.map((column, at) => [column, at]));
  const hasSources = (places.get(sourceColumn) ?? 0) > inputCount;
  const cellOf = (cells: readonly string[], column: ResultsColumn) =>
    cells[places.get(column) ?? -1] ?? "";
  const numberOf = (cells: readonly string[], column: ResultsColumn) =>
    numberIn(cellOf(cells, column));

  const toLine = (cells: readonly string[]): AccountLine => {
    const [use = "keep", because] = cells.slice(-selectionColumns.length);
    const status = cellOf(cells, "import_status");
    const isGone = cellOf(cells, "import_event") === goneEventText;
    return {
      use: use as LineUse,
      because: numberIn(because),
      cells: cells.slice(0, inputCount),
      text: toCsv([cells.slice(0, accountColumns.length)]),
      status: isEventStatus(status) ? status : undefined,
      event: isGone ? goneEvent : numberOf(cells, "import_event"),
      eventId: cellOf(cells, "import_event_id"),
      errorCode: cellOf(cells, "import_error_code"),
      error: cellOf(cells, "import_error"),
      httpStatus: numberOf(cells, "import_http_status"),
      attempts: numberOf(cells, "import_attempts") ?? 0,
      unanswered: numberOf(cells, "import_unanswered") ?? 0,
    };
  };

  const toRow = (row: number, all: readonly (readonly string[])[]): Row => {
    const lines = all.map(toLine);
    const at = Math.max(
      0,
      lines.findIndex(({ use }) => use === "send"),
    );
    const [first, cells] = [lines[at] as AccountLine, all[at] ?? []];
    const here = first.use === "send" ? first.because : undefined;
    const line = numberOf(cells, "import_line");
    const input = cellOf(cells, "import_input");
    return {
      ...{ row, line: here ?? line ?? 0, cells: first.cells, lines },
      ...(here === undefined ? {} : { resultsFile: name }),
      ...(input === inputId ? {} : { mayLackLines: true as const }),
      ...(first.event === goneEvent ? { isGone: true as const } : {}),
      earlier: {
        ...{ row, input, unanswered: 0, errorCode: "", error: "", eventId: "" },
        ...(line === undefined ? {} : { line }),
        ...(hasSources ? { source: cellOf(cells, sourceColumn) } : {}),
      },
    };
  };

  async function* batches(): AsyncGenerator<readonly Row[]> {
    let rows: Row[] = [];
    for (let row = reader.row; row !== undefined; row = reader.row) {
      rows.push(toRow(row, await linesOf(reader)));
      if (rows.length < rowsPerBatch) continue;
      yield rows;
      rows = [];
    }
    if (rows.length > 0) yield rows;
  }

  return {
    name,
    dialect: { encoding: "utf-8", delimiter: ",", quote: '"' },
    warnings: [],
    columns: accountColumns.slice(0, inputCount),
    hasSources,
    batches: batches(),
    batchStart: () => undefined,
    totalBytes: await disk.length(files.given),
    bytesRead: () => reader.bytesRead,
    blankLines: () => 0,
    close: () => reader.close(),
  };
}

/** The cells of each line of the row at hand. */
async function linesOf(reader: ResultsReader): Promise<string[][]> {
  const lines: string[][] = [];
  for (const { row } = reader; reader.row === row; ) {
    lines.push(reader.cells());
    await reader.next();
  }
  return lines;
}

function numberIn(text: string | undefined): number | undefined {
  return text === undefined || text === "" ? undefined : Number(text);
}
