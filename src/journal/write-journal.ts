import { type Disk, type DiskFile, writeAll } from "../domain/disk.ts";
import { ChangedFileError } from "../domain/errors.ts";
import type { Outcome } from "../domain/outcome.ts";
import type { AttemptsSoFar, Checkpoint, EventRecord, Intent } from "../domain/run-record.ts";
import { createTextBuffer } from "../domain/text-buffer.ts";
import { eventOf } from "./known-events.ts";
import { encodeRecord } from "./record.ts";
import { createRecordPlaces } from "./record-places.ts";
import type { RunIdentity } from "./run-identity.ts";
import { emptyPiece, writeCutBack } from "./write-cut-back.ts";

/**
 * What an intent survives before its attempt may leave: the end of the process, which costs a write,
 * or the end of the power, which costs a sync that all intents of the moment share.
 */
export type Durability = "power" | "process";

/** The record of what is about to be sent and what became of it, from which a run resumes. */
export interface Journal {
  /**
   * Puts on record that an attempt is about to leave.
   *
   * @returns whether it may leave; not where the journal cannot be written
   */
  intend(intent: Intent): Promise<boolean>;
  /** The attempt is over, and its event has no outcome yet. */
  attempted(soFar: AttemptsSoFar): void;
  settle(rowOfRun: number, outcome: Outcome): void;
  /** Writes what has been said so far, and tells whose the journal is then. */
  standing(): Promise<Standing>;
  /**
   * Writes what has been said so far, and cuts the journal back to what is still needed. One that is gone
   * is made again, so that the run can be resumed.
   */
  close(): Promise<void>;
  /** Takes it away, unless another is in its place. */
  remove(): Promise<void>;
}

/**
 * Whether the journal is still the file that this run wrote, and as it left it. It is another's where a
 * second process has taken the run over, or somebody has replaced or changed it.
 */
export type Standing = "ours" | "gone" | "another's";

export interface JournalSettings {
  readonly disk: Disk;
  readonly path: string;
  readonly run: RunIdentity;
  /** Whether the run begins: then it replaces no journal. */
  readonly isFirst: boolean;
  readonly durability: Durability;
  /** What a resumed run knew. */
  readonly events: Iterable<EventRecord>;
  /** Bytes that in-flight events may still need when the disk is full. */
  readonly reserveBytes: number;
  /** Brings the ordered results to the disk, and tells how far they go. */
  readonly checkpoint: () => Promise<Checkpoint>;
  /** Intents without an end on record at most: what a kill leaves in doubt. */
  readonly maxInDoubt: number;
  /** The journal is cut back when it has grown by this much, and by as much as was left of it. */
  readonly growthBytes: number;
  /** Resolves when all that came up together, such as several answers, has been dealt with. */
  readonly endOfTurn: () => Promise<void>;
  /** Called once: no intent is taken any more. */
  readonly onFailure: (error: unknown, standing: Standing) => void;
}

/** A line of the journal that is not written yet. */
interface DueLine {
  readonly key: number;
  readonly line: string;
  readonly isOutcome: boolean;
}

/** Events of a row at most; tells rows and events apart in one number. */
const mostEvents = 4096;

/**
 * What an interruption left in doubt is an attempt that went unanswered. Said so, it is in doubt no
 * more when the next interruption comes.
 */
function asOver(entry: EventRecord): EventRecord {
  if (entry.kind !== "intent") return entry;
  const { attempt, unanswered, ...others } = entry;
  return { ...others, kind: "attempted", attempts: attempt, unanswered: unanswered + 1 };
}

/**
 * Begins a journal, or one in the place of that of an interrupted part of the run.
 *
 * @throws where the disk does not take its beginning; `EEXIST` where another process has begun one
 */
export async function openJournal(settings: JournalSettings): Promise<Journal> {
  const { disk, path, durability, reserveBytes, maxInDoubt, endOfTurn } = settings;
  /** The last line of each event of which no outcome is written yet. */
  const open = new Map<number, string>();
  /** Where the outcomes stand of rows that are not known to be in the results on the disk. */
  let outcomes = createRecordPlaces();

  const toBytes = createTextBuffer();
  let file: DiskFile | undefined;
  let position = 0;
  let setAside = 0;
  let synced = 0;
  let cutBackAt = 0;

  let due: DueLine[] = [];
  let waiters: ((onRecord: boolean) => void)[] = [];
  let isWriting = false;
  let writing = Promise.resolve();
  let failed = false;
  let standing: Standing = "ours";

  /**
   * Events of which an intent is in line to be written, or is, and no end after it. As lines are written
   * in their order, no end of the file leaves more than these in doubt.
   */
  const intended = new Set<number>();
  const wakeIntents: (() => void)[] = [];

  const remember = (record: EventRecord): DueLine => {
    const key = record.rowOfRun * mostEvents + eventOf(record);
    if (record.kind === "intent") intended.add(key);
    else if (intended.delete(key)) wakeIntents.shift()?.();
    const line = encodeRecord(record);
    open.set(key, line);
    return { key, line, isOutcome: record.kind === "outcome" };
  };

  /** Of an outcome that is written, its place is enough. */
  const forget = (lines: readonly DueLine[], offset: number) => {
    let at = offset;
    for (const { key, line, isOutcome } of lines) {
      const bytes = Buffer.byteLength(line);
      if (isOutcome) {
        open.delete(key);
        outcomes.add(Math.floor(key / mostEvents), at, bytes);
      }
      at += bytes;
    }
  };

  const fail = (error: unknown) => {
    if (failed) return;
    failed = true;
    for (const wake of wakeIntents.splice(0)) wake();
    settings.onFailure(error, standing);
  };

  /** A second process that has taken the run over is noticed before anything more is sent. */
  const look = async () => {
    if (failed || file === undefined) return;
    const length = await file.lengthAt(path);
    if (length === setAside) return;
    standing = length === "gone" ? "gone" : "another's";
    const what =
      standing === "gone"
        ? "is not there any more: somebody has removed it, or another eventload has taken the run over and ended it"
        : "is not as this run left it: another eventload has taken the run over, or somebody has changed the file";
    fail(new ChangedFileError(`${path} ${what}. This one stops, so that nothing is sent twice.`));
  };

  /** Sets space aside ahead of need. Where that fails, what is left is kept for outcomes. */
  const secure = async (bytes: number) => {
    while (file !== undefined && setAside < position + bytes + reserveBytes) {
      await writeAll(file, emptyPiece, setAside);
      setAside += emptyPiece.length;
    }
  };

  /** @param known what a resumed run knew */
  const cutBack = async (known: Iterable<EventRecord> = []) => {
    const checkpoint = await settings.checkpoint();
    for (const key of open.keys()) {
      if (Math.floor(key / mostEvents) <= checkpoint.rows) open.delete(key);
    }
    const written = file === undefined ? undefined : { file, outcomes };
    // As they are now: what ends while it is copied stands in what is written after it.
    const lines = [...open.values()];
    const needed = { run: settings.run, checkpoint, known, written, open: lines };
    const isFirst = standing === "gone" || (settings.isFirst && file === undefined);
    const fresh = await writeCutBack(disk, path, reserveBytes, needed, isFirst);
    const old = file;
    ({ file, bytes: position, setAside, outcomes } = fresh);
    await old?.close().catch(() => {}); // nothing that is in it is needed any more
    synced = position;
    // Where next to nothing can be left out, as the oldest row waits long, this makes it seldom:
    // no more is copied than was written since.
    cutBackAt = position + Math.max(settings.growthBytes, position);
  };

  const writeDue = async () => {
    // All that answers of the moment bring about goes along: the first of them would have a write and a
    // sync of its own, and the others wait for it.
    await endOfTurn();
    while (due.length > 0) {
      const lines = due;
      const waiting = waiters;
      due = [];
      waiters = [];
      const head = synced > 0 ? encodeRecord({ kind: "synced", offset: synced }) : "";
      const bytes = toBytes(head + lines.map(({ line }) => line).join(""));
      try {
        if (!failed) await secure(bytes.length).catch(fail);
        if (file !== undefined) await writeAll(file, bytes, position);
        // After the write: who takes the journal over now reads what is in it.
        const looking = look().catch(fail);
        forget(lines, position + head.length);
        position += bytes.length;
        // A sync that failed once says nothing when it is tried again, so it never is.
        if (!failed && durability === "power" && waiting.length > 0) await file?.datasync();
        await looking;
        if (!failed && (durability === "process" || waiting.length > 0)) synced = position;
        if (!failed && position > cutBackAt) await cutBack();
      } catch (error) {
        fail(error);
      }
      for (const resolve of waiting) resolve(!failed);
    }
    isWriting = false; // in the same breath as the last look at what is due
  };

  const record = (entry: EventRecord) => {
    due.push(remember(entry));
    if (isWriting) return;
    isWriting = true;
    writing = writeDue();
  };

  const intend = (intent: Intent): Promise<boolean> => {
    if (failed) return Promise.resolve(false);
    const { rowOfRun, event, attempt, unanswered, importedAt } = intent;
    record({ kind: "intent", rowOfRun, event, attempt, unanswered, importedAt });
    return new Promise((resolve) => waiters.push(resolve));
  };

  const intendWhenFewerAre = async (intent: Intent) => {
    while (intended.size >= maxInDoubt && !failed) {
      await new Promise<void>((resolve) => wakeIntents.push(resolve));
    }
    return intend(intent);
  };

  const written = async () => {
    while (isWriting) await writing;
  };

  for (const entry of settings.events) if (entry.kind !== "outcome") remember(asOver(entry));
  await cutBack(settings.events);

  return {
    intend: (intent) =>
      intended.size < maxInDoubt && wakeIntents.length === 0
        ? intend(intent)
        : intendWhenFewerAre(intent),
    attempted: (soFar) => record({ kind: "attempted", ...soFar }),
    settle: (rowOfRun, outcome) => record({ kind: "outcome", rowOfRun, outcome }),
    async standing() {
      await written();
      await look().catch(fail);
      return standing;
    },
    async close() {
      await written();
      await look().catch(fail);
      if (!failed) await cutBack().catch(fail);
      // Where it cannot be made again, the run has been told of already.
      if (standing === "gone") await cutBack().catch(() => {});
      await file?.close();
      file = undefined;
    },
    async remove() {
      await written();
      await look().catch(fail);
      await file?.close();
      file = undefined;
      if (standing !== "ours") return;
      await disk.remove(path);
      await disk.syncFolder(path);
    },
  };
}
