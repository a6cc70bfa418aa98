import { stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { findUnfinishedRun, type UnfinishedRun } from "../../journal/unfinished-run.ts";
import { sleep, systemClock } from "../../model/clock.ts";
import type { Disk } from "../../model/disk/disk.ts";
import { exists } from "../../model/disk/exists.ts";
import { nodeDisk } from "../../model/disk/node-disk.ts";
import { CannotStartError, cannotStart } from "../../model/errors.ts";
import { shellWord } from "../../model/escape-text.ts";
import type { Manifest } from "../../model/manifest.ts";
import { filesOfAccount, type RunFiles, runFiles } from "../../model/run-files.ts";
import { type ManifestRead, readManifest } from "../../results/manifest.ts";

/** What the files of an import say about it. */
export type Account =
  /** There are none. */
  | { readonly kind: "none"; readonly files: RunFiles }
  | CompleteAccount
  | UnfinishedAccount
  /** An unfinished night, and a later one has sent what was left. */
  | {
      readonly kind: "closed";
      readonly files: RunFiles;
      readonly manifest: Manifest;
      readonly closed: NonNullable<Manifest["closed"]>;
    }
  /** What became of some rows is not known any more. */
  | { readonly kind: "damaged"; readonly files: RunFiles; readonly error: CannotStartError };

/** Every row that was read has its outcome. */
export interface CompleteAccount {
  readonly kind: "complete";
  readonly files: RunFiles;
  readonly manifest: Manifest;
  /** The journal could not be removed: the next command that locks the account does. */
  readonly hasJournal?: true;
}

/** A part of it is being written, or was interrupted. */
export interface UnfinishedAccount {
  readonly kind: "unfinished";
  readonly files: RunFiles;
  /** What the journal says of that part. */
  readonly part: UnfinishedRun;
  /** What the account was before that part, or when the part stopped; undefined in the first part. */
  readonly manifest: Manifest | undefined;
}

/**
 * Reads the account of an import: its manifest, its journal, and whether its files are there. It locks nothing, and
 * does not read the results.
 *
 * @param path of its results, or of failed rows
 */
export async function readAccount(path: string, disk: Disk = nodeDisk): Promise<Account> {
  const files = filesOfAccount(path);
  const damaged = (error: CannotStartError) => ({ kind: "damaged", files, error }) as const;
  const read = await readManifest(files.manifest, disk);
  const manifest = read.kind === "manifest" ? read.manifest : undefined;
  if (manifest?.closed !== undefined) {
    return { kind: "closed", files, manifest, closed: manifest.closed };
  }
  let part: UnfinishedRun | undefined;
  try {
    part = await readPart(disk, files.journal);
  } catch (error) {
    if (!(error instanceof CannotStartError)) throw error;
    return damaged(error);
  }
  if (part !== undefined && !isInPlace(part, manifest)) {
    const error = await damageOfUnfinished(disk, files, part, read);
    return error === undefined ? { kind: "unfinished", files, part, manifest } : damaged(error);
  }
  // The journal is made before the file of the part, and removed after it.
  const hasResults = (await disk.length(files.results)) !== undefined;
  if (part === undefined && (await disk.length(files.part)) !== undefined) {
    const journal = basename(files.journal);
    return damaged(cannotStart("journal_missing", files.results, journal, hasResults));
  }
  if (read.kind === "absent") {
    if (!hasResults) return { kind: "none", files };
    const names = [basename(files.journal), basename(files.manifest)] as const;
    return damaged(cannotStart("journal_and_manifest_missing", files.results, ...names));
  }
  if (read.kind === "unreadable") {
    return damaged(cannotStart("manifest_unreadable", files.manifest, read.message));
  }
  const error = await damageOfComplete(disk, files, read.manifest);
  if (error !== undefined) return damaged(error);
  const left = part === undefined ? {} : { hasJournal: true as const };
  return { kind: "complete", files, manifest: read.manifest, ...left };
}

/** Whether all new files of a part have their names: the manifest is the last of them. */
function isInPlace({ end }: UnfinishedRun, manifest: Manifest | undefined): boolean {
  const { parts, results_file } = (end?.manifest ?? {}) as Partial<Manifest>;
  return (
    manifest !== undefined &&
    isDeepStrictEqual(parts, manifest.parts) &&
    isDeepStrictEqual(results_file, manifest.results_file)
  );
}

/**
 * Where somebody names an account by another file than its results or failed rows.
 *
 * @throws CannotStartError if that is so
 */
export async function refuseOtherThanResults(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  const isFolder = found?.isDirectory() === true;
  if (!isFolder && !path.endsWith(".run.json")) return;
  const why = `it is a ${isFolder ? "folder" : "manifest"}; give the results of an import`;
  throw cannotStart("input_unreadable", path, why);
}

/**
 * Where only a complete account will do.
 *
 * @param given how it is called
 * @throws CannotStartError if it is not complete, saying what to do
 */
export function requireComplete(account: Account, given: string): CompleteAccount {
  switch (account.kind) {
    case "complete":
      return account;
    case "unfinished":
      throw unfinishedError(account);
    case "closed":
      throw cannotStart("account_closed", account.files.results, account.closed.by);
    case "damaged":
      throw account.error;
    case "none":
      throw cannotStart("account_missing", given);
    default:
      return account satisfies never;
  }
}

/** A process may be writing the journal: without its lock, a part of a batch can be seen, which looks like damage. */
const maxReads = 4;
const readAgainAfterMs = 50;

async function readPart(disk: Disk, journal: string): Promise<UnfinishedRun | undefined> {
  for (let left = maxReads - 1; ; left--) {
    try {
      return await findUnfinishedRun(disk, journal);
    } catch (error) {
      const isDamaged = error instanceof CannotStartError && error.code === "journal_damaged";
      if (!isDamaged || left === 0) throw error;
      await sleep(systemClock, readAgainAfterMs, new AbortController().signal);
    }
  }
}

async function damageOfUnfinished(
  disk: Disk,
  files: RunFiles,
  { run, checkpoint, end }: UnfinishedRun,
  read: ManifestRead,
): Promise<CannotStartError | undefined> {
  if (end !== undefined) return undefined;
  const isRetry = run.kind === "retry";
  if (isRetry && read.kind === "unreadable") {
    return cannotStart("manifest_unreadable", files.manifest, read.message);
  }
  const needed = [
    ...(isRetry ? [files.manifest, files.results] : []),
    ...(run.given === undefined ? [] : [files.given]),
    ...((checkpoint?.resultsBytes ?? 0) === 0 ? [] : [files.part]),
  ];
  for (const path of needed) {
    if ((await disk.length(path)) !== undefined) continue;
    return cannotStart("part_damaged", files.results, `${basename(path)} is missing`, isRetry);
  }
  return undefined;
}

async function damageOfComplete(
  disk: Disk,
  files: RunFiles,
  { parts, results_file: written }: Manifest,
): Promise<CannotStartError | undefined> {
  const { results, journal } = files;
  if (parts.at(-1)?.is_over !== true || written === null) {
    return cannotStart("journal_missing", results, basename(journal), written !== null);
  }
  const length = await disk.length(results);
  if (length === written.bytes) return undefined;
  const why =
    length === undefined
      ? `${basename(results)} is missing`
      : `${basename(results)} was changed: it has ${length} bytes, and eventload wrote ${written.bytes}`;
  return cannotStart("account_damaged", results, why);
}

/** Why nothing else can be done with an account that is unfinished. */
export function unfinishedError({ files, part }: UnfinishedAccount): CannotStartError {
  return isNight(part)
    ? cannotStart("night_unfinished", files.results)
    : cannotStart("run_unfinished", files.results, resumeCommand({ files, part }) ?? "");
}

/** @throws CannotStartError if it is a shard that was merged: then the merged account is retried, and not this one */
export async function refuseMerged(
  { files, manifest }: CompleteAccount,
  given: string,
): Promise<void> {
  const { merged_into: into } = manifest;
  if (into === undefined) return;
  const merged = runFiles(into);
  if (!(await exists(merged.results))) {
    const why = `it was merged into ${into}, which is not there: put that back, or merge the shards again, then retry what they were merged into`;
    throw cannotStart("retry_refused", basename(given), why);
  }
  // If all has succeeded meanwhile, there are no failed rows.
  const retried = (await exists(merged.failed)) ? merged.failed : merged.results;
  const isBeside = dirname(resolve(given)) === dirname(retried);
  const path = isBeside ? join(dirname(given), basename(retried)) : retried;
  throw cannotStart("shard_merged", files.results, into, shellWord(path));
}

/** Whether it is a part that only the next night completes. */
export function isNight({ run }: UnfinishedRun): boolean {
  return run.imported.state !== undefined;
}

/** The command that completes an unfinished account; undefined if that is the night's. */
export function resumeCommand({
  files,
  part,
}: Pick<UnfinishedAccount, "files" | "part">): string | undefined {
  if (isNight(part)) return undefined;
  return `eventload resume ${shellWord(files.results)}`;
}
