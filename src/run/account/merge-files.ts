import { basename } from "node:path";
import type { Disk } from "../../model/disk/disk.ts";
import { createOutcomeGroups, type OutcomeGroups } from "../../model/outcome-groups.ts";
import type { RunFiles } from "../../model/run-files.ts";
import type { AccountEnd } from "../../model/run-record.ts";
import { createHashedFile, type HashedFile } from "../../results/hashed-file.ts";
import { type MergedResults, mergeResults } from "../../results/merge-results.ts";
import { ResultsReader } from "../../results/results-reader.ts";
import { endedLineOf } from "../send/open-lines.ts";

/** Results to be merged. */
export interface MergeSource {
  readonly path: string;
  /** What they have to be; undefined if nobody knows yet. */
  readonly sha256?: string | undefined;
  /** Makes the error if they are something else; why is the end of a sentence. */
  readonly refuse: (why: string) => Error;
}

/** New results and failed rows, on the disk beside those that they will replace. */
export interface MergedFiles {
  readonly merged: MergedResults;
  /** What did not succeed. */
  readonly groups: OutcomeGroups;
}

/**
 * Merges results into new ones, and their failed rows. Of a part that is the whole account only the failed rows are
 * written: it is the new results itself.
 *
 * @param mayReplace whether the rows of a file replace those of the files before it; else they must have other rows
 * @throws DiskError, or what the sources say
 */
export async function mergeFiles(
  disk: Disk,
  files: RunFiles,
  sources: readonly MergeSource[],
  mayReplace: boolean,
): Promise<MergedFiles> {
  const groups = createOutcomeGroups();
  const readers: ResultsReader[] = [];
  const created: HashedFile[] = [];
  const create = async (path: string) => {
    const file = await createHashedFile(disk, path);
    created.push(file);
    return file;
  };
  try {
    for (const { path, refuse } of sources) {
      const name = basename(path);
      const reader = await ResultsReader.open(disk.readChunks(path), name, refuse);
      readers.push(reader);
      if (readers[0]?.header.equals(reader.header) === false) {
        throw refuse(`its columns are not those of ${readers[0].name}`);
      }
    }
    const refuseOf = new Map(readers.map((reader, at) => [reader, sources[at]?.refuse]));
    const merged = await mergeResults(
      readers,
      {
        results: sources.length > 1 || !mayReplace ? await create(files.newResults) : undefined,
        createFailed: () => create(files.newFailed),
      },
      (one, by) => {
        if (!mayReplace) throw refuseOf.get(by)?.(`it has row ${by.row}, as ${one.name} has`);
      },
      (line) => groups.add(endedLineOf(line)),
    );
    for (const [at, { sha256, refuse }] of sources.entries()) {
      if (sha256 !== undefined && merged.read[at]?.sha256 !== sha256) {
        throw refuse("it is not as it was written");
      }
    }
    return { merged, groups };
  } catch (error) {
    for (const file of created) await file.discard();
    throw error;
  } finally {
    for (const reader of readers) await reader.close();
  }
}

/** The names that the new files get. */
export function endOf(
  files: RunFiles,
  { read, results, failed }: MergedResults,
): Omit<AccountEnd, "manifest"> {
  const [part = { bytes: 0, sha256: "" }] = read;
  const from = basename(results === undefined ? files.part : files.newResults);
  const ofFailed = { from: basename(files.newFailed), to: basename(files.failed) };
  return {
    files: [
      ...(failed === undefined ? [] : [{ ...ofFailed, ...failed }]),
      { from, to: basename(files.results), ...(results ?? part) },
    ],
    removed: failed === undefined ? [ofFailed.to] : [],
  };
}
