import { basename } from "node:path";
import { journalFile, readLastBegin } from "../../journal/read-journal.ts";
import { readsCopy } from "../../journal/run-identity.ts";
import { sleep, systemClock } from "../../model/clock.ts";
import type { Disk } from "../../model/disk/disk.ts";
import { nodeDisk } from "../../model/disk/node-disk.ts";
import { CannotStartError, cannotStart, reasonOf } from "../../model/errors.ts";
import type { Manifest } from "../../model/manifest.ts";
import { sum } from "../../model/quantities.ts";
import { filesOfAccount, type RunFiles, runFiles } from "../../model/run-files.ts";
import { type CommandWords, fileWord } from "../../model/typed-command.ts";
import { type ManifestRead, readManifest } from "../../results/manifest.ts";
import { type PartOnRecord, type PartRecord, readPartRecord } from "../send/part-record.ts";
import type { PartOfAccount } from "./account-manifest.ts";

export type Account =
  | { readonly kind: "none"; readonly files: RunFiles }
  | CompleteAccount
  | UnfinishedAccount
  /** What became of some rows is not known any more. */
  | { readonly kind: "damaged"; readonly files: RunFiles; readonly error: CannotStartError };

export interface CompleteAccount {
  readonly kind: "complete";
  readonly files: RunFiles;
  readonly manifest: Manifest;
  /** The manifest as it is in the file: its seal covers that. */
  readonly written: object & { readonly seal?: string };
}

export interface UnfinishedAccount {
  readonly kind: "unfinished";
  readonly files: RunFiles;
  /** What the journal says of that part, and the manifest of what was before. */
  readonly part: PartOfAccount & PartOnRecord;
}

/**
 * Reads the account of an import: its manifest, its journal, and whether its files are there. It locks nothing, and
 * does not read the results.
 *
 * @param path of its results, or of failed rows
 */
export async function readAccount(path: string, disk: Disk = nodeDisk): Promise<Account> {
  const { files, read } = await filesOf(path, disk);
  try {
    return await readSound(files, read, disk);
  } catch (error) {
    if (error instanceof CannotStartError) return { kind: "damaged", files, error };
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    const refused = cannotStart("output_not_writable", files.results, reasonOf(error));
    return { kind: "damaged", files, error: refused };
  }
}

/** The files of an account, by its manifest: the journal of a night, and of a retry of one, lies beside its state. */
export async function filesOf(path: string, disk: Disk) {
  const files = filesOfAccount(path);
  const read = await readManifest(files.manifest, disk);
  if (read.kind !== "manifest") return { files, read };
  return { files: runFiles(files.results, read.manifest.state), read };
}

/** What an unfinished part was started with, by the first record of its last process: no more of its journal is read. */
export async function readBegun(path: string, disk: Disk = nodeDisk) {
  const { files, read } = await filesOf(path, disk);
  const isUnfinished = read.kind !== "manifest" || !isComplete(read.manifest);
  // What is damaged is said by whoever reads all of it.
  const run = isUnfinished && (await readLastBegin(disk, files.journal).catch(() => undefined));
  return { files, run: run || undefined };
}

/** @throws CannotStartError if the account is damaged */
async function readSound(files: RunFiles, read: ManifestRead, disk: Disk): Promise<Account> {
  const { results, journal, manifest } = files;
  const length = await disk.length(results);
  if (read.kind === "manifest" && isComplete(read.manifest)) {
    const { results_file: whole } = read.manifest;
    if (length !== whole?.bytes) {
      const what = length === undefined ? "is missing" : "was changed";
      throw cannotStart("account_damaged", results, `${basename(results)} ${what}`);
    }
    return { kind: "complete", files, manifest: read.manifest, written: read.written };
  }
  const before = read.kind === "manifest" ? read.manifest : undefined;
  const found = await readPart(disk, journal);
  // Beside a state, it may be of another night.
  const isOurs = files.state === undefined || (before !== undefined && isOf(found, before));
  const part = isOurs ? found : undefined;
  if (part?.record.end === undefined) {
    if (read.kind === "unreadable") {
      throw cannotStart("manifest_unreadable", manifest, read.message);
    }
    if (before === undefined && (part === undefined || !hasReachedSomebody(part.record))) {
      if (length === undefined) return { kind: "none", files };
      const lost = [basename(journal), basename(manifest)] as const;
      throw cannotStart("journal_and_manifest_missing", results, ...lost);
    }
    const lacks = await lackingOf(disk, files, before, part);
    if (lacks.length > 0) {
      const isRetry =
        part === undefined ? before?.results_file !== null : part.run.kind === "retry";
      throw cannotStart("part_damaged", results, lacks.join(", and "), isRetry);
    }
  }
  const isFirst = before?.results_file === null;
  const unfinished = part as PartOnRecord;
  return {
    kind: "unfinished",
    files,
    part: { ...unfinished, before: isFirst ? undefined : before },
  };
}

/** What a resume of an unfinished part reads and that is not as it was: each a sentence. Nobody else knows what was sent. */
async function lackingOf(
  disk: Disk,
  { results, journal, manifest, input }: RunFiles,
  before: Manifest | undefined,
  part: PartOnRecord | undefined,
): Promise<string[]> {
  if (
    part === undefined ||
    (before !== undefined && !(await isWhole(disk, journal, part, before)))
  ) {
    return [
      `its journal ${basename(journal)}, which says what was sent, is missing or has lost its beginning`,
    ];
  }
  const { run, record } = part;
  const found: string[] = [];
  const changed = (path: string, length: number | undefined) =>
    `${basename(path)} ${length === undefined ? "is missing" : "was changed"}`;
  if (run.account !== undefined) {
    // The journal of an import says all that its manifest does.
    if (before === undefined) found.push(changed(manifest, undefined));
    const length = await disk.length(results);
    if (length !== run.account.bytes) found.push(changed(results, length));
  }
  const isRead = record.rowsAtEnd === undefined && readsCopy(run);
  if (isRead && (await disk.length(input)) === undefined) found.push(changed(input, undefined));
  return found;
}

/** Whether a journal is of the part that a manifest has, with the file of the process that wrote that and all its rows. */
async function isWhole(
  disk: Disk,
  journal: string,
  { run, record }: PartOnRecord,
  { parts, journal: last = 0, exit_reason }: Manifest,
): Promise<boolean> {
  const number = parts.at(-1)?.part;
  const begun = parts.filter((one) => one.part === number);
  if (run.part !== number) return false;
  if (last === 0) return true;
  // What a disk that failed has lost, its process may have had.
  const isOfDisk = exit_reason === "disk" || exit_reason === "files_changed";
  const hasRows = isOfDisk || record.rows.count >= sum(begun.map(({ rows }) => rows));
  const hasProcesses = run.parts.length >= begun.length;
  return hasRows && hasProcesses && (await disk.length(journalFile(journal, last))) !== undefined;
}

/** Whether a journal is of the unfinished part that a manifest has. */
function isOf(part: PartOnRecord | undefined, { parts }: Manifest): boolean {
  const first = parts.find((one) => one.part === part?.run.part);
  return first !== undefined && first.started_at === part?.run.parts[0]?.startedAt;
}

/** Whether the account is complete: nobody has begun a part of it that is not over. */
export function isComplete({ parts, results_file }: Manifest): boolean {
  return results_file !== null && parts.at(-1)?.is_over === true;
}

/** Whether an event of a part has an outcome or may have arrived. If not, its command can simply be given again. */
export function hasReachedSomebody(record: PartRecord): boolean {
  const { counts, unanswered } = record.tallyWithUnsettled();
  const { succeeded, rejected, failed, unknown, blocked } = counts;
  const hasFailed = [...record.unsettled.rows()].some(({ events }) =>
    events.some(({ importedAt, httpStatus = 0 }) => importedAt !== "" && httpStatus >= 500),
  );
  return hasFailed || succeeded + rejected + failed + unknown + blocked + unanswered > 0;
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

async function readPart(disk: Disk, journal: string): Promise<PartOnRecord | undefined> {
  for (let left = maxReads - 1; ; left--) {
    try {
      const part = await readPartRecord(disk, journal);
      part?.record.lose();
      return part;
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

/** Whether only the next night completes the part. */
export function isNight({ run }: Pick<PartOnRecord, "run">): boolean {
  return run.imported.state !== undefined;
}

/** The command that completes an unfinished account; undefined if that is the night's. */
export function resumeWords({ files, part }: UnfinishedAccount): CommandWords | undefined {
  return isNight(part) ? undefined : ["eventload", "resume", fileWord(files.results)];
}
