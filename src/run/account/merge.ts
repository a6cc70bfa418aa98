import { rmdir } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { createBatchWriter } from "../../journal/batch.ts";
import type { Lock } from "../../journal/lock.ts";
import { journalVersion, type RunIdentity } from "../../journal/run-identity.ts";
import { systemClock } from "../../model/clock.ts";
import { writeWhole } from "../../model/disk/disk.ts";
import { nodeDisk } from "../../model/disk/node-disk.ts";
import { CannotStartError, cannotStart, reasonOf } from "../../model/errors.ts";
import { makeFolderOf, runFiles } from "../../model/run-files.ts";
import type { AccountEnd } from "../../model/run-record.ts";
import { sendingOf } from "../../model/run-settings.ts";
import { type Manifest, writeManifest } from "../../results/manifest.ts";
import { thisMachine } from "../options/run-context.ts";
import type { RunSummary } from "../options/run-events.ts";
import { sealOf } from "../options/seal.ts";
import { readEarlierManifest } from "../options/unsealed.ts";
import { beginning } from "../send/read-positions.ts";
import { completeAccount, removePart } from "./complete-account.ts";
import { refuseExisting, removeLeftovers } from "./files-in-the-way.ts";
import { totalsOf } from "./finish-run.ts";
import { endOf, mergeFiles } from "./merge-files.ts";
import { identityOf, mergedManifest } from "./merged-manifest.ts";
import { readAccount, unfinishedError } from "./read-account.ts";
import { filesGiven, findShards, type ShardResults } from "./shards-to-merge.ts";
import { summaryOfAccount } from "./summarize-account.ts";

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
 * Merges the accounts of all shards of an import, with their retries, into the account that one run would have
 * written, but for times and attempts. Each shard's manifest then says where it went. If it is interrupted, giving it
 * again completes it; if it was done before, nothing is written.
 *
 * @returns the summary of the whole import
 * @throws CannotStartError if it cannot be done
 */
export async function mergeShards(options: MergeOptions): Promise<RunSummary> {
  const { onWarning = () => {}, stateFolder } = options;
  const files = runFiles(options.results);
  const { results } = files;
  const removeJournal = () => nodeDisk.remove(files.journal);
  const given = await filesGiven(options.shards);
  const paths = (await findShards(given, results, stateFolder)).map(({ path }) => path);
  // The lock is in this folder.
  const made = await makeFolderOf(results);
  const locks: Lock[] = [];
  const lockAll = async () => {
    for (const path of [results, ...paths]) {
      const lock = await thisMachine.acquireLock(runFiles(path).manifest);
      if (lock === undefined) throw cannotStart("locked", path);
      locks.push(lock);
    }
  };
  try {
    await lockAll();
    // One may have been retried until now.
    const shards = await findShards(given, results, stateFolder);
    const account = await readAccount(results);
    if (account.kind === "damaged") throw account.error;
    if (account.kind === "unfinished") {
      const { end } = account.part;
      const recorded = end?.manifest as Manifest | undefined;
      if (end === undefined || recorded?.shards === undefined) throw unfinishedError(account);
      if (isOfShards(recorded, shards)) {
        await noteMerged(paths, results, stateFolder);
        await completeAccount(nodeDisk, files, end, true);
        await removePart(nodeDisk, files, removeJournal, onWarning);
        return { ...(await summaryOfAccount(files, recorded)), shards: shards.length };
      }
      refuseOthers(recorded.shards, shards, basename(results));
      // A shard that is not noted could be retried, and until all are, no file has its name: the merge begins anew.
      await removePart(nodeDisk, files, removeJournal, onWarning);
    }
    await removeLeftovers(files);
    if (account.kind === "complete" && isOfShards(account.manifest, shards)) {
      return { ...(await summaryOfAccount(files, account.manifest)), shards: shards.length };
    }
    await refuseExisting(files, paths);
    const sources = shards.map(({ path, name, manifest }) => ({
      path,
      sha256: manifest.results_file?.sha256,
      refuse: (why: string) =>
        cannotStart("merge_impossible", name, `${why}; put it back as its run wrote it`),
    }));
    const { merged, groups } = await mergeFiles(nodeDisk, files, sources, false);
    const now = systemClock.date().toISOString();
    const manifest = mergedManifest(shards, totalsOf(merged, files), now);
    const seal = await sealUnlessUnsealed(shards, files.manifest, manifest, options);
    const end: AccountEnd = { ...endOf(files, merged), manifest: { ...manifest, seal } };
    const run = runOf(manifest, basename(results));
    await recordEnd(files.journal, run, end);
    await noteMerged(paths, results, stateFolder);
    await completeAccount(nodeDisk, files, end, false);
    await removePart(nodeDisk, files, removeJournal, onWarning);
    return {
      ...(await summaryOfAccount(files, manifest)),
      wasComplete: false,
      shards: shards.length,
      problems: groups.groups(),
      ungroupedProblems: groups.ungrouped,
    };
  } catch (error) {
    if (error instanceof CannotStartError) throw error;
    throw cannotStart("output_not_writable", results, reasonOf(error));
  } finally {
    for (const lock of locks) await lock.release(onWarning);
    // They stay if there are results in them.
    for (const folder of made) await rmdir(folder).catch(() => {});
  }
}

/** Whether an account was merged from these shards, wherever they are now. */
function isOfShards({ shards: merged }: Manifest, shards: readonly ShardResults[]): boolean {
  const withoutPaths = (all: NonNullable<Manifest["shards"]>) =>
    all.map(({ results: _, ...shard }) => shard);
  return (
    merged !== undefined &&
    isDeepStrictEqual(withoutPaths(merged), withoutPaths(shards.map(identityOf)))
  );
}

/** @throws CannotStartError if a merge that was broken off was of other shards than these */
function refuseOthers(
  recorded: NonNullable<Manifest["shards"]>,
  shards: readonly ShardResults[],
  name: string,
): void {
  const began = ({ index, count, started_at: at }: (typeof recorded)[number]) => [index, count, at];
  if (isDeepStrictEqual(recorded.map(began), shards.map(identityOf).map(began))) return;
  const why = "a merge of other shards into it was broken off; give those again, or another name";
  throw cannotStart("merge_impossible", name, why);
}

/** Otherwise anybody's values would get a good seal by a merge. */
async function sealUnlessUnsealed(
  shards: readonly ShardResults[],
  path: string,
  manifest: Manifest,
  { onWarning = () => {}, stateFolder }: MergeOptions,
): Promise<string | undefined> {
  const unsealed = shards.find((shard) => shard.unsealed !== undefined);
  if (unsealed === undefined) {
    return sealOf(path, manifest, stateFolder).catch(() => undefined);
  }
  onWarning(
    `${basename(path)} is not sealed, as ${unsealed.name} of a shard has no good seal here (${unsealed.unsealed}): a retry asks for --base-url and --mapping.`,
  );
  return undefined;
}

/** What the journal of a merge says: an account with nothing left to be sent. */
function runOf(manifest: Manifest, results: string): RunIdentity {
  const { input, mapping, base_url: baseUrl, started_at: startedAt, rows, options } = manifest;
  return {
    ...{ version: journalVersion, kind: "import", part: 1, results, mapping, baseUrl, startedAt },
    input: input as RunIdentity["input"],
    settings: options,
    parts: [{ startedAt, sending: sendingOf(options) }],
    rowsTotal: rows,
  };
}

/** A journal that appears with its end in it: without that, a resume would send the whole import again. */
async function recordEnd(path: string, run: RunIdentity, end: AccountEnd): Promise<void> {
  const batch = createBatchWriter();
  batch.run(run);
  batch.checkpoint(beginning());
  batch.end(end);
  const text = batch.take(0);
  await writeWhole(nodeDisk, path, text + batch.take(Buffer.byteLength(text)));
}

/**
 * Notes in each shard's manifest where it was merged into: from then on, that account is retried. A shard that is
 * not where it was stays as it is.
 *
 * @param shards paths of their results
 * @param merged path of the results that they were merged into
 */
async function noteMerged(
  shards: readonly string[],
  merged: string,
  stateFolder: string | undefined,
): Promise<void> {
  for (const shard of shards) {
    const path = runFiles(shard).manifest;
    const read = await readEarlierManifest(path, stateFolder);
    if (read.kind !== "sealed" && read.kind !== "unsealed") continue;
    const { seal: _, ...before } = read.manifest;
    if (before.options.shard === null || before.merged_into === resolve(merged)) continue;
    const noted: Manifest = { ...before, merged_into: resolve(merged) };
    // Otherwise anybody's values would get a good seal by a merge.
    const seal =
      read.kind === "sealed"
        ? await sealOf(path, noted, stateFolder).catch(() => undefined)
        : undefined;
    await writeManifest(path, { ...noted, seal });
  }
}
