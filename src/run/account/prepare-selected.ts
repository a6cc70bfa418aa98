import { basename } from "node:path";
import { openResultsFile } from "../../input/open-results-file.ts";
import { fileState, fingerprintFile, inputId } from "../../journal/fingerprint.ts";
import { cannotStart } from "../../model/errors.ts";
import { goneEventText } from "../../model/event.ts";
import { resultsColumnsOf, sourceColumn } from "../../model/results-columns.ts";
import { type Manifest, readManifest } from "../../results/manifest.ts";
import { ResultsReader } from "../../results/results-reader.ts";
import type { RunContext } from "../options/run-context.ts";
import type { Selection } from "../options/run-events.ts";
import type { InputIdentity, PreparedInput } from "../prepare/prepare-input.ts";
import { readMapping } from "../prepare/read-mapping.ts";
import { fingerprintOn } from "./fingerprint-on.ts";
import { type GivenLine, openGivenLines } from "./given-lines.ts";
import { readAccount } from "./read-account.ts";
import {
  type SelectionRequest,
  selectionColumns,
  selectLines,
  selectWithoutAccount,
} from "./select-lines.ts";
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
  const { reading } = settings;
  const spec = { kind: "file", path: given.path, name: given.name } as const;
  const header =
    unfinished !== undefined
      ? (await columnsOf(files.given)).slice(0, -selectionColumns.length)
      : account !== undefined
        ? await columnsOf(files.results)
        : await columnsOfGiven();
  const columns = header.slice(0, header.lastIndexOf("import_row"));
  const hasSources = header.includes(sourceColumn);
  const known = await identityOf();
  const called = account?.input.called ?? unfinished?.run.input.called ?? given.name;
  const mapping = await readMapping(path, async () => columns);
  const bound = mapping.bind(columns, { name: called, id: known.id }, startedAt);
  const request: SelectionRequest = {
    ...{ disk, files, delivery: settings.delivery, stop: stop.signal },
    allowAltered: settings.allowAltered === true,
    skip: settings.skip,
    limit: settings.limit,
    mapping: bound,
  };
  return {
    name: given.name,
    called,
    identify: async () => known,
    ...bound,
    reading: {},
    columns,
    hasSources,
    readAs: [],
    async select() {
      if (account === undefined) return selectWithoutAccount(request, header, linesOfGiven());
      await refuseEdits(account);
      if (given.isResults) return selectLines(request, account, undefined);
      const lines = await openGivenLines(spec, reading, columns);
      const lost = lines.lostColumns;
      if (lost.length > 0) {
        warn(
          `${given.name} has lost the columns ${lost.join(", ")}: the account's own cells count.`,
        );
      }
      return selectLines(request, account, { ...lines, name: given.name });
    },
    open: () => openSelectedRows(disk, files, given.name, known.id),
    async close() {},
  };

  async function columnsOf(file: string): Promise<readonly string[]> {
    const refuse = (why: string) =>
      cannotStart("account_damaged", files.results, `${basename(file)}: ${why}`);
    const reader = await ResultsReader.open(disk.readChunks(file), basename(file), refuse);
    await reader.close();
    return reader.columns;
  }

  async function columnsOfGiven(): Promise<readonly string[]> {
    const source = await openResultsFile(spec, reading);
    await source.close();
    return [...source.columns, ...resultsColumnsOf(source.hasSources)];
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

  /** What was fixed in the failed rows would be overwritten, if they are not what is retried. */
  async function refuseEdits({ failed_rows_file: written }: Manifest): Promise<void> {
    if (given === undefined || (await isSameFile(given.path, files.failed))) return;
    const now = await fingerprintOn(disk, files.failed);
    if (now === undefined || now.sha256 === written?.sha256) return;
    throw cannotStart("failed_rows_edited", files.failed, given.name);
  }

  /** All lines of failed rows whose account is gone, as an account would have them. */
  async function* linesOfGiven(): AsyncGenerator<{
    readonly given: GivenLine;
    readonly cells: readonly string[];
  }> {
    const source = await openResultsFile(spec, reading);
    const refuse = (line: number, why: string) =>
      cannotStart("retry_refused", spec.name, `line ${line} ${why}`);
    let last = 0;
    const seen = new Set<number | undefined>();
    try {
      for await (const rows of source.batches) {
        for (const { row, line, cells, earlier, problem } of rows) {
          if (earlier?.row === undefined) throw refuse(line, "has no import_row");
          if (problem?.code === "unknown_status") throw refuse(line, problem.message);
          if (row < last) throw refuse(line, "is of an earlier row: sort the file by import_row");
          if (row > last) seen.clear();
          const { event, input = known.id, status, eventId, errorCode, error } = earlier;
          if (seen.has(event)) throw refuse(line, "is for the same event as one before it");
          seen.add(event);
          last = row;
          const own = { row, line, event, input, status, cells, isSentAsItIs: errorCode === "" };
          const source = hasSources ? [earlier.source ?? ""] : [];
          const written = [
            ...cells,
            ...[String(row), String(earlier.line ?? ""), ...source],
            event === 0 ? goneEventText : String(event ?? ""),
            ...[status ?? "", "", "0", String(earlier.unanswered)],
            ...[errorCode, error, eventId, input, "1", ""],
          ];
          yield { given: own, cells: written };
        }
      }
    } finally {
      await source.close();
    }
  }
}

/** Whether two paths lead to one file. */
export async function isSameFile(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([fileState(one), fileState(other)]);
  return first !== undefined && first === second;
}

/**
 * Refuses to import failed rows beside their account, which knows more about them.
 *
 * @throws CannotStartError with the command that retries them
 */
export async function refuseBesideAccount(path: string): Promise<void> {
  const account = await readAccount(path);
  if (account.kind === "none") return;
  const read = await readManifest(account.files.manifest);
  if (account.kind === "damaged" && read.kind === "absent") return;
  // A retry would be refused, too.
  if (account.kind === "damaged") throw account.error;
  throw cannotStart("results_file_as_input", basename(path), path);
}
