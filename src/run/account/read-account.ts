import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { readsCopy } from "../../journal/run-identity.ts";
import { findUnfinishedRun, type UnfinishedRun } from "../../journal/unfinished-run.ts";
import { sleep, systemClock } from "../../model/clock.ts";
import type { Disk } from "../../model/disk/disk.ts";
import { nodeDisk } from "../../model/disk/node-disk.ts";
import { CannotStartError, cannotStart } from "../../model/errors.ts";
import type { Manifest } from "../../model/manifest.ts";
import { filesOfAccount, type RunFiles } from "../../model/run-files.ts";
import { type CommandWords, fileWord } from "../../model/typed-command.ts";
import { readManifest } from "../../results/manifest.ts";

/** What the files of an import say about it. */
export type Account =
  /** There are none. */
  | { readonly kind: "none"; readonly files: RunFiles }
  | CompleteAccount
  | UnfinishedAccount
  /** An unfinished night, and a later one has sent what was left. */
  | { readonly kind: "closed"; readonly files: RunFiles; readonly manifest: Manifest }
  /** What became of some rows is not known any more. */
  | { readonly kind: "damaged"; readonly files: RunFiles; readonly error: CannotStartError };

/** Every row that was read has its outcome. */
export interface CompleteAccount {
  readonly kind: "complete";
  readonly files: RunFiles;
  readonly manifest: Manifest;
  /** The manifest as it is in the file: its seal covers that. */
  readonly written: object & { readonly seal?: string };
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
  try {
    return await readSound(files, disk);
  } catch (error) {
    if (!(error instanceof CannotStartError)) throw error;
    return { kind: "damaged", files, error };
  }
}

/** @throws CannotStartError if it is damaged */
async function readSound(files: RunFiles, disk: Disk): Promise<Account> {
  const { results } = files;
  const read = await readManifest(files.manifest, disk);
  const manifest = read.kind === "manifest" ? read.manifest : undefined;
  if (manifest?.closed !== undefined) return { kind: "closed", files, manifest };
  const part = await readPart(disk, files.journal);
  const unreadable = read.kind === "unreadable" ? read.message : undefined;
  if (unreadable !== undefined && part === undefined) {
    throw cannotStart("manifest_unreadable", files.manifest, unreadable);
  }
  // The manifest is the last of the new files of a part that gets its name.
  const parts = part?.end?.manifest.parts;
  const isInPlace = manifest !== undefined && isDeepStrictEqual(parts, manifest.parts);
  if (part !== undefined && !isInPlace) {
    await refuseLackingPart(disk, files, part, unreadable);
    return { kind: "unfinished", files, part, manifest };
  }
  const length = await disk.length(results);
  const journal = basename(files.journal);
  // The journal is made before the file of the part, and removed after it.
  if (part === undefined && (await disk.length(files.part)) !== undefined) {
    throw cannotStart("journal_missing", results, journal, length !== undefined);
  }
  if (read.kind !== "manifest") {
    if (length === undefined) return { kind: "none", files };
    throw cannotStart("journal_and_manifest_missing", results, journal, basename(files.manifest));
  }
  const { parts: all, results_file: whole } = read.manifest;
  if (all.at(-1)?.is_over !== true || whole === null) {
    throw cannotStart("journal_missing", results, journal, whole !== null);
  }
  if (length !== whole.bytes) {
    const what = length === undefined ? "is missing" : "was changed";
    throw cannotStart("account_damaged", results, `${basename(results)} ${what}`);
  }
  return { kind: "complete", files, manifest: read.manifest, written: read.written };
}

/**
 * The journal of an import has all that its resume needs, and that of a retry has not.
 *
 * @param unreadable why the manifest cannot be used, if it is there
 * @throws CannotStartError naming each file that a resume of the part reads and that is not as it was
 */
async function refuseLackingPart(
  disk: Disk,
  files: RunFiles,
  { run, checkpoint, end }: UnfinishedRun,
  unreadable: string | undefined,
): Promise<void> {
  if (end !== undefined) return;
  const isRetry = run.kind === "retry";
  const needed = [
    ...(isRetry ? [files.manifest, files.results] : []),
    ...(run.given === undefined ? [] : [files.given]),
    ...(readsCopy(run) ? [files.input] : []),
    ...((checkpoint?.resultsBytes ?? 0) === 0 ? [] : [files.part]),
  ];
  const wrong: string[] = [];
  for (const path of needed) {
    const length = await disk.length(path);
    const name = basename(path);
    if (length === undefined) wrong.push(`${name} is missing`);
    else if (path === files.manifest && unreadable !== undefined) {
      wrong.push(`${name} cannot be used (${unreadable})`);
    } else if (path === files.results && length !== run.account?.bytes) {
      wrong.push(`${name} was changed`);
    }
  }
  if (wrong.length === 0) return;
  throw cannotStart("part_damaged", files.results, wrong.join(", and "), isRetry);
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
      throw cannotStart("account_closed", account.files.results, account.manifest.closed?.by ?? "");
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

/** Why nothing else can be done with an account that is unfinished. */
export function unfinishedError({ files, part }: UnfinishedAccount): CannotStartError {
  return cannotStart(isNight(part) ? "night_unfinished" : "run_unfinished", files.results);
}

/** Whether it is a part that only the next night completes. */
export function isNight({ run }: UnfinishedRun): boolean {
  return run.imported.state !== undefined;
}

/** The command that completes an unfinished account; undefined if that is the night's. */
export function resumeCommand({ files, part }: UnfinishedAccount): CommandWords | undefined {
  return isNight(part) ? undefined : ["eventload", "resume", fileWord(files.results)];
}
