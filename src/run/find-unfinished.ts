import { dirname, join } from "node:path";
import { findUnfinishedRun, type UnfinishedRun } from "../journal/unfinished-run.ts";
import { systemClock } from "../model/clock.ts";
import { nodeDisk } from "../model/disk/node-disk.ts";
import { CannotStartError, cannotStart } from "../model/errors.ts";
import { baseOfRun, runFiles } from "../model/run-files.ts";

/**
 * Makes sure that the run of a file is complete: until then it has rows that the file does not hold.
 *
 * @param path of one of the files that the run leaves
 * @throws CannotStartError with what to type to continue it
 */
export async function refuseUnfinished(path: string): Promise<void> {
  const results = await unfinishedResults(path);
  if (results !== undefined) throw cannotStart("run_unfinished", results);
}

/**
 * The same for a retry, which may have rows of a run that cannot be resumed.
 *
 * @returns whether the run cannot be resumed, as its input can be read only once
 */
export async function refuseResumable(path: string): Promise<boolean> {
  const { journal } = runFiles(`${baseOfRun(path)}.results.csv`);
  const unfinished = await unfinishedRunOf(journal);
  if (unfinished === undefined) return false;
  if (isReadOnceRun(unfinished.run)) return true;
  throw cannotStart("run_unfinished", join(dirname(path), unfinished.run.results));
}

/** Whether a run read an input that cannot be read again, such as standard input. */
export function isReadOnceRun({
  input,
  inputs,
}: {
  readonly input: { readonly path: string | null };
  readonly inputs?: readonly unknown[] | undefined;
}): boolean {
  return input.path === null && inputs === undefined;
}

/** Path of the results of an unfinished run. Their name may have another extension, which the journal holds. */
export async function unfinishedResults(path: string): Promise<string | undefined> {
  const { journal } = runFiles(`${baseOfRun(path)}.results.csv`);
  const unfinished = await unfinishedRunOf(journal);
  return unfinished === undefined ? undefined : join(dirname(path), unfinished.run.results);
}

/**
 * The unfinished run of a journal; undefined if there is none.
 *
 * @throws CannotStartError if the journal is damaged
 */
export async function unfinishedRunOf(journal: string): Promise<UnfinishedRun | undefined> {
  for (let left = maxReads - 1; ; left--) {
    try {
      return await findUnfinishedRun(nodeDisk, journal);
    } catch (error) {
      const isDamaged = error instanceof CannotStartError && error.code === "journal_damaged";
      if (!isDamaged || left === 0) throw error;
      await new Promise(
        (read) => void systemClock.schedule(readAgainAfterMs, () => read(undefined)),
      );
    }
  }
}

/** The run may be writing the journal: without its lock, a part of a batch can be seen, which looks like damage. */
const maxReads = 4;
const readAgainAfterMs = 50;
