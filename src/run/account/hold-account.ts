import { type ClaimedJournal, claimJournal, unclaimJournal } from "../../journal/journal.ts";
import { journalNumbers } from "../../journal/read-journal.ts";
import type { Clock } from "../../model/clock.ts";
import type { Disk } from "../../model/disk/disk.ts";
import { cannotStart } from "../../model/errors.ts";
import { lastPart } from "../../model/manifest.ts";
import type { RunFiles } from "../../model/run-files.ts";
import { type ImportPorts, thisMachine } from "../send/run-context.ts";
import { notWritable, refuseOtherThanFiles, withLocks } from "./claim-files.ts";
import { completeEnded, removeJournal, removePart } from "./place-files.ts";
import { type Account, filesOf, isComplete, readAccount } from "./read-account.ts";

/** An account that no other process writes to. It was read once, and nothing is left of a part that had ended. */
export interface HeldAccount {
  readonly account: Account;
  /** The file of the journal that was made before it was read, if a part is unfinished that may be resumed. */
  readonly claimed: ClaimedJournal | undefined;
}

/**
 * Holds the account of an import while something is done with it.
 *
 * @param mayResume whether an unfinished part is taken over
 * @throws CannotStartError if another process has it
 */
export async function holdAccount<Result>(
  results: string,
  mayResume: boolean,
  clock: Clock,
  warn: (message: string) => void,
  act: (held: HeldAccount) => Promise<Result>,
  { disk, acquireLock }: Pick<ImportPorts, "disk" | "acquireLock"> = thisMachine,
): Promise<Result> {
  return withLocks([results], acquireLock, warn, async () => {
    const found = await filesOf(results, disk);
    const claimed = mayResume ? await claimUnfinished(found, disk, clock, false) : undefined;
    try {
      const account = await readAccount(results, disk);
      return await act({ account: await completeLeft(disk, account, warn, acquireLock), claimed });
    } finally {
      if (claimed !== undefined) await unclaimJournal(disk, claimed);
    }
  });
}

/**
 * Does what a killed process has left to be done when every row of an account had its outcome, and removes what else it
 * has left. Whoever calls it holds the lock.
 *
 * @returns what the account is then
 * @throws CannotStartError if it cannot be done
 */
export async function completeLeft(
  disk: Disk,
  account: Account,
  warn: (message: string) => void,
  acquireLock: ImportPorts["acquireLock"] = thisMachine.acquireLock,
): Promise<Account> {
  const { kind, files } = account;
  const { state } = files;
  // Beside a state, a journal without an end is of another night.
  if (kind === "complete" && state === undefined) await removePart(disk, files, warn);
  // Without a journal, the copy of an input may be somebody's file.
  if (kind === "none" && (await journalNumbers(disk, files.journal)).length > 0) {
    await removeUnbegun(disk, files).catch((error: unknown) => {
      throw notWritable(files.journal, error);
    });
  }
  if (kind !== "unfinished" || account.part.record.end === undefined) return account;
  const lock = state === undefined ? undefined : await acquireLock(state);
  if (state !== undefined && lock === undefined) throw cannotStart("state_locked", state);
  try {
    await completeEnded(disk, files, account.part, warn);
    return await readAccount(files.results, disk);
  } finally {
    await lock?.release();
  }
}

/** Removes what is left of a part that did not begin: the copy of its input, then the journal that says whose it is. */
export async function removeUnbegun(disk: Disk, files: RunFiles): Promise<void> {
  for (const path of [files.input, files.newInput]) await disk.remove(path);
  await removeJournal(disk, files);
}

/**
 * Makes the next file of the journal of an unfinished part, so that another process, from where no lock reaches, sends
 * nothing more.
 *
 * @param isNight whether it is the next night that completes it: nobody else takes over a night
 * @returns undefined if there is no such part
 */
export async function claimUnfinished(
  { files, read }: Awaited<ReturnType<typeof filesOf>>,
  disk: Disk,
  clock: Clock,
  isNight: boolean,
): Promise<ClaimedJournal | undefined> {
  await refuseOtherThanFiles(files);
  const manifest = read.kind === "manifest" ? read.manifest : undefined;
  if (manifest !== undefined && isComplete(manifest)) return undefined;
  const isOfNight = files.state !== undefined && lastPart(manifest?.parts ?? []) === 1;
  if (isOfNight && !isNight) return undefined;
  if ((await journalNumbers(disk, files.journal)).length === 0) return undefined;
  return claimJournal(disk, files, manifest?.journal ?? 0, clock, false);
}
