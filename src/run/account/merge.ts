import { basename, dirname, resolve } from "node:path";
import { claimJournal, openJournal } from "../../journal/journal.ts";
import { differences, journalVersion, type RunIdentity } from "../../journal/run-identity.ts";
import { systemClock } from "../../model/clock.ts";
import { exists } from "../../model/disk/exists.ts";
import { nodeDisk } from "../../model/disk/node-disk.ts";
import { isInUse, whenFree } from "../../model/disk/platform.ts";
import { cannotStart } from "../../model/errors.ts";
import type { Manifest } from "../../model/manifest.ts";
import { packageVersion } from "../../model/package-files.ts";
import type { RunSummary } from "../../model/run-events.ts";
import { filesOfAccount, runFiles, whyNotResults } from "../../model/run-files.ts";
import { sendingOf } from "../../model/run-settings.ts";
import type { Shard } from "../../model/shard.ts";
import { writeManifest } from "../../results/manifest.ts";
import { mergeFigures } from "../../stats/merge-figures.ts";
import { thisMachine } from "../send/run-context.ts";
import { whyNotSealed } from "../send/seal.ts";
import { sealedManifest, summaryOfAccount, totalsOf } from "./account-manifest.ts";
import { notWritable, refuseExisting, withLocks } from "./claim-files.ts";
import { completePart } from "./complete-part.ts";
import { completeLeft } from "./hold-account.ts";
import { readAccount, requireComplete } from "./read-account.ts";

export interface MergeOptions {
  /** Paths of the results of every shard, in any order. */
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
  const { results, onWarning = () => {} } = options;
  const why = whyNotResults(results);
  if (why !== undefined) throw cannotStart("option_invalid", "results", why);
  const given = await filesGiven(options.shards, results);
  const { acquireLock } = thisMachine;
  return withLocks([results, ...given], acquireLock, onWarning, () =>
    mergeLocked(given, options).catch((error: unknown) => {
      throw notWritable(results, error);
    }),
  );
}

async function mergeLocked(
  given: readonly string[],
  { results, stateFolder, onWarning: warn = () => {} }: MergeOptions,
): Promise<RunSummary> {
  const files = runFiles(results);
  const shards = await findShards(given, results, stateFolder);
  const account = await completeLeft(nodeDisk, await readAccount(results), warn);
  if (account.kind !== "none") requireComplete(account, results);
  const into = resolve(results);
  if (account.kind === "complete" && shards.every((one) => one.manifest.merged_into === into)) {
    return { ...(await summaryOfAccount(files, account.manifest)), shards: shards.length };
  }
  await refuseExisting(files);
  for (const { files: of } of shards) {
    if (await isInUse(of.manifest)) throw cannotStart("file_in_use", of.manifest);
  }
  const claimed = await claimJournal(nodeDisk, files, 0, systemClock, true);
  const ofJournal = { disk: nodeDisk, path: files.journal, clock: systemClock, reserveBytes: 0 };
  const journal = openJournal({ ...ofJournal, onFailure: () => {} }, claimed);
  try {
    const sources = shards.map(({ files: { results: path }, name, manifest }) => ({
      name,
      chunks: nodeDisk.readChunks(path),
      sha256: manifest.results_file?.sha256,
      refuse: (why: string) =>
        cannotStart("merge_impossible", name, `${why}; put it back as its run wrote it`),
    }));
    const account = await completePart({
      ...{ disk: nodeDisk, files, journal, part: undefined, warn },
      shards: { sources, mapping: shards[0]?.manifest.mapping },
      toContinue: "give the command again",
      toManifest(own) {
        const whole = mergedManifest(
          shards,
          totalsOf(files, own),
          systemClock.date().toISOString(),
        );
        const unsealed = shards.find((shard) => shard.unsealed !== undefined);
        if (unsealed !== undefined) {
          warn(
            `${basename(files.manifest)} is not sealed, as ${unsealed.name} of a shard cannot be verified on this machine (${unsealed.unsealed}): a retry asks for --base-url and --mapping.`,
          );
        }
        return sealedManifest(files.manifest, whole, unsealed === undefined, stateFolder);
      },
      async beforeEnd(merged) {
        // First the shards: none may be retried once the merged account can be.
        await noteMerged(shards, results, stateFolder);
        journal.add({ kind: "run", run: mergedRun(merged), read: {} });
        return undefined;
      },
    });
    return { ...account, shards: shards.length };
  } catch (error) {
    await journal.discard();
    throw error;
  }
}

/** What the journal of a merge is of: an account with nothing left to be sent. Without its end, it is no part. */
function mergedRun({ input, mapping, base_url, options, started_at, rows }: Manifest): RunIdentity {
  return {
    version: journalVersion,
    kind: "import",
    part: 1,
    imported: { input, mapping, base_url, options, started_at },
    parts: [{ startedAt: started_at, sending: sendingOf(options) }],
    rowsTotal: rows,
    columns: [],
  };
}

/** Notes in each shard's manifest where it was merged into: from then on, that account is retried. */
async function noteMerged(
  shards: readonly ShardAccount[],
  results: string,
  stateFolder: string | undefined,
): Promise<void> {
  const into = resolve(results);
  for (const { files, manifest, unsealed } of shards) {
    if (manifest.merged_into === into) continue;
    const noted = { ...manifest, merged_into: into };
    const isTrusted = unsealed === undefined;
    const sealed = await sealedManifest(files.manifest, noted, isTrusted, stateFolder);
    await whenFree(() => writeManifest(files.manifest, sealed));
  }
}

type ShardAccount = Awaited<ReturnType<typeof findShard>>;

/** Each of the given files once. @param merged path of the results that they are merged into */
async function filesGiven(given: readonly string[], merged: string): Promise<readonly string[]> {
  const paths = new Map<string, string>();
  for (const path of given) {
    // While a shard is unfinished there are no results of it, but their folder is there.
    if (!(await exists(dirname(path)))) throw cannotStart("input_not_found", path);
    const { results } = filesOfAccount(path);
    paths.set(resolve(results), results);
  }
  if (paths.has(resolve(merged))) {
    const why = "it is what the shards are merged into; give --results another name";
    throw cannotStart("merge_impossible", basename(merged), why);
  }
  return [...paths.values()];
}

/**
 * Makes sure that files are the results of all shards of one import, each of them complete.
 *
 * @param merged path of the results that they are merged into
 * @returns them in the order of the shards
 * @throws CannotStartError naming the file that is not, and what to do
 */
async function findShards(
  paths: readonly string[],
  merged: string,
  stateFolder: string | undefined,
): Promise<readonly ShardAccount[]> {
  const shards: ShardAccount[] = [];
  for (const path of paths) shards.push(await findShard(path, merged, stateFolder));
  shards.sort((one, other) => one.shard.index - other.shard.index);
  const [first] = shards;
  if (first === undefined) return [];
  for (const [at, { name, shard, manifest }] of shards.entries()) {
    const refuse = (why: string) => cannotStart("merge_impossible", name, why);
    const why = differenceOf(first.manifest, manifest, shard);
    if (why !== undefined) {
      throw refuse(`it is not of the import of ${first.name} (${why}); give the shards of one`);
    }
    const before = shards[at - 1];
    if (before?.shard.index !== shard.index) continue;
    const { index, count } = shard;
    throw refuse(`it is of shard ${index} of ${count}, as ${before.name} is; give one of them`);
  }
  const { count } = first.shard;
  if (shards.length < count) {
    const gap = shards.findIndex(({ shard }, at) => shard.index !== at + 1);
    const missing = (gap < 0 ? shards.length : gap) + 1;
    throw cannotStart("merge_incomplete", missing, count - shards.length, count);
  }
  return shards;
}

async function findShard(path: string, merged: string, stateFolder: string | undefined) {
  const name = basename(path);
  const refuse = (why: string) => cannotStart("merge_impossible", name, why);
  const account = requireComplete(await readAccount(path), path);
  const { files, manifest, written } = account;
  const { exit_reason: status, options, merged_into: into } = manifest;
  const { shard } = options;
  if (manifest.state !== undefined) {
    throw refuse("it is of a night (--state), and each shard keeps its own state and account");
  }
  if (shard === null) throw refuse("it is of an import without --shard; leave it out");
  if (status !== "complete") {
    throw refuse(
      `its run stopped early (${status}), and a merge needs all of its rows: import shard ${shard.index}/${shard.count} again, with other --results, which sends all of them again`,
    );
  }
  if (into !== undefined && resolve(into) !== resolve(merged) && (await exists(into))) {
    throw refuse(`it was merged into ${into} already; move that away to merge it again`);
  }
  const unsealed = await whyNotSealed(files.manifest, written, stateFolder);
  return { ...account, name, shard, unsealed };
}

/** How the run of a shard differs from that of another as no two shards of an import do. */
function differenceOf(one: Manifest, other: Manifest, { index }: Shard): string | undefined {
  const compared = (manifest: Manifest) => {
    const { options } = manifest;
    const shard = { index, count: options.shard?.count ?? 1 };
    return { ...manifest, options: { ...options, shard } };
  };
  return differences(compared(one), compared(other))[0];
}

/**
 * The manifest of the shards of an import as if they were one: it lasts from the beginning of the first to the end of
 * the last.
 *
 * @param shards all of them, in their order, each complete
 */
function mergedManifest(
  shards: readonly ShardAccount[],
  totals: ReturnType<typeof totalsOf>,
  mergedAt: string,
): Manifest {
  const all = shards.map(({ manifest }) => manifest);
  const first = all[0] as Manifest;
  const [began = ""] = all.map((one) => one.started_at).toSorted();
  const [ended = ""] = all
    .map((one) => one.finished_at)
    .toSorted()
    .toReversed();
  const { figures: _, merged_into: __, ...common } = first;
  const { rate_per_second: rate } = first.options;
  const figures = all.flatMap((one) => one.figures ?? []);
  return {
    ...common,
    ...totals,
    eventload: packageVersion(),
    options: {
      ...first.options,
      // The rate was divided among the shards, and thirds of it do not add up to it exactly.
      rate_per_second: rate === null ? null : Number((rate * all.length).toPrecision(12)),
      shard: null,
    },
    parts: all
      .flatMap((one) => one.parts)
      .toSorted((one, other) => (one.started_at < other.started_at ? -1 : 1)),
    shards: shards.map(({ files, shard }) => ({ ...shard, results: resolve(files.results) })),
    merged_at: mergedAt,
    started_at: began,
    finished_at: ended,
    elapsed_ms: Math.max(0, Date.parse(ended) - Date.parse(began)),
    // Where a shard lacks its figures, those of the others would pass for all.
    ...(figures.length === all.length ? { figures: mergeFigures(figures) } : {}),
  };
}
