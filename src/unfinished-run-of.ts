import { nodeDisk } from "./journal/node-disk.ts";
import { findUnfinishedRun, type UnfinishedRun } from "./journal/unfinished-run.ts";

/** The unfinished run whose journal that is; nothing where there is none. @throws CannotStartError where it is damaged */
export function unfinishedRunOf(journal: string): Promise<UnfinishedRun | undefined> {
  return findUnfinishedRun(nodeDisk, journal);
}
