import { basename, resolve } from "node:path";
import { claimJournal, openJournal } from "../../journal/journal.ts";
import { journalVersion, type RunIdentity } from "../../journal/run-identity.ts";
import { systemClock } from "../../model/clock.ts";
import { nodeDisk } from "../../model/disk/node-disk.ts";
import { cannotStart } from "../../model/errors.ts";
import type { Manifest } from "../../model/manifest.ts";
import { runFiles, whyNotResults } from "../../model/run-files.ts";
import { sendingOf } from "../../model/run-settings.ts";
import { writeManifest } from "../../results/manifest.ts";
import { mergeResults } from "../../results/merge-results.ts";
import { groupOpenLines } from "../../results/open-lines.ts";
import { thisMachine } from "../options/run-context.ts";
import type { RunSummary } from "../options/run-events.ts";
import { sealedManifest, summaryOfAccount, totalsOf } from "./account-manifest.ts";
import { notWritable, refuseExisting, withLocks } from "./claim-files.ts";
import { completeLeft, finishAccount } from "./complete-account.ts";
import { readAccount, requireComplete } from "./read-account.ts";
import { filesGiven, findShards, mergedManifest, type ShardAccount } from "./shards-to-merge.ts";

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
  const claimed = await claimJournal(nodeDisk, files, 0, systemClock);
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
    const open = groupOpenLines();
    const merged = await mergeResults(nodeDisk, files, sources, false, open.see);
    const totals = totalsOf(files, { ...merged, superseded: open.superseded });
    const whole = mergedManifest(shards, totals, systemClock.date().toISOString());
    const unsealed = shards.find((shard) => shard.unsealed !== undefined);
    if (unsealed !== undefined) {
      warn(
        `${basename(files.manifest)} is not sealed, as ${unsealed.name} of a shard cannot be verified on this machine (${unsealed.unsealed}): a retry asks for --base-url and --mapping.`,
      );
    }
    const isTrusted = unsealed === undefined;
    const manifest = await sealedManifest(files.manifest, whole, isTrusted, stateFolder);
    // First the shards: none may be retried once the merged account can be.
    await noteMerged(shards, results, stateFolder);
    journal.add({ kind: "run", run: mergedRun(manifest), read: {} });
    await finishAccount(nodeDisk, files, journal, { manifest }, warn);
    return {
      ...(await summaryOfAccount(files, manifest)),
      wasComplete: false,
      shards: shards.length,
      ...open.problems(),
    };
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
    await writeManifest(files.manifest, sealed);
  }
}
