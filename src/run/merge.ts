import { rm, rmdir } from "node:fs/promises";
import { basename, resolve } from "node:path";
import type { Lock } from "../journal/lock.ts";
import { systemClock } from "../model/clock.ts";
import { type AtomicFile, createAtomicFile } from "../model/disk/atomic-file.ts";
import { CannotStartError, cannotStart, reasonOf } from "../model/errors.ts";
import { isDone } from "../model/outcome.ts";
import { createOutcomeGroups, type OutcomeGroups } from "../model/outcome-groups.ts";
import { makeFolderOf, refuseExisting, removeLeftovers, runFiles } from "../model/run-files.ts";
import { writeManifest } from "../results/manifest.ts";
import { toCsv } from "../results/to-csv.ts";
import { summaryOfSameMerge } from "./complete-run.ts";
import type { RunSummary } from "./import-options.ts";
import { identityOf, mergedManifest } from "./merged-manifest.ts";
import { openShard, type ShardReader, shardChangedError } from "./read-shard.ts";
import { thisMachine } from "./run-context.ts";
import { sealOf } from "./seal.ts";
import { filesGiven, findShards, type ShardResults } from "./shards-to-merge.ts";
import { summaryOfManifest } from "./summary-of-manifest.ts";

export interface MergeOptions {
  /** The results of every shard, in any order: paths, or patterns such as `out/people.*-of-8.results.csv`. */
  readonly shards: readonly string[];
  /** Path of the merged results. */
  readonly results: string;
  /** Where the key of the seals is; default that of the XDG Base Directory Specification. */
  readonly stateFolder?: string | undefined;
  readonly onWarning?: (message: string) => void;
}

/**
 * Merges the results of all shards of an import into what one run would have written, but for times and
 * attempts. Nothing is there under the given name until all of it is. If the same shards were merged there before,
 * nothing is written.
 *
 * @returns the summary of the whole import
 * @throws CannotStartError if it cannot be done; the shards are as they were, and there are no merged results
 */
export async function mergeShards(options: MergeOptions): Promise<RunSummary> {
  const { onWarning = () => {}, stateFolder } = options;
  const files = runFiles(options.results);
  const shards = await findShards(await filesGiven(options.shards), stateFolder);
  // The lock is in this folder.
  const made = await makeFolderOf(files.results);
  let lock: Lock | undefined;
  const outputs = new Map<string, AtomicFile>();
  const written: string[] = [];
  const create = async (path: string) => {
    const file = await createOutput(path);
    outputs.set(path, file);
    return file;
  };
  try {
    lock = await thisMachine.acquireLock(files.manifest);
    if (lock === undefined) throw cannotStart("locked", files.results);
    await removeLeftovers(files);
    const same = await summaryOfSameMerge(files, shards.map(identityOf));
    if (same !== undefined) return same;
    await refuseExisting(
      files,
      shards.map(({ path }) => path),
    );
    const lines = await mergeLines(shards, files, create);
    const merged = mergedManifest(shards, {
      results: resolve(files.results),
      failedRows: lines.hasFailed ? resolve(files.failed) : null,
      mergedAt: systemClock.date().toISOString(),
    });
    const [unsealed] = shards.filter((shard) => shard.unsealed !== undefined);
    if (unsealed !== undefined) {
      onWarning(
        `${basename(files.manifest)} is not sealed, as ${basename(unsealed.manifest.results)} of a shard has no good seal here (${unsealed.unsealed}): a retry asks for --base-url and --mapping.`,
      );
    }
    // Otherwise anybody's values would get a good seal by a merge.
    const seal =
      unsealed === undefined
        ? await sealOf(files.manifest, merged, stateFolder).catch(() => undefined)
        : undefined;
    for (const [path, output] of outputs) {
      await output.finish();
      written.push(path);
    }
    await writeManifest(files.manifest, { ...merged, seal });
    return {
      ...summaryOfManifest(merged),
      shards: shards.length,
      problems: lines.problems.groups(),
      ungroupedProblems: lines.problems.ungrouped,
      results: files.results,
      ...(lines.hasFailed ? { failedRows: files.failed } : {}),
      manifest: files.manifest,
    };
  } catch (error) {
    for (const output of outputs.values()) await output.discard();
    for (const path of written) await rm(path, { force: true });
    if (error instanceof CannotStartError) throw error;
    throw cannotStart("output_not_writable", files.results, reasonOf(error));
  } finally {
    await lock?.release();
    // They stay if there are results in them.
    for (const folder of made) await rmdir(folder).catch(() => {});
  }
}

function createOutput(path: string): Promise<AtomicFile> {
  return createAtomicFile(path, { mayReplace: false }).catch((error: unknown) => {
    throw cannotStart("output_not_writable", path, reasonOf(error));
  });
}

type Create = (path: string) => Promise<AtomicFile>;

/** As many as the summary of a run has. */
const maxProblemGroups = 200;
const rowsInProblemGroup = 5;

const minCharsPerWrite = 64 * 1024;

/** Writes texts in pieces of some size. */
function writerTo(file: AtomicFile) {
  let text = "";
  const flush = async () => {
    const written = text;
    text = "";
    await file.handle.writeFile(written);
  };
  return {
    flush,
    /** @returns undefined if nothing has to be waited for, as for most lines */
    add(more: string): Promise<void> | undefined {
      text += more;
      return text.length < minCharsPerWrite ? undefined : flush();
    },
  };
}

/** Writes results and failed rows in the order of the rows. */
async function mergeLines(
  shards: readonly ShardResults[],
  files: { readonly results: string; readonly failed: string },
  create: Create,
): Promise<{ readonly hasFailed: boolean; readonly problems: OutcomeGroups }> {
  const problems = createOutcomeGroups(maxProblemGroups, rowsInProblemGroup);
  const readers: ShardReader[] = [];
  try {
    for (const shard of shards) readers.push(await openShard(shard));
    const [first] = readers;
    const header = toCsv([first?.columns ?? []]);
    const other = readers.find(({ columns }) => toCsv([columns]) !== header);
    if (other !== undefined) {
      throw shardChangedError(other.name, `its columns are not those of ${first?.name}`);
    }
    const results = writerTo(await create(files.results));
    let failed: ReturnType<typeof writerTo> | undefined;
    await results.add(header);

    /** Those with lines left, the lowest row last. */
    const queue = readers.filter(({ row }) => row !== undefined).toSorted(higherFirst);
    let lastRow = shards[0]?.manifest.options.skip ?? 0;
    for (let reader = queue.pop(); reader !== undefined; reader = queue.pop()) {
      const row = reader.row ?? 0;
      // All lines of a row are in one shard, and often those of the next rows too.
      const until = queue.at(-1)?.row ?? Number.POSITIVE_INFINITY;
      if (row === until) {
        const twice = `it has row ${row}, as ${queue.at(-1)?.name} has`;
        throw shardChangedError(reader.name, twice);
      }
      while (reader.row !== undefined && reader.row < until) {
        const isNext = reader.row === lastRow || reader.row === lastRow + 1;
        if (!isNext) await refuseGap(readers, lastRow);
        lastRow = reader.row;
        const line = toCsv([reader.cells]);
        const writing = results.add(line);
        if (writing !== undefined) await writing;
        if (!isDone(reader.status)) {
          problems.add(reader.ended());
          if (failed === undefined) {
            failed = writerTo(await create(files.failed));
            await failed.add(header);
          }
          const writingFailed = failed.add(line);
          if (writingFailed !== undefined) await writingFailed;
        }
        const reading = reader.next();
        if (reading !== undefined) await reading;
      }
      if (reader.row !== undefined) insert(queue, reader);
    }
    for (const reader of readers) reader.refuseChanged();
    await results.flush();
    await failed?.flush();
    return { hasFailed: failed !== undefined, problems };
  } finally {
    for (const reader of readers) await reader.close();
  }
}

/** Refuses the shard that a row is missing from, which shows when all of it is read. */
async function refuseGap(readers: readonly ShardReader[], lastRow: number): Promise<never> {
  for (const reader of readers) {
    while (reader.row !== undefined) await reader.next();
    reader.refuseChanged();
  }
  const names = readers.map(({ name }) => name).join(", ");
  throw shardChangedError(names, `row ${lastRow + 1} is in none of them`);
}

function higherFirst(one: ShardReader, other: ShardReader): number {
  return (other.row ?? 0) - (one.row ?? 0);
}

function insert(queue: ShardReader[], reader: ShardReader): void {
  let [from, to] = [0, queue.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (higherFirst(queue[middle] as ShardReader, reader) < 0) from = middle + 1;
    else to = middle;
  }
  queue.splice(from, 0, reader);
}
