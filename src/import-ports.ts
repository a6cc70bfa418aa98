import { createPoster, type Poster, type PosterSettings } from "./delivery/post.ts";
import type { Disk } from "./domain/disk.ts";
import { acquireLock, type Lock } from "./journal/lock.ts";
import { nodeDisk } from "./journal/node-disk.ts";
import type { SpillBeyond } from "./results/results-writer.ts";

/** What a run needs of the world around it. */
export interface ImportPorts {
  /** Where journal and results are kept. */
  readonly disk: Disk;
  readonly acquireLock: (path: string) => Promise<Lock | undefined>;
  /** By how much the journal may grow before it is cut back. */
  readonly journalGrowthBytes: number;
  /** From which amount on rows that have ended before their turn are set aside on the disk. */
  readonly spillBeyond: SpillBeyond;
  readonly createPoster: (settings: PosterSettings) => Poster;
}

export const thisMachine: ImportPorts = {
  disk: nodeDisk,
  acquireLock,
  journalGrowthBytes: 2 * 1024 * 1024,
  // Well below what may be in memory, so that rows that have ended never keep others out of it.
  spillBeyond: { rows: 4000, chars: 2 * 1024 * 1024 },
  createPoster,
};
