import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { openResultsFile } from "../../input/open-results-file.ts";
import { fileState, fingerprintFile, fingerprintOn, inputId } from "../../journal/fingerprint.ts";
import type { Disk } from "../../model/disk/disk.ts";
import { cannotStart } from "../../model/errors.ts";
import { goneEvent, goneEventText } from "../../model/event.ts";
import { resultsColumnsOf, sourceColumn } from "../../model/results-columns.ts";
import type { RunFiles } from "../../model/run-files.ts";
import type { StopSignal } from "../../model/stop.ts";
import { ResultsReader } from "../../results/results-reader.ts";
import type { RunContext } from "../options/run-context.ts";
import type { Selection } from "../options/run-events.ts";
import type { InputIdentity, PreparedInput } from "../prepare/prepare-input.ts";
import { readMapping } from "../prepare/read-mapping.ts";
import { type GivenLine, type GivenLines, openGivenLines, refuseLine } from "./given-lines.ts";
import { type AccountRow, type Candidate, selectionColumns, selectLines } from "./select-lines.ts";
import { openSelectedRows } from "./selected-rows.ts";

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
  const { reading, delivery, skip, limit, allowAltered = false } = settings;
  const { name } = given;
  const spec = { kind: "file", path: given.path, name } as const;
  const header = await columnsOfResults();
  const columns = header.slice(0, header.lastIndexOf("import_row"));
  const hasSources = header.includes(sourceColumn);
  const known = await identityOf();
  const called = account?.input.called ?? unfinished?.run.input.called ?? name;
  const mapping = await readMapping(path, async () => columns);
  const bound = mapping.bind(columns, { name: called, id: known.id }, startedAt);
  return {
    ...{ name, called, ...bound, columns, hasSources, reading: {}, readAs: [] },
    identify: async () => known,
    async select() {
      const request = { disk, files, delivery, allowAltered, skip, limit, mapping: bound };
      if (account !== undefined) await refuseEdits();
      const lines = given.isResults ? undefined : await openGivenLines(spec, reading, columns);
      if (account === undefined && lines !== undefined) {
        const rows = () => rowsOfGiven(lines, known.id, hasSources);
        return selectLines(request, header, undefined, rows);
      }
      if (lines !== undefined && lines.lostColumns.length > 0) {
        const lost = lines.lostColumns.join(", ");
        warn(`${name} has lost the columns ${lost}: the account's own cells count.`);
      }
      const rows = (pass: Pass) => rowsOfAccount(disk, files, lines, pass, stop.signal);
      return selectLines(request, header, lines?.name, rows);
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

  /**
   * Results are not edited by hand. What was fixed in the failed rows would be overwritten, if they are not what is
   * retried.
   */
  async function refuseEdits(): Promise<void> {
    const { results_file: written, failed_rows_file: failed } = account ?? {};
    if (!isDeepStrictEqual(await fingerprintOn(disk, files.results), written)) {
      const why = `${basename(files.results)} was changed: its hash is not that of its manifest`;
      throw cannotStart("account_damaged", files.results, why);
    }
    if (await isSameFile(spec.path, files.failed)) return;
    const now = await fingerprintOn(disk, files.failed);
    if (now === undefined || now.sha256 === failed?.sha256) return;
    throw cannotStart("failed_rows_edited", files.failed, name);
  }
}

/** Whether two paths lead to one file. */
export async function isSameFile(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([fileState(one), fileState(other)]);
  return first !== undefined && first === second;
}

function openResults(disk: Disk, { results }: RunFiles, path: string): Promise<ResultsReader> {
  const name = basename(path);
  const refuse = (why: string) => cannotStart("account_damaged", results, `${name}: ${why}`);
  return ResultsReader.open(disk.readChunks(path), name, refuse);
}

/** What a line of the account wants of itself, if no file is given: to be sent as it is. */
const ownLine = {
  line: 0,
  earlier: { unanswered: 0, errorCode: "", error: "", eventId: "" },
  isSentAsItIs: false,
};

type Pass = (row: number, line: ResultsReader) => void;

/**
 * The rows of an account that are selected, and all that it has if no file selects them.
 *
 * @param pass sees each line of the others
 * @throws CannotStartError if a line of the given file is for an event that the account does not have
 */
async function* rowsOfAccount(
  disk: Disk,
  files: RunFiles,
  given: GivenLines | undefined,
  pass: Pass,
  stop: StopSignal,
): AsyncGenerator<AccountRow> {
  const stranger = (line: GivenLine) =>
    refuseLine(given?.name ?? "", line, "is for an event that the account does not have");
  const reader = await openResults(disk, files, files.results);
  const inputCount = reader.columns.lastIndexOf("import_row");
  const eventAt = reader.columns.lastIndexOf("import_event");
  const inputAt = reader.columns.lastIndexOf("import_input");
  try {
    const wanted = given?.rows();
    let next = (await wanted?.next())?.value;
    for (let row = reader.row; row !== undefined && !stop.aborted; row = reader.row) {
      if (next !== undefined && next.row < row) break;
      const ofRow: readonly GivenLine[] | undefined = next?.row === row ? next?.lines : undefined;
      const lines: Candidate[] = [];
      while (reader.row === row) {
        if (given !== undefined && ofRow === undefined) pass(row, reader);
        else {
          const { status, unanswered } = reader;
          const cells = reader.cells();
          const text = cells[eventAt] ?? "";
          const event = text === goneEventText ? goneEvent : Number(text) || undefined;
          // A line without an event is of a row that was invalid then: it stands for whatever the row has given since.
          const of = (of: number | undefined) => ofRow?.find(({ earlier }) => earlier.event === of);
          const line =
            given === undefined
              ? { ...ownLine, row, cells: cells.slice(0, inputCount) }
              : (of(event) ?? of(undefined));
          lines.push({ status, unanswered, cells, given: line });
        }
        const reading = reader.next();
        if (reading !== undefined) await reading;
      }
      for (const line of ofRow ?? []) {
        const { input } = line.earlier;
        const own = lines.find((one) => one.given === line);
        if (own === undefined || (input !== undefined && input !== own.cells[inputAt])) {
          throw stranger(line);
        }
      }
      if (ofRow !== undefined) next = (await wanted?.next())?.value;
      if (lines.length > 0) yield { row, lines };
    }
    const [first] = next?.lines ?? [];
    if (first !== undefined && !stop.aborted) throw stranger(first);
  } finally {
    await reader.close();
  }
}

/** The rows of failed rows whose account is gone, as an account would have them. */
async function* rowsOfGiven(
  given: GivenLines,
  inputId: string,
  hasSources: boolean,
): AsyncGenerator<AccountRow> {
  for await (const { row, lines } of given.rows()) {
    yield {
      row,
      lines: lines.map((line) => {
        const { earlier } = line;
        const { event, input = inputId, status, unanswered, eventId, errorCode, error } = earlier;
        const cells = [
          ...line.cells.map((cell) => cell ?? ""),
          ...[String(row), String(earlier.line ?? "")],
          ...(hasSources ? [earlier.source ?? ""] : []),
          event === goneEvent ? goneEventText : String(event ?? ""),
          ...[status ?? "", "", "0", String(unanswered)],
          ...[errorCode, error, eventId, input, "1", ""],
        ];
        // What the file says of it is all that is known: nobody has set it to another status.
        const { status: _, ...others } = earlier;
        return { status, unanswered, cells, given: { ...line, earlier: others } };
      }),
    };
  }
}
