import type { Clock } from "../model/clock.ts";
import { chunksOf, type Disk, type DiskFile, writeWhole } from "../model/disk/disk.ts";
import { ChangedFileError } from "../model/errors.ts";
import type { AccountEnd, Checkpoint, EventRecord } from "../model/run-record.ts";
import { checkEveryMs, type Log, type Standing, sealed, writeLog } from "./log.ts";
import type { RunIdentity } from "./run-identity.ts";
import { findUnfinishedRun, type JournalRecord } from "./unfinished-run.ts";

/**
 * The write-ahead log of a run: what is about to be sent and what became of it. Records are added to a batch;
 * a batch is written as a whole, and read as a whole or not at all.
 */
export type Journal = Awaited<ReturnType<typeof openJournal>>;

/** What a resume needs to know, at the moment of the call. */
interface JournalSnapshot {
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
  readonly onFailure: (error: unknown, ownership: Standing) => void;
}

/** A compacted journal is written in batches of about this many characters. */
const batchChars = 64 * 1024;

/**
 * Begins a journal, or replaces that of an interrupted part of the run.
 *
 * @throws if its beginning cannot be written; `EEXIST` if another process has begun one
 */
export async function openJournal(settings: JournalSettings) {
  const { disk, path } = settings;
  let log: Log | undefined;
  let batch = "";
  let compactAt = 0;
  let waitUntil = settings.waitUntil;
  let hasFailed = false;
  let ownership: Standing = "ours";

  const add = (record: JournalRecord) => {
    batch += lineOf(record);
  };
  const fail = (error: unknown) => {
    if (hasFailed) return;
    hasFailed = true;
    settings.onFailure(error, ownership);
  };

  /** Detects a second process that has resumed the run, before anything more is sent. */
  const checkOwnership = async (isNow: boolean) => {
    if (hasFailed || log === undefined) return;
    ownership = await log.standing(isNow);
    if (ownership === "ours") return;
    const what =
      ownership === "gone"
        ? "is not there any more: somebody has removed it, or another eventload has taken the run over and ended it"
        : "has changed since this run wrote it: another eventload has taken the run over, or somebody has changed the file";
    fail(new ChangedFileError(`${path} ${what}. This run stops, so that nothing is sent twice.`));
  };

  /**
   * Writes a new journal that holds only what is still needed, in the place of the old one. The results are on the disk
   * before that, so nothing that it leaves out is lost. What was added to the batch meanwhile may be part of the
   * snapshot, too: reading it twice does no harm.
   */
  const compact = async () => {
    const batches: string[] = [];
    await settings.snapshot(({ checkpoint, records }) => {
      let lines = lineOf({ kind: "run", run: settings.run });
      lines += lineOf({ kind: "checkpoint", checkpoint });
      if (waitUntil !== undefined) lines += lineOf({ kind: "wait", untilMs: waitUntil });
      for (const record of records) {
        lines += lineOf(record);
        if (lines.length < batchChars) continue;
        batches.push(lines);
        lines = "";
      }
      batches.push(lines);
    });
    const isFirst = ownership === "gone" || (settings.isFirst && log === undefined);
    const old = log;
    log = await writeLog(settings, batches, isFirst ? await createFirst(disk, path) : undefined);
    await old?.close().catch(() => {}); // nothing in it is needed any more
    // If the oldest row waits long, compaction saves next to nothing. So it is rare: it never copies more than was
    // written since.
    compactAt = log.bytes + Math.max(settings.growthBytes, log.bytes);
  };

  const write = async (hasIntents: boolean): Promise<boolean> => {
    if (batch === "") return !hasFailed;
    const lines = batch;
    batch = "";
    try {
      if (log === undefined) return false;
      await log.append(lines);
      // A second sync after a failed one proves nothing, so there is none.
      if (!hasFailed && hasIntents) await log.sync();
      // After the write, so that a process that fences this one off reads what was written.
      await checkOwnership(false).catch(fail);
      if (!hasFailed && log.bytes > compactAt) await compact();
    } catch (error) {
      fail(error);
    }
    return !hasFailed;
  };

  await compact();

  return {
    add: (record: EventRecord) => add(record),
    /** The service asks the run to wait until then, in epoch milliseconds. */
    waitUntil(epochMs: number) {
      waitUntil = Math.max(waitUntil ?? 0, epochMs);
      add({ kind: "wait", untilMs: waitUntil });
    },
    /**
     * Writes the batch. Must not be called again before it has returned.
     *
     * @param hasIntents whether the batch holds intents: only then is it synced
     * @returns whether the intended attempts may be sent: not if the journal cannot be written, or has no room
     *   for more. The intents may be recorded even then
     */
    write,
    /** Until when the service asks the run to wait, in epoch milliseconds; undefined if it never did. */
    get askedToWaitUntil() {
      return waitUntil;
    },
    /** Writes what was added, and checks whether the journal is still ours. */
    async ownership() {
      await write(false);
      await checkOwnership(true).catch(fail);
      return ownership;
    },
    /**
     * Records that all new files of the account are on the disk, and what is left to be done.
     *
     * @returns whether that is on the disk
     */
    async end(end: AccountEnd) {
      compactAt = Number.POSITIVE_INFINITY; // a compacted journal would not have it
      add({ kind: "end", end });
      return write(true);
    },
    /**
     * Writes what was added, and compacts the journal. If it is gone, it is written again, so that the run can be
     * resumed.
     */
    async close() {
      await write(false);
      await checkOwnership(true).catch(fail);
      if (!hasFailed) await compact().catch(fail);
      // If it cannot be written again, that has been reported already.
      if (ownership === "gone") await compact().catch(() => {});
      await log?.close();
      log = undefined;
    },
    async release() {
      await log?.close();
      log = undefined;
    },
    /** Removes it, unless another file is in its place. */
    async remove() {
      await checkOwnership(true).catch(fail);
      await log?.close();
      log = undefined;
      if (ownership !== "ours") return;
      await disk.remove(path);
      await disk.syncFolder(path);
    },
  };
}

/** Every event has an intent and an outcome, so those of most are made by hand. */
function lineOf(record: JournalRecord): string {
  if (record.kind === "intent") {
    const { rowOfRun, event, attempt, unanswered, importedAt } = record;
    return `{"kind":"intent","rowOfRun":${rowOfRun},"event":${event},"attempt":${attempt},"unanswered":${unanswered},"importedAt":"${importedAt}"}\n`;
  }
  if (record.kind === "outcome") {
    const { status, event, attempts, unanswered, httpStatus, finishedAt, errorCode } =
      record.outcome;
    if (event !== undefined && errorCode === undefined) {
      const answered = httpStatus === undefined ? "" : `,"httpStatus":${httpStatus}`;
      const ended = finishedAt === undefined ? "" : `,"finishedAt":"${finishedAt}"`;
      return `{"kind":"outcome","rowOfRun":${record.rowOfRun},"outcome":{"status":"${status}","event":${event},"attempts":${attempts},"unanswered":${unanswered}${answered}${ended}}}\n`;
    }
  }
  return `${JSON.stringify(record)}\n`;
}

/** The text of a journal that has these records, all of which are on the disk. */
export function journalOf(records: readonly JournalRecord[]): string {
  const batch = sealed(records.map(lineOf).join(""), 0);
  return batch + sealed("", Buffer.byteLength(batch));
}

/** Replaces a journal that ends before the record of its run, and so before anything was sent. */
async function createFirst(disk: Disk, path: string): Promise<DiskFile> {
  try {
    return await disk.create(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    if ((await findUnfinishedRun(disk, path)) !== undefined) throw error;
    await disk.remove(path);
    return disk.create(path);
  }
}

/**
 * Fences off another process that may still write to the journal, from where no lock reaches. A copy replaces the
 * journal before it is read: at its next check, the other process sees that the file is not its own, and sends nothing
 * more. The copy has what it has written until then.
 */
export async function fenceJournal(
  disk: Disk,
  path: string,
  { schedule }: Pick<Clock, "schedule">,
): Promise<void> {
  let old: DiskFile;
  try {
    old = await disk.open(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  try {
    // Until its next check, the other process may write to the file that it has open.
    for (const waitMs of [0, 2 * checkEveryMs]) {
      await new Promise<void>((resolve) => void schedule(waitMs, resolve));
      await writeWhole(disk, path, chunksOf(old));
    }
  } finally {
    await old.close();
  }
}
