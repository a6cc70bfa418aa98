import { findUnfinishedRun, type UnfinishedRun } from "../journal/unfinished-run.ts";
import { nodeDisk } from "../model/disk/node-disk.ts";

/** The unfinished run whose journal that is; undefined if there is none. @throws CannotStartError if it is damaged */
export function unfinishedRunOf(journal: string): Promise<UnfinishedRun | undefined> {
  return findUnfinishedRun(nodeDisk, journal);
}
