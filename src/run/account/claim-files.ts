import { lstat, rmdir } from "node:fs/promises";
import type { Lock } from "../../journal/lock.ts";
import { journalFile, journalNumbers } from "../../journal/read-journal.ts";
import { removeTemporaries } from "../../model/disk/atomic-file.ts";
import { exists } from "../../model/disk/exists.ts";
import { nodeDisk } from "../../model/disk/node-disk.ts";
import { isInUse } from "../../model/disk/platform.ts";
import { CannotStartError, cannotStart, DiskError, reasonOf } from "../../model/errors.ts";
import { makeFolderOf, type RunFiles, runFiles } from "../../model/run-files.ts";
import type { ImportPorts } from "../send/run-context.ts";

/**
 * Does something while no other process can write to these accounts. The folder of the first is made, and stays if
 * something was left in it.
 *
 * @param results paths of their results
 * @throws CannotStartError if another process has one of them
 */
export async function withLocks<Result>(
  results: readonly [string, ...string[]],
  acquireLock: ImportPorts["acquireLock"],
  warn: (message: string) => void,
  act: () => Promise<Result>,
): Promise<Result> {
  // The lock is in this folder.
  const made = await makeFolderOf(results[0]);
  const locks: Lock[] = [];
  try {
    for (const path of results) {
      const lock = await acquireLock(runFiles(path).manifest);
      if (lock === undefined) throw cannotStart("locked", path);
      locks.push(lock);
      const { manifest, journal } = runFiles(path);
      await removeTemporaries([manifest, journalFile(journal, 1)]);
    }
    return await act();
  } finally {
    for (const lock of locks) await lock.release(warn);
    for (const folder of made) await rmdir(folder).catch(() => {});
  }
}

/**
 * Refuses to overwrite the files of another run, or anything else. A dangling link counts too: writing would create
 * its target.
 *
 * @throws CannotStartError naming what is in the way
 */
export async function refuseExisting(files: RunFiles, isNight = false): Promise<void> {
  for (const path of files.ofAccount) {
    if (await exists(path)) throw cannotStart("results_exist", path, isNight);
  }
  // A part that was killed before its first event has left its copy of the input beside its journal.
  const isOurs = (await journalNumbers(nodeDisk, files.journal)).length > 0;
  if (!isOurs && (await exists(files.input))) {
    throw cannotStart("results_exist", files.input, isNight);
  }
  await refuseOtherThanFiles(files);
}

/**
 * Refuses to write into anything but regular files.
 *
 * @throws CannotStartError naming what is a link, a folder or a pipe
 */
export async function refuseOtherThanFiles(files: RunFiles): Promise<void> {
  const { ofAccount, journal, input } = files;
  const journals = await journalNumbers(nodeDisk, journal);
  const ofJournal = journals.map((number) => journalFile(journal, number));
  for (const path of [...ofAccount, ...ofJournal, input]) {
    const found = await lstat(path).catch(() => undefined);
    if (found === undefined || found.isFile()) continue;
    throw cannotStart(
      "output_not_writable",
      path,
      "it is no file; put the run's own file there, or move it away",
    );
  }
}

/** Refuses to begin a part whose end could not replace a file, as another program has it open. @throws CannotStartError */
export async function refuseInUse({ ofAccount, state }: RunFiles): Promise<void> {
  for (const path of [...ofAccount, ...(state === undefined ? [] : [state])]) {
    if (await isInUse(path)) throw cannotStart("file_in_use", path);
  }
}

/** What a disk that fails is for a command that has sent nothing. */
export function notWritable(path: string, error: unknown): CannotStartError {
  if (error instanceof CannotStartError) return error;
  // It names the file, which may be another.
  if (error instanceof DiskError) {
    return new CannotStartError("output_not_writable", `${error.message.replace(/\.$/, "")}.`);
  }
  return cannotStart("output_not_writable", path, reasonOf(error));
}
