import { basename, resolve } from "node:path";
import { openResultsFile } from "../../input/open-results-file.ts";
import type { Source } from "../../input/source.ts";
import { fileState, fingerprintFile, fingerprintOn, inputId } from "../../journal/fingerprint.ts";
import type { Disk } from "../../model/disk/disk.ts";
import { cannotStart } from "../../model/errors.ts";
import { goneEvent } from "../../model/event.ts";
import type { Manifest } from "../../model/manifest.ts";
import { resultsColumnsOf, sourceColumn } from "../../model/results-columns.ts";
import type { AccountLine, LineUse, Row } from "../../model/row.ts";
import type { RunFiles } from "../../model/run-files.ts";
import type { ResultsReader } from "../../results/results-reader.ts";
import { toCsv } from "../../results/to-csv.ts";
import type { RunContext } from "../options/run-context.ts";
import type { InputIdentity, PreparedInput } from "../prepare/prepare-input.ts";
import { readMapping } from "../prepare/read-mapping.ts";
import {
  eventOf,
  openResults,
  refuseChangedResults,
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
export async function prepareSelected({
  settings,
  mapping: path,
  account,
  files,
  given,
  unfinished,
  ports,
  stop,
}: RunContext): Promise<PreparedInput> {
  const { disk } = ports;
  if (given === undefined) throw new Error("no file selects rows");
  const { reading, delivery, skip, limit = Number.POSITIVE_INFINITY } = settings;
  const { allowAltered = false } = settings;
  const name = basename(given);
  const spec = { kind: "file", path: given, name } as const;
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
      const isAll = account !== undefined && resolve(given) === resolve(files.results);
      if (account !== undefined) await refuseEdits(disk, files, account, given);
      const lines = isAll ? undefined : await openGivenLines(spec, reading, columns);
      const hasKeys = bound.keyOf !== undefined;
      if (lines === undefined || account !== undefined) {
        return selectLines(request, header, lines?.name, () =>
          rowsOfAccount(disk, files, lines, hasKeys, stop.signal),
        );
      }
      return selectLines(request, header, undefined, () =>
        rowsOfGiven(lines, known.id, hasSources),
      );
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

/**
 * Refuses results that were edited, and failed rows that were and are not the given file: what was fixed in them would
 * be overwritten.
 */
async function refuseEdits(
  disk: Disk,
  files: RunFiles,
  account: Manifest,
  given: string,
): Promise<void> {
  await refuseChangedResults(disk, files, account);
  if (resolve(given) === resolve(files.failed)) return;
  const now = await fingerprintOn(disk, files.failed);
  if (now === undefined || now.sha256 === account.failed_rows_file?.sha256) return;
  throw cannotStart("failed_rows_edited", files.failed, basename(given));
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

  /** The rest of the row at hand: its place and cells are those of its first line that is sent, if there is one. */
  const readRow = async (row: number): Promise<Row> => {
    const lines: AccountLine[] = [];
    const rows: Row[] = [];
    for (; reader.row === row; await reader.next()) {
      const line = lineAtHand(reader);
      const givenLine = line.use === "send" ? line.because : undefined;
      const before = numberIn(reader.cell("import_line"));
      const input = reader.cell("import_input");
      lines.push(line);
      rows.push({
        row,
        line: givenLine ?? before ?? 0,
        cells: line.cells,
        lines,
        ...(givenLine === undefined ? {} : { resultsFile: name }),
        ...(input === inputId ? {} : { mayLackLines: true }),
        ...(line.event === goneEvent ? { isGone: true } : {}),
        earlier: {
          ...{ row, input, unanswered: 0, errorCode: "", error: "", eventId: "" },
          ...(before === undefined ? {} : { line: before }),
          ...(reader.hasSources ? { source: reader.cell(sourceColumn) } : {}),
        },
      });
    }
    return rows[
      Math.max(
        0,
        lines.findIndex(({ use }) => use === "send"),
      )
    ] as Row;
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
    httpStatus: numberIn(reader.cell("import_http_status")),
    attempts: reader.attempts,
    unanswered: reader.unanswered,
  };
}

function numberIn(text: string | undefined): number | undefined {
  return text === undefined || text === "" ? undefined : Number(text);
}
