import {
  createTextBuffer,
  type Disk,
  type DiskFile,
  writeAll,
  writeAllNow,
} from "../model/disk/disk.ts";
import { ChangedFileError } from "../model/errors.ts";
import type { Outcome } from "../model/outcome.ts";
import type {
  AccountEnd,
  AttemptsSoFar,
  Checkpoint,
  EventRecord,
  Intent,
} from "../model/run-record.ts";
import type { Durability } from "../model/run-settings.ts";
import { createBatchWriter } from "./batch.ts";
import { checkEveryMs } from "./fence.ts";
import { readJournal } from "./read-journal.ts";
import type { RunIdentity } from "./run-identity.ts";

/**
 * The write-ahead log of a run: what is about to be sent and what became of it. Records are added to a batch;
 * a batch is written as a whole, and read as a whole or not at all.
 */
export interface Journal {
  intend(intent: Intent): void;
  /** The attempt is over, and its event has no outcome yet. */
  attempted(soFar: AttemptsSoFar): void;
  settle(rowOfRun: number, outcome: Outcome): void;
  /** The service asks the run to wait until then, in epoch milliseconds. */
  waitUntil(epochMs: number): void;
  /**
   * Writes the batch. Must not be called again before it has returned.
   *
   * @param hasIntents whether the batch holds intents: only then is it synced
   * @returns whether the intended attempts may be sent: not if the journal cannot be written, or has no room
   *   for more. The intents may be recorded even then
   */
  write(hasIntents: boolean): Promise<boolean>;
  /** Until when the service asks the run to wait, in epoch milliseconds; undefined if it never did. */
  readonly askedToWaitUntil: number | undefined;
  /** Writes what was added, and checks whether the journal is still ours. */
  ownership(): Promise<Ownership>;
  /**
   * Records that all new files of the account are on the disk, and what is left to be done.
   *
   * @returns whether that is on the disk
   */
  end(end: AccountEnd): Promise<boolean>;
  /**
   * Writes what was added, and compacts the journal. If it is gone, it is written again, so that the run can be
   * resumed.
   */
  close(): Promise<void>;
  /** Closes the file as it is. */
  release(): Promise<void>;
  /** Removes it, unless another file is in its place. */
  remove(): Promise<void>;
}

/**
 * Whether the journal is still the file that this run wrote, unchanged. It is `taken_over` if a second process has
 * resumed the run, or if somebody has replaced or changed the file.
 */
export type Ownership = "ours" | "gone" | "taken_over";

/** What a resume needs to know, at the moment of the call. */
export interface JournalSnapshot {
  readonly checkpoint: Checkpoint;
  /** Records of the events of rows after the checkpoint. */
  readonly records: Iterable<EventRecord>;
}

export interface JournalSettings {
  readonly disk: Disk;
  readonly path: string;
  readonly run: RunIdentity;
  /** Whether this is a new run: then it replaces no journal. */
  readonly isFirst: boolean;
  readonly durability: Durability;
  /** Bytes that in-flight events may still need when the disk is full. */
  readonly reserveBytes: number;
  /** The journal is compacted when it has grown by this much, and has at least doubled. */
  readonly growthBytes: number;
  /** Until when the service asked an earlier part of the run to wait, in epoch milliseconds. */
  readonly waitUntil?: number | undefined;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Syncs the results and, in the same moment, returns how far they go and what is pending. */
  readonly snapshot: (take: (snapshot: JournalSnapshot) => void) => Promise<void>;
  /** Called once: from then on, no intent is accepted. */
  readonly onFailure: (error: unknown, ownership: Ownership) => void;
}

/** Space is allocated ahead in pieces of this size, so that a full disk is noticed before it is too late. */
const emptyPiece = Buffer.alloc(256 * 1024);
/** A compacted journal is written in batches of about this many characters. */
const batchChars = 64 * 1024;

/**
 * Begins a journal, or replaces that of an interrupted part of the run.
 *
 * @throws if its beginning cannot be written; `EEXIST` if another process has begun one
 */
export async function openJournal(settings: JournalSettings): Promise<Journal> {
  const { disk, path, durability, reserveBytes, now } = settings;
  const batch = createBatchWriter();
  const toBytes = createTextBuffer();
  let file: DiskFile | undefined;
  let position = 0;
  let allocated = 0;
  /** Bytes that are known to have reached the disk. */
  let synced = 0;
  let compactAt = 0;
  let waitUntil = settings.waitUntil;
  let hasFailed = false;
  let ownership: Ownership = "ours";
  let checkedMs = now();

  const fail = (error: unknown) => {
    if (hasFailed) return;
    hasFailed = true;
    settings.onFailure(error, ownership);
  };

  /** Detects a second process that has resumed the run, before anything more is sent. */
  const checkOwnership = async () => {
    if (hasFailed || file === undefined) return;
    checkedMs = now();
    const length = await file.lengthAt(path);
    if (length === allocated) return;
    ownership = length === "gone" ? "gone" : "taken_over";
    const what =
      ownership === "gone"
        ? "is not there any more: somebody has removed it, or another eventload has taken the run over and ended it"
        : "has changed since this run wrote it: another eventload has taken the run over, or somebody has changed the file";
    fail(new ChangedFileError(`${path} ${what}. This run stops, so that nothing is sent twice.`));
  };

  /** @returns how many bytes of the file are allocated then */
  const allocate = async (to: DiskFile, from: number, upTo: number): Promise<number> => {
    let reached = from;
    while (reached < upTo + reserveBytes) {
      await writeAll(to, emptyPiece, reached);
      reached += emptyPiece.length;
    }
    return reached;
  };

  /**
   * Writes a new journal that holds only what is still needed, syncs it, and renames it over the old one.
   * The results are on the disk before that, so nothing that it leaves out is lost. What was added to the
   * batch meanwhile may be part of the snapshot, too: reading it twice does no harm.
   */
  const compact = async () => {
    const batches: string[] = [];
    const needed = createBatchWriter();
    await settings.snapshot(({ checkpoint, records }) => {
      needed.run(settings.run);
      needed.checkpoint(checkpoint);
      if (waitUntil !== undefined) needed.waitUntil(waitUntil);
      for (const record of records) {
        needed.add(record);
        if (needed.length > batchChars) batches.push(needed.take(0));
      }
      batches.push(needed.take(0));
    });

    const isFirst = ownership === "gone" || (settings.isFirst && file === undefined);
    const { path: next, file: fresh } = isFirst
      ? { path, file: await createFirst(disk, path) }
      : await disk.createTemporary(path);
    const old = file;
    let bytes = 0;
    let freshAllocated = 0;
    const append = async (text: string) => {
      const lines = Buffer.from(text);
      await writeAll(fresh, lines, bytes);
      bytes += lines.length;
    };
    try {
      for (const text of batches) await append(text);
      // After the rename, all of it is on the disk: damage to it is not a torn end.
      if (!isFirst) await append(needed.take(bytes));
      freshAllocated = await allocate(fresh, bytes, bytes);
      await fresh.datasync();
      if (!isFirst) await disk.rename(next, path);
      await disk.syncFolder(path);
    } catch (error) {
      await fresh.close().catch(() => {});
      await disk.remove(next).catch(() => {});
      throw error;
    }
    file = fresh;
    position = bytes;
    synced = bytes;
    allocated = freshAllocated;
    await old?.close().catch(() => {}); // nothing in it is needed any more
    // If the oldest row waits long, compaction saves next to nothing. So it is rare: it never copies more than was
    // written since.
    compactAt = position + Math.max(settings.growthBytes, position);
  };

  const write = async (hasIntents: boolean): Promise<boolean> => {
    if (batch.isEmpty) return !hasFailed;
    const bytes = toBytes(batch.take(synced));
    try {
      if (file === undefined) return false;
      // If the disk is full, the space that is left is for outcomes.
      if (!hasFailed && allocated < position + bytes.length + reserveBytes) {
        await allocate(file, allocated, position + bytes.length).then((reached) => {
          allocated = reached;
        }, fail);
      }
      // In a busy event loop, an asynchronous write would cost a turn, and the sync another.
      writeAllNow(file, bytes, position);
      position += bytes.length;
      // A second sync after a failed one proves nothing, so there is none.
      if (!hasFailed && durability === "power" && hasIntents) await file.datasync();
      // After the write, so that a process that fences this one off reads what was written.
      if (now() - checkedMs >= checkEveryMs) await checkOwnership().catch(fail);
      if (!hasFailed && (durability === "process" || hasIntents)) synced = position;
      if (!hasFailed && position > compactAt) await compact();
    } catch (error) {
      fail(error);
    }
    return !hasFailed;
  };

  await compact();

  return {
    intend: batch.intend,
    attempted: batch.attempted,
    settle: batch.settle,
    waitUntil(epochMs) {
      waitUntil = Math.max(waitUntil ?? 0, epochMs);
      batch.waitUntil(waitUntil);
    },
    write,
    get askedToWaitUntil() {
      return waitUntil;
    },
    async ownership() {
      await write(false);
      await checkOwnership().catch(fail);
      return ownership;
    },
    async end(end) {
      compactAt = Number.POSITIVE_INFINITY; // a compacted journal would not have it
      batch.end(end);
      const isWritten = await write(true);
      // However little of a run a power cut may take away: from here on, files change their names.
      if (isWritten && durability === "process") await file?.datasync();
      return isWritten;
    },
    async close() {
      await write(false);
      await checkOwnership().catch(fail);
      if (!hasFailed) await compact().catch(fail);
      // If it cannot be written again, that has been reported already.
      if (ownership === "gone") await compact().catch(() => {});
      await file?.close();
      file = undefined;
    },
    async release() {
      await file?.close();
      file = undefined;
    },
    async remove() {
      await checkOwnership().catch(fail);
      await file?.close();
      file = undefined;
      if (ownership !== "ours") return;
      await disk.remove(path);
      await disk.syncFolder(path);
    },
  };
}

/** Replaces a journal that ends before the record of its run, and so before anything was sent. */
async function createFirst(disk: Disk, path: string): Promise<DiskFile> {
  try {
    return await disk.create(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    if ((await readJournal(disk.readChunks(path))).kind !== "empty") throw error;
    await disk.remove(path);
    return disk.create(path);
  }
}
