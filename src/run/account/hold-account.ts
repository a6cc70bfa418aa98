import { type ClaimedJournal, claimJournal, unclaimJournal } from "../../journal/journal.ts";
import { journalNumbers } from "../../journal/read-journal.ts";
import type { Clock } from "../../model/clock.ts";
import type { Disk } from "../../model/disk/disk.ts";
import { lastPart } from "../../model/manifest.ts";
import { type ImportPorts, thisMachine } from "../send/run-context.ts";
import { refuseOtherThanFiles, withLocks } from "./claim-files.ts";
import { completeLeft } from "./complete-account.ts";
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
