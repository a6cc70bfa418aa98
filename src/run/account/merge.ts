import { rmdir } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { openJournal } from "../../journal/journal.ts";
import type { Lock } from "../../journal/lock.ts";
import { journalVersion, type RunIdentity } from "../../journal/run-identity.ts";
import { systemClock } from "../../model/clock.ts";
import { nodeDisk } from "../../model/disk/node-disk.ts";
import { CannotStartError, cannotStart, reasonOf } from "../../model/errors.ts";
import { createOutcomeGroups } from "../../model/outcome-groups.ts";
import { makeFolderOf, refuseExisting, removeLeftovers, runFiles } from "../../model/run-files.ts";
import type { AccountEnd } from "../../model/run-record.ts";
import { createHashedFile } from "../../results/hashed-file.ts";
import { type Manifest, writeManifest } from "../../results/manifest.ts";
import { mergeResults } from "../../results/merge-results.ts";
import { ResultsReader } from "../../results/results-reader.ts";
import { totalsOf } from "../finish-run.ts";
import type { RunSummary } from "../import-options.ts";
import { sendingOfManifest } from "../import-settings.ts";
import { maxProblemGroups, rowsOfProblem } from "../open-run.ts";
import { beginning } from "../read-positions.ts";
import { thisMachine } from "../run-context.ts";
import { sealOf } from "../seal.ts";
import { completeAccount, removePart } from "./complete-account.ts";
import { identityOf, mergedManifest } from "./merged-manifest.ts";
import { endedLineOf } from "./open-lines.ts";
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
  const shards = await findShards(await filesGiven(options.shards), results, stateFolder);
  // The lock is in this folder.
  const made = await makeFolderOf(results);
  let lock: Lock | undefined;
  try {
    lock = await thisMachine.acquireLock(files.manifest);
    if (lock === undefined) throw cannotStart("locked", results);
    const account = await readAccount(results);
    if (account.kind === "damaged") throw account.error;
    if (account.kind === "unfinished") {
      const { end } = account.part;
      if (end === undefined) throw unfinishedError(account);
      await noteMerged(shards, results, stateFolder);
      await completeAccount(nodeDisk, files, end, true);
      await removePart(nodeDisk, files, onWarning);
      return summaryOfAccount(files, end.manifest as Manifest);
    }
    await removeLeftovers(files);
    if (account.kind === "complete" && isOfShards(account.manifest, shards)) {
      return await summaryOfAccount(files, account.manifest);
    }
    const paths = shards.map(({ path }) => path);
    await refuseExisting(files, paths);
    const { merged, groups } = await mergeLines(shards, files);
    const manifest = mergedManifest(
      shards,
      totalsOf(merged, files),
      systemClock.date().toISOString(),
    );
    const seal = await sealUnlessUnsealed(shards, files.manifest, manifest, options);
    const end: AccountEnd = {
      files: [
        ...(merged.failed === undefined
          ? []
          : [{ from: basename(files.newFailed), to: basename(files.failed), ...merged.failed }]),
        ...(merged.results === undefined
          ? []
          : [{ from: basename(files.newResults), to: basename(results), ...merged.results }]),
      ],
      removed: [],
      manifest: { ...manifest, seal },
    };
    const run = runOf(manifest, basename(results));
    await recordEnd(files.journal, run, end);
    await noteMerged(shards, results, stateFolder);
    await completeAccount(nodeDisk, files, end, false);
    await removePart(nodeDisk, files, onWarning);
    return {
      ...(await summaryOfAccount(files, manifest)),
      wasComplete: false,
      problems: groups.groups(),
      ungroupedProblems: groups.ungrouped,
    };
  } catch (error) {
    if (error instanceof CannotStartError) throw error;
    throw cannotStart("output_not_writable", results, reasonOf(error));
  } finally {
    await lock?.release();
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

async function mergeLines(shards: readonly ShardResults[], files: ReturnType<typeof runFiles>) {
  const groups = createOutcomeGroups(maxProblemGroups, rowsOfProblem);
  const changed = (name: string) => (why: string) =>
    cannotStart("merge_impossible", name, `${why}; put it back as its run wrote it`);
  const readers: ResultsReader[] = [];
  const created = [files.newResults, files.newFailed];
  try {
    for (const { path, name } of shards) {
      readers.push(await ResultsReader.open(nodeDisk.readChunks(path), name, changed(name)));
    }
    const [first] = readers;
    const other = readers.find(({ header }) => !header.equals(first?.header ?? header));
    if (other !== undefined) {
      throw changed(other.name)(`its columns are not those of ${first?.name}`);
    }
    const merged = await mergeResults(
      readers,
      {
        results: await createHashedFile(nodeDisk, files.newResults),
        createFailed: () => createHashedFile(nodeDisk, files.newFailed),
      },
      (one, twice) => {
        throw changed(twice.name)(`it has row ${twice.row}, as ${one.name} has`);
      },
      (line) => groups.add(endedLineOf(line)),
    );
    for (const [at, { name, manifest }] of shards.entries()) {
      if (merged.read[at]?.sha256 === manifest.results_file?.sha256) continue;
      throw changed(name)("it was changed since its run");
    }
    await nodeDisk.syncFolder(files.results);
    return { merged, groups };
  } catch (error) {
    for (const path of created) await nodeDisk.remove(path).catch(() => {});
    throw error;
  } finally {
    for (const reader of readers) await reader.close();
  }
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

/** Notes in each shard's manifest where it went: from then on, the merged account is retried. */
async function noteMerged(
  shards: readonly ShardResults[],
  results: string,
  stateFolder: string | undefined,
): Promise<void> {
  for (const { files, manifest, unsealed } of shards) {
    if (manifest.merged_into === resolve(results)) continue;
    const { seal: _, ...before } = manifest;
    const noted = { ...before, merged_into: resolve(results) };
    const seal =
      unsealed === undefined
        ? await sealOf(files.manifest, noted, stateFolder).catch(() => undefined)
        : undefined;
    await writeManifest(files.manifest, { ...noted, seal });
  }
}

/** What the journal of a merge says: an account with nothing left to be sent. */
function runOf(manifest: Manifest, results: string): RunIdentity {
  const { input, mapping, base_url: baseUrl, started_at: startedAt, rows, options } = manifest;
  const { delivery, idempotency_header: idempotencyHeader, allow_http: allowHttp } = options;
  return {
    ...{ version: journalVersion, kind: "import", part: 1, results, mapping, baseUrl, startedAt },
    input: input as RunIdentity["input"],
    options: { delivery, idempotencyHeader, allowHttp, skip: options.skip, limit: options.limit },
    parts: [{ startedAt, sending: sendingOfManifest(manifest) }],
    rowsTotal: rows,
  };
}

async function recordEnd(path: string, run: RunIdentity, end: AccountEnd): Promise<void> {
  let failure: unknown;
  const journal = await openJournal({
    ...{ disk: nodeDisk, path, run, isFirst: true, durability: "power" },
    ...{ reserveBytes: 0, growthBytes: Number.POSITIVE_INFINITY, now: systemClock.now },
    snapshot: async (take) => take({ checkpoint: beginning(), records: [] }),
    onFailure(error) {
      failure = error;
    },
  });
  const isRecorded = await journal.end(end);
  if (!isRecorded) throw failure ?? new Error(`${path} cannot be written`);
  await journal.release();
}
