import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { fingerprintOn } from "../../journal/fingerprint.ts";
import type { Journal } from "../../journal/journal.ts";
import { journalFile, journalNumbers, linesOf } from "../../journal/read-journal.ts";
import type { Disk } from "../../model/disk/disk.ts";
import { whenFree } from "../../model/disk/platform.ts";
import { ChangedFileError, cannotStart, DiskError, reasonOf } from "../../model/errors.ts";
import type { Manifest } from "../../model/manifest.ts";
import { outcomeStatuses } from "../../model/outcome.ts";
import { sum } from "../../model/quantities.ts";
import type { RunSummary } from "../../model/run-events.ts";
import { type RunFiles, runFiles } from "../../model/run-files.ts";
import type { AccountEnd, Fingerprint } from "../../model/run-record.ts";
import type { StopReason } from "../../model/stop.ts";
import { linesInOrder } from "../../results/lines-in-order.ts";
import { writeManifest } from "../../results/manifest.ts";
import { type MergedResults, type MergeSource, mergeResults } from "../../results/merge-results.ts";
import { columnOfMember } from "../send/column-of-member.ts";
import type { PartOnRecord } from "../send/part-record.ts";
import { type PartOfAccount, summaryOfAccount, type Totals } from "./account-manifest.ts";
import { notWritable } from "./claim-files.ts";

/** What ends, and all in which the end of an import, a retry, a night, a part that is closed and a merge differ. */
export interface Ending {
  readonly disk: Disk;
  readonly files: RunFiles;
  readonly journal: Journal;
  readonly part: PartOfAccount | undefined;
  /** Of a merge: the results of the shards, which have other rows each, and their mapping. */
  readonly shards?: {
    readonly sources: readonly MergeSource[];
    readonly mapping: Manifest["mapping"] | undefined;
  };
  /** What to do when a file is in the way, as the end of a sentence. */
  readonly toContinue: string;
  readonly warn: (message: string) => void;
  /** @param own what the lines of the account add up to */
  toManifest(own: Totals): Promise<Manifest>;
  /** What else has to be on the disk before the end is on record. @returns what the new state is, if there is one */
  beforeEnd?: ((manifest: Manifest) => Promise<Fingerprint | undefined>) | undefined;
}

/**
 * The end of a part, whoever comes to it: results and failed rows are rendered from what the account was and the journal,
 * counts are compared, and the end is put on record. From then on, the next process does what is left: the new files
 * get their places, and what only an unfinished part has goes.
 *
 * @returns the summary of the account
 * @throws NotReconciledError, DiskError, or CannotStartError: then nothing has its place that is not on record
 */
export async function endPart(ending: Ending): Promise<RunSummary> {
  const { disk, files, journal, part, warn } = ending;
  const { sources, mapping } = ending.shards ?? {
    sources: sourcesOf(ending),
    mapping: part?.run.imported.mapping,
  };
  const columnOf = (columns: readonly string[]) => columnOfMember(mapping, columns);
  const mayReplace = part !== undefined;
  const rendered = await mergeResults(disk, files, sources, columnOf, mayReplace);
  await refuseChanged(ending);
  const manifest = await ending.toManifest(rendered);
  if (part !== undefined && !isReconciled(part, rendered, manifest)) {
    throw new NotReconciledError(`The counts of journal, ${files.results} and manifest differ`);
  }
  const state = await ending.beforeEnd?.(manifest);
  const end = { manifest, ...(state === undefined ? {} : { state }) };
  if (!(await journal.end(end))) throw new DiskError(`${journal.path} cannot be written`);
  await placeFiles(disk, files, end);
  await journal.release();
  await removePart(disk, files, warn);
  const account = await summaryOfAccount(files, manifest);
  return { ...account, ...rendered.problems, wasComplete: false };
}

/**
 * Does what a killed process has left to be done behind the end of a part.
 *
 * @throws CannotStartError if that cannot be done
 */
export async function completeEnded(
  disk: Disk,
  files: RunFiles,
  { run, record }: Pick<PartOnRecord, "run" | "record">,
  warn: (message: string) => void,
): Promise<void> {
  if (record.end === undefined) throw new Error("no end is on record");
  await placeFiles(disk, files, record.end, { run, warn }).catch((error: unknown) => {
    throw notWritable(files.results, error);
  });
  await removePart(disk, files, warn);
}

/** What the account was, if there was one, and the lines of the part, which take the place of their rows. */
function sourcesOf({ disk, files, part }: Ending): MergeSource[] {
  const { results, journal } = files;
  const { account, columns = [] } = part?.run ?? {};
  const source = (name: string, chunks: AsyncIterable<Buffer>, sha256?: string) => ({
    ...{ name, chunks, sha256 },
    refuse: (why: string) =>
      new ChangedFileError(
        `${name} is not as eventload wrote it: ${why}. Put back what eventload wrote, then resume.`,
      ),
  });
  const before =
    account === undefined ? [] : [source(results, disk.readChunks(results), account.sha256)];
  return [...before, source(journal, linesInOrder(columns, linesOf(disk, journal)))];
}

/** Refuses to replace what somebody made or edited since the part began: moved away, it is in nobody's way. */
async function refuseChanged({ disk, files, part, toContinue }: Ending): Promise<void> {
  const { account, failedRows } = part?.run ?? {};
  // The results of an account have been read and checked by the render.
  const isMade = account === undefined && (await disk.length(files.results)) !== undefined;
  const failed = await fingerprintOn(disk, files.failed);
  const isEdited = failed !== undefined && failed.sha256 !== failedRows;
  if (!isMade && !isEdited) return;
  const path = isMade ? files.results : files.failed;
  throw new ChangedFileError(
    `${path} was changed during the run: move it away, then ${toContinue}.`,
  );
}

/** Whether fold, render and manifest say the same: rows, and lines by all that they are counted by. */
function isReconciled(
  { before, run, record }: PartOfAccount,
  { rows, tallies }: MergedResults,
  { parts }: Manifest,
): boolean {
  const { tally, allLines } = record;
  const own = parts.filter(({ part }) => part === run.part);
  const areTold = outcomeStatuses.every(
    (status) => sum(own.map(({ counts }) => counts[status] ?? 0)) === tally.counts[status],
  );
  const areRendered =
    rows === (before?.reconciliation.rows_written ?? record.rows.count) &&
    isDeepStrictEqual(tallies.at(-1), allLines);
  return areRendered && areTold && sum(own.map((one) => one.rows)) === record.rows.count;
}

/** What was read, what is on record and what was written differ, so none of it can be relied on. */
export class NotReconciledError extends Error {
  readonly reason: StopReason;

  /** @param what differs, as the beginning of a sentence */
  constructor(what: string) {
    const message = `${what}: do not rely on this run. If nobody has edited its files, this is a bug in eventload.`;
    super(message);
    this.reason = { code: "not_reconciled", message };
  }
}

/**
 * Puts the new files of an account in their places. All of them are on the disk, and the journal says what they are:
 * so this can be interrupted anywhere and done again. What somebody has put in their place since is kept beside it.
 *
 * @param interrupted a part of which a killed process may have done some of that
 * @throws DiskError, or CannotStartError if a file is in neither place
 */
export async function placeFiles(
  disk: Disk,
  files: RunFiles,
  { manifest, state }: AccountEnd,
  interrupted?: Pick<PartOnRecord, "run"> & Pick<Ending, "warn">,
): Promise<void> {
  const { results, failed, newResults, newFailed, newState } = files;
  const hashOf = async (path: string) => (await fingerprintOn(disk, path))?.sha256;
  const rename = async (source: string, target: string, { sha256 }: Fingerprint) => {
    if (interrupted !== undefined && (await hashOf(source)) !== sha256) {
      if ((await hashOf(target)) === sha256) return;
      const why = `${basename(source)} is missing or was changed`;
      throw cannotStart("account_damaged", results, why);
    }
    await change(target, () => disk.rename(source, target));
  };
  const change = (target: string, replace: () => Promise<void>) =>
    whenFree(replace).catch((error: unknown) => {
      if (error instanceof DiskError) throw error;
      throw new DiskError(`${target} cannot be written: ${reasonOf(error)}`, { cause: error });
    });
  const { results_file, failed_rows_file } = manifest;
  // Once the failed rows are in their place, people edit them or move them away.
  const isTheirs =
    interrupted !== undefined &&
    failed_rows_file !== null &&
    (await disk.length(newFailed)) === undefined;
  const keepForeign = async (path: string, before: string | undefined, now: string | undefined) => {
    if (interrupted === undefined || [undefined, before, now].includes(await hashOf(path))) return;
    const kept = await keptName(disk, path);
    await change(path, () => disk.rename(path, kept));
    interrupted.warn(
      `${path} was changed while a part was unfinished: it is kept as ${basename(kept)}.`,
    );
  };
  const { account, failedRows } = interrupted?.run ?? {};
  if (!isTheirs) await keepForeign(failed, failedRows, failed_rows_file?.sha256);
  const isRenamed = (await disk.length(newResults)) === undefined;
  if (!isRenamed) await keepForeign(results, account?.sha256, results_file?.sha256);
  if (failed_rows_file !== null && !isTheirs) await rename(newFailed, failed, failed_rows_file);
  if (results_file !== null) await rename(newResults, results, results_file);
  if (failed_rows_file === null) await change(failed, () => disk.remove(failed));
  await disk.syncFolder(results);
  await change(files.manifest, () => writeManifest(files.manifest, manifest, disk));
  if (state === undefined || newState === undefined) return;
  await rename(newState, files.state ?? "", state);
  await disk.syncFolder(newState);
}

/** `people.failed-kept.csv`, or with a number behind that where there is one already. */
async function keptName(disk: Disk, path: string): Promise<string> {
  const nameOf = (number: number) => path.replace(/\.csv$/, `-kept${number > 1 ? number : ""}.csv`);
  let number = 1;
  while ((await disk.length(nameOf(number))) !== undefined) number++;
  return nameOf(number);
}

/**
 * Removes what only an unfinished account has, the journal last and its files in their order: the one with the end is
 * the last of them. What cannot be removed does no harm: the next command that locks the account removes it.
 */
export async function removePart(
  disk: Disk,
  files: RunFiles,
  warn: (message: string) => void,
): Promise<void> {
  const { results } = files;
  try {
    for (const path of files.ofPart) await remove(disk, path);
    // Of a night, one was made for the copy of its input, before its state was held.
    if (files.state !== undefined) await removeJournal(disk, runFiles(results));
    await removeJournal(disk, files);
  } catch (error) {
    warn(`${reasonOf(error)}: the account is complete, and a resume removes it.`);
  }
  await disk.syncFolder(results).catch(() => {});
}

/** Removes the files of a journal that says nothing any more. @throws DiskError naming the one that cannot be removed */
export async function removeJournal(disk: Disk, { journal }: RunFiles): Promise<void> {
  const numbers = await journalNumbers(disk, journal);
  for (const number of numbers) await remove(disk, journalFile(journal, number));
  if (numbers.length > 0) await disk.syncFolder(journal);
}

async function remove(disk: Disk, path: string): Promise<void> {
  await disk.remove(path).catch((error: unknown) => {
    throw new DiskError(`${basename(path)} cannot be removed (${reasonOf(error)})`);
  });
}
