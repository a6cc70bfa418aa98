import type { Clock } from "../model/clock.ts";
import { chunksOf, type Disk, writeAll, writeAllNow, writeWhole } from "../model/disk/disk.ts";
import { CannotStartError, ChangedFileError, cannotStart, reasonOf } from "../model/errors.ts";
import type { RunFiles } from "../model/run-files.ts";
import type { AccountEnd } from "../model/run-record.ts";
import { createSealer } from "./log.ts";
import { type JournalRecord, journalFile, journalNumbers } from "./read-journal.ts";

/**
 * The write-ahead log of a part: what is about to be sent and what became of it. Records are added to a batch;
 * a batch is written as a whole, and read as a whole or not at all. Each process has a file of its own.
 */
export type Journal = ReturnType<typeof openJournal>;

export interface JournalSettings {
  readonly disk: Disk;
  /** Path of the journal, to which the number of the process is added. */
  readonly path: string;
  readonly clock: Pick<Clock, "now" | "schedule">;
  /** Bytes that in-flight events may still need when the disk is full. */
  readonly reserveBytes: number;
  /** Called once: from then on, no intent is accepted. */
  readonly onFailure: (error: unknown, standing: Standing) => void;
}

/** The file of this process, which is still empty. */
export type ClaimedJournal = Awaited<ReturnType<typeof claimJournal>>;

/** Whether a journal is still what this process wrote. It is `taken_over` if something else has replaced or changed it. */
type Standing = "ours" | "gone" | "taken_over";

/**
 * How often a process checks that a journal is still its own. A check after each batch would cost more than the batch,
 * because the file system then has to store the time of every write.
 */
export const checkEveryMs = 50;

/** Records that no event waits for are written, and synced, so much later. */
const writeAfterMs = 25;
const syncAfterMs = 1000;
const longBatchChars = 1024 * 1024;
/** Space is allocated in pieces of these. */
const emptyPiece = Buffer.alloc(256 * 1024);

/**
 * Makes the file of this process. A process from where no lock reaches sees it at its next look, and sends nothing more:
 * two such looks are waited for before what others have written is read.
 *
 * @param highest the highest number that the account has ever used
 * @param isNew whether it begins a part: then a file with a higher number is another process's
 * @throws CannotStartError if another process has just made it, or it cannot be made
 */
export async function claimJournal(
  disk: Disk,
  { journal, results }: Pick<RunFiles, "journal" | "results">,
  highest: number,
  { schedule }: Pick<Clock, "schedule">,
  isNew: boolean,
) {
  let path = journal;
  try {
    const before = await journalNumbers(disk, journal);
    const isAnothers = before.some((number) => number > highest);
    if (isNew && isAnothers) throw cannotStart("locked", results);
    const number = Math.max(highest, before.at(-1) ?? 0) + 1;
    path = journalFile(journal, number);
    const claimed = { number, path, file: await disk.create(path) };
    await disk.syncFolder(path);
    if (before.length > 0) {
      await new Promise<void>((resolve) => void schedule(2 * checkEveryMs, resolve));
    }
    // What is read from here on has to be there after a power cut, too.
    for (const one of before) {
      path = journalFile(journal, one);
      const older = await disk.open(path);
      await older.datasync().finally(() => older.close());
    }
    return claimed;
  } catch (error) {
    if (error instanceof CannotStartError) throw error;
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw cannotStart("locked", results);
    throw cannotStart("output_not_writable", path, reasonOf(error));
  }
}

/** Removes the file of a process, if that has written nothing. */
export async function unclaimJournal(disk: Disk, claimed: ClaimedJournal): Promise<void> {
  // A file that is closed has been written.
  const length = await claimed.file.size().catch(() => undefined);
  if (length === 0) await removeOwn(disk, claimed);
}

async function removeOwn(
  disk: Disk,
  { file, path }: Pick<ClaimedJournal, "file" | "path">,
): Promise<void> {
  const standing = await file.lengthAt(path).catch(() => "gone" as const);
  await file.close().catch(() => {});
  if (standing === "gone" || standing === "taken_over") return;
  // Without the manifest of its part it says nothing, and the next process removes it.
  await disk.remove(path).catch(() => {});
  await disk.syncFolder(path).catch(() => {});
}

/** Begins to write the file of this process. */
export function openJournal(settings: JournalSettings, { file, path, number }: ClaimedJournal) {
  const { disk, clock, reserveBytes } = settings;
  const next = journalFile(settings.path, number + 1);
  const sealed = createSealer();
  let [position, allocated, synced] = [0, 0, 0];
  let isFull = false;
  let batch = "";
  let full: string[] = [];
  let busy: Promise<unknown> = Promise.resolve();
  let cancelWrite: (() => void) | undefined;
  let cancelSync: (() => void) | undefined;
  let hasFailed = false;
  let standing: Standing = "ours";
  let lookedMs = clock.now();
  let isClosed = false;
  let hasEnd = false;

  const fail = (error: unknown) => {
    if (hasFailed) return;
    hasFailed = true;
    settings.onFailure(error, standing);
  };

  /** Detects another process that has taken the part over, before anything more is sent. */
  const look = async (isNow: boolean) => {
    if (hasFailed || (!isNow && clock.now() - lookedMs < checkEveryMs)) return;
    lookedMs = clock.now();
    const length = await file.lengthAt(path);
    if (length === "gone") standing = "gone";
    else if (length !== allocated || (await disk.length(next)) !== undefined) {
      standing = "taken_over";
    }
    if (standing === "ours") return;
    const what =
      standing === "gone"
        ? "is not there any more: somebody has removed it, or another eventload has taken the run over and ended it"
        : "is not the last one any more, or has changed since this run wrote it: another eventload has taken the run over, or somebody has changed the file";
    fail(new ChangedFileError(`${path} ${what}. This run stops, so that nothing is sent twice.`));
  };

  /** A full disk is noticed while there is room for the reserve. */
  const allocate = async (upTo: number) => {
    while (!isFull && allocated < upTo + reserveBytes) {
      await writeAll(file, emptyPiece, allocated);
      allocated += emptyPiece.length;
    }
  };

  /** @throws the system's error; if there is no room for more than the reserve, the batch is written all the same */
  const append = async (lines: string) => {
    const bytes = sealed(lines, synced);
    let failure: unknown;
    await allocate(position + bytes.length).catch((error: unknown) => {
      isFull = true;
      failure = error;
    });
    // In a busy event loop, an asynchronous write would cost a turn, and the sync another.
    writeAllNow(file, bytes, position);
    position += bytes.length;
    allocated = Math.max(allocated, position);
    if (failure !== undefined) throw failure;
  };

  const writeBatch = async (mustSync: boolean): Promise<boolean> => {
    cancelWrite?.();
    cancelWrite = undefined;
    const batches = batch === "" ? full : [...full, batch];
    full = [];
    batch = "";
    try {
      for (const lines of batches) await append(lines);
      // A second sync after a failed one proves nothing, so there is none.
      if (mustSync && !hasFailed && synced < position) {
        await file.datasync();
        synced = position;
      }
      if (synced === position) {
        cancelSync?.();
        cancelSync = undefined;
      } else syncSoon();
      // After the write, so that a process that takes this part over reads what was written.
      await look(false).catch(fail);
    } catch (error) {
      fail(error);
    }
    return !hasFailed;
  };

  const write = (mustSync: boolean): Promise<boolean> => {
    const written = busy.then(() => writeBatch(mustSync));
    busy = written;
    return written;
  };

  const syncSoon = () => {
    if (isClosed || hasFailed) return;
    cancelSync ??= clock.schedule(syncAfterMs, () => {
      cancelSync = undefined;
      void write(true);
    });
  };

  const close = async () => {
    isClosed = true;
    cancelWrite?.();
    cancelSync?.();
    await busy;
    await file.close().catch(() => {});
  };

  return {
    number,
    path,
    /** Adds to the next batch, which is soon written. */
    add(record: JournalRecord) {
      const line = `${JSON.stringify(record)}\n`;
      if (batch !== "" && batch.length + line.length > longBatchChars) {
        full.push(batch);
        batch = "";
        void write(false);
      }
      batch += line;
      if (cancelWrite === undefined && !isClosed) {
        cancelWrite = clock.schedule(writeAfterMs, () => void write(false));
      }
    },
    /**
     * @param mustSync whether something waits until it is on the disk, such as intents
     * @returns whether intended attempts may be sent: not if the journal cannot be written, or has no room
     *   for more. The intents may be recorded even then
     */
    write,
    /** Whether something that was added is not on the disk. */
    get hasFailed() {
      return hasFailed;
    },
    /** Writes what was added, and looks whether the part is still this process's. */
    async standing() {
      await write(true);
      await look(true).catch(fail);
      return standing;
    },
    /** All new files of the account are on the disk: records what is left to be done. @returns whether that is, too */
    async end(end: AccountEnd) {
      await look(true).catch(fail);
      if (hasFailed) return false;
      this.add({ kind: "end", end });
      hasEnd = await write(true);
      return hasEnd;
    },
    /** @param isUnfinished whether the part is to be resumed: then a file that is gone is written again */
    async close(isUnfinished: boolean) {
      await write(true);
      if (standing === "gone" && isUnfinished) {
        await writeWhole(disk, path, chunksOf(file)).catch(() => {}); // that it is gone was reported
      }
      await close();
    },
    /** Closes the file without a look at what was added. */
    release: close,
    /** Removes the file, unless another is in its place, or it has the end of its part. */
    async discard() {
      if (hasEnd) return close();
      await busy;
      isClosed = true;
      cancelWrite?.();
      cancelSync?.();
      await removeOwn(disk, { file, path });
    },
  };
}
