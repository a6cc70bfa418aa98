import { resolve } from "node:path";
import { openResultsFile } from "../../input/open-results-file.ts";
import type { Source } from "../../input/source.ts";
import { fileState, fingerprintFile, fingerprintOn, inputId } from "../../journal/fingerprint.ts";
import type { Disk } from "../../model/disk/disk.ts";
import { cannotStart } from "../../model/errors.ts";
import { goneEvent } from "../../model/event.ts";
import { resultsColumnsOf, sourceColumn } from "../../model/results-columns.ts";
import type { AccountLine, LineUse, Row } from "../../model/row.ts";
import type { RunFiles } from "../../model/run-files.ts";
import type { ResultsReader } from "../../results/results-reader.ts";
import { toCsv } from "../../results/to-csv.ts";
import type { RunContext } from "../options/run-context.ts";
import type { InputIdentity, PreparedInput } from "../prepare/prepare-input.ts";
import { readMapping } from "../prepare/read-mapping.ts";
import {
  changedResults,
  eventOf,
  openResults,
  type Pass,
  rowsOfAccount,
  rowsOfGiven,
} from "./account-rows.ts";
import { openGivenLines } from "./given-lines.ts";
import { selectionColumns, selectLines } from "./select-lines.ts";

/**
 * Binds the mapping to the columns of an account whose rows are sent again, or of failed rows whose account is gone.
 *
 * @throws CannotStartError
 */
export async function prepareSelected(
  { settings, mapping: path, account, files, given, unfinished, ports, stop }: RunContext,
  warn: (message: string) => void,
): Promise<PreparedInput> {
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
  const called = account?.input.called ?? unfinished?.run.imported.input.called ?? name;
  const mapping = await readMapping(path, async () => columns);
  const bound = mapping.bind(columns, { name: called, id: known.id });
  const request = { disk, files, delivery, allowAltered, skip, limit, mapping: bound };
  return {
    name,
    called,
    ...bound,
    columns,
    hasSources,
    reading: {},
    readAs: [],
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
        const isWhole = await isSameFile(spec.path, files.results);
        const lines = isWhole ? undefined : await openGivenLines(spec, reading, columns);
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
    const before = account?.input ?? unfinished?.run.imported.input;
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
async function isSameFile(one: string, other: string): Promise<boolean> {
  if (resolve(one) === resolve(other)) return true;
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

  /** The rest of the row at hand, and its first line that is sent, if there is one. */
  const readRow = async (row: number): Promise<Row> => {
    const lines: AccountLine[] = [];
    let first: Pick<Row, "line" | "cells" | "resultsFile" | "isGone" | "mayLackLines" | "earlier">;
    first = { line: 0, cells: [] };
    for (let hasSent = false; reader.row === row; await reader.next()) {
      const line = lineAtHand(reader);
      lines.push(line);
      const isSent = line.use === "send";
      if (hasSent || (lines.length > 1 && !isSent)) continue;
      hasSent = isSent;
      const here = isSent ? line.because : undefined;
      const before = numberIn(reader.cell("import_line"));
      const input = reader.cell("import_input");
      first = {
        line: here ?? before ?? 0,
        cells: line.cells,
        ...(here === undefined ? {} : { resultsFile: name }),
        ...(input === inputId ? {} : { mayLackLines: true as const }),
        ...(line.event === goneEvent ? { isGone: true as const } : {}),
        earlier: {
          row,
          input,
          unanswered: 0,
          errorCode: "",
          error: "",
          eventId: "",
          ...(before === undefined ? {} : { line: before }),
          ...(reader.hasSources ? { source: reader.cell(sourceColumn) } : {}),
        },
      };
    }
    return { row, ...first, lines };
  };

  async function* batches(): AsyncGenerator<readonly Row[]> {
    let rows: Row[] = [];
    for (let row = reader.row; row !== undefined; row = reader.row) {
      rows.push(await readRow(row));
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
    columns: reader.inputColumns,
    hasSources: reader.hasSources,
    batches: batches(),
    batchStart: () => undefined,
    totalBytes: await disk.length(files.given),
    bytesRead: () => reader.bytesRead,
    blankLines: () => 0,
    close: () => reader.close(),
  };
}

/** The line at hand of what was selected. */
function lineAtHand(reader: ResultsReader): AccountLine {
  const cells = reader.cells();
  const [use = "keep", because] = cells.splice(-selectionColumns.length);
  return {
    use: use as LineUse,
    because: numberIn(because),
    text: toCsv([cells]),
    cells: reader.inputCells(),
    status: reader.status,
    event: eventOf(reader.cell("import_event")),
    eventId: reader.cell("import_event_id"),
    errorCode: reader.cell("import_error_code"),
    error: reader.cell("import_error"),
    httpStatus: numberIn(reader.cell("import_http_status")),
    attempts: reader.attempts,
    unanswered: reader.unanswered,
  };
}

function numberIn(text: string | undefined): number | undefined {
  return text === undefined || text === "" ? undefined : Number(text);
}
