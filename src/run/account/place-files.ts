import { basename } from "node:path";
import { fingerprintOn } from "../../journal/fingerprint.ts";
import { journalFile, journalNumbers } from "../../journal/read-journal.ts";
import type { Disk } from "../../model/disk/disk.ts";
import { whenFree } from "../../model/disk/platform.ts";
import { cannotStart, DiskError, reasonOf } from "../../model/errors.ts";
import { type RunFiles, runFiles } from "../../model/run-files.ts";
import type { AccountEnd, Fingerprint } from "../../model/run-record.ts";
import { writeManifest } from "../../results/manifest.ts";
import type { PartOnRecord } from "../send/part-record.ts";
import { notWritable } from "./claim-files.ts";

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
  interrupted?: Pick<PartOnRecord, "run"> & { readonly warn: (message: string) => void },
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
