import { rmdir } from "node:fs/promises";
import type { Lock } from "../../journal/lock.ts";
import type { Disk } from "../../model/disk/disk.ts";
import { cannotStart } from "../../model/errors.ts";
import { makeFolderOf, runFiles } from "../../model/run-files.ts";
import type { ImportPorts } from "../options/run-context.ts";
import { removePart } from "./complete-account.ts";
import type { Account } from "./read-account.ts";

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
    }
    return await act();
  } finally {
    for (const lock of locks) await lock.release(warn);
    for (const folder of made) await rmdir(folder).catch(() => {});
  }
}

/** Removes the journal of a complete account that could not be removed when it was completed. */
export async function removeLeft(
  disk: Disk,
  account: Account,
  warn: (message: string) => void,
): Promise<void> {
  if (account.kind !== "complete" || account.hasJournal !== true) return;
  const { files } = account;
  await removePart(disk, files, () => disk.remove(files.journal), warn);
}
