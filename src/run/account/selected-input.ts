import { basename, resolve } from "node:path";
import { openResultsFile } from "../../input/open-results-file.ts";
import type { Source } from "../../input/source.ts";
import { fileState, fingerprintFile, fingerprintOn, inputId } from "../../journal/fingerprint.ts";
import { cannotStart } from "../../model/errors.ts";
import { goneEvent } from "../../model/event.ts";
import type { Manifest } from "../../model/manifest.ts";
import { resultsColumnsOf, sourceColumn } from "../../model/results-columns.ts";
import type { AccountLine, LineUse, Row } from "../../model/row.ts";
import type { ResultsReader } from "../../results/results-reader.ts";
import { toCsv } from "../../results/to-csv.ts";
import type { RunContext } from "../options/run-context.ts";
import {
  type InputIdentity,
  type PreparedInput,
  withoutBlankKeys,
} from "../prepare/prepare-input.ts";
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
export async function prepareSelected(context: RunContext): Promise<PreparedInput> {
  const { settings, account, files, given, unfinished } = context;
  if (given === undefined) throw new Error("no file selects rows");
  const { reading } = settings;
  const name = basename(given);
  const spec = { kind: "file", path: given, name } as const;
  const header = await columnsOfResults();
  const columns = header.slice(0, header.lastIndexOf("import_row"));
  const hasSources = header.includes(sourceColumn);
  const before = account?.input ?? unfinished?.run.imported.input;
  const known =
    before === undefined
      ? await identityOfFile(given, name)
      : { files: [], id: before.id, fingerprint: { bytes: before.bytes, sha256: before.sha256 } };
  const called = before?.called ?? name;
  const mapping = await readMapping(context.mapping, async () => columns);
  const fits = mapping.bind(columns, { name: called, id: known.id });
  const bound = account?.state === undefined ? fits : withoutBlankKeys(fits);
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
        const rowsOf = () => rowsOfGiven(lines, known.id, hasSources);
        return selectLines(context, bound, header, undefined, rowsOf);
      }
      await refuseEdits(context, account, given);
      const isAll = resolve(given) === resolve(files.results);
      const lines = isAll ? undefined : await openGivenLines(spec, reading, columns);
      const rowsOf = () => rowsOfAccount(context, lines, bound.keyOf !== undefined);
      return selectLines(context, bound, header, lines?.name, rowsOf);
    },
    open: () => openSelectedRows(context, name, known.id),
    async close() {},
  };

  async function columnsOfResults(): Promise<readonly string[]> {
    if (unfinished === undefined && account === undefined) {
      const source = await openResultsFile(spec, reading);
      await source.close();
      return [...source.columns, ...resultsColumnsOf(source.hasSources)];
    }
    const isSelected = unfinished !== undefined;
    const reader = await openResults(context, isSelected ? files.given : files.results);
    await reader.close();
    return isSelected ? reader.columns.slice(0, -selectionColumns.length) : reader.columns;
  }
}

/** Failed rows whose account is gone are an input. */
async function identityOfFile(path: string, name: string): Promise<InputIdentity> {
  const fingerprint = await fingerprintFile(path);
  const file = { path, name, ...fingerprint, state: await fileState(path) };
  return { files: [file], id: inputId(fingerprint), fingerprint };
}

/**
 * Refuses results that were edited, and failed rows that were and are not the given file: what was fixed in them would
 * be overwritten.
 */
async function refuseEdits(context: RunContext, account: Manifest, given: string): Promise<void> {
  const { files, ports } = context;
  await refuseChangedResults(context, account);
  if (resolve(given) === resolve(files.failed)) return;
  const now = await fingerprintOn(ports.disk, files.failed);
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
  context: RunContext,
  name: string,
  inputId: string,
): Promise<Source> {
  const { files, ports } = context;
  const reader = await openResults(context, files.given);

  /** The row at hand, with the cells of its first line that is sent, if there is one. */
  const readRow = async (row: number): Promise<Row> => {
    const line = numberIn(reader.cell("import_line"));
    const input = reader.cell("import_input");
    const source = reader.cell(sourceColumn);
    const lines: AccountLine[] = [];
    for (; reader.row === row; await reader.next()) lines.push(lineAtHand(reader));
    const sent = lines.find(({ use }) => use === "send");
    const { cells, event } = sent ?? (lines[0] as AccountLine);
    return {
      row,
      line: sent?.because ?? line ?? 0,
      cells,
      lines,
      ...(sent?.because === undefined ? {} : { resultsFile: name }),
      ...(input === inputId ? {} : { mayLackLines: true }),
      ...(event === goneEvent ? { isGone: true } : {}),
      origin: {
        ...(input === undefined ? {} : { input }),
        ...(line === undefined ? {} : { line }),
        ...(reader.hasSources ? { source } : {}),
      },
    };
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
    totalBytes: await ports.disk.length(files.given),
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
