import { dirname, join } from "node:path";
import { findUnfinishedRun } from "../journal/unfinished-run.ts";
import { nodeDisk } from "../model/disk/node-disk.ts";
import { cannotStart } from "../model/errors.ts";
import { baseOfRun, runFiles } from "../model/run-files.ts";

/**
 * Makes sure that the run of a file has ended: until then it has rows of which the file does not tell.
 *
 * @param path of one of the files that the run leaves
 * @throws CannotStartError with what to type to continue it
 */
export async function refuseUnfinished(path: string): Promise<void> {
  const results = await unfinishedResults(path);
  if (results !== undefined) throw cannotStart("run_unfinished", results);
}

/** The results of an unfinished run, as they are called: only its journal knows their status. */
export async function unfinishedResults(path: string): Promise<string | undefined> {
  const { journal } = runFiles(`${baseOfRun(path)}.results.csv`);
  const unfinished = await findUnfinishedRun(nodeDisk, journal);
  return unfinished === undefined ? undefined : join(dirname(path), unfinished.run.results);
}
