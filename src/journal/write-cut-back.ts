import { type Disk, type DiskFile, writeAll } from "../domain/disk.ts";
import type { Checkpoint, EventRecord } from "../domain/run-record.ts";
import { copyRecords, createAppender } from "./copy-records.ts";
import { readJournal } from "./read-journal.ts";
import { encodeRecord } from "./record.ts";
import { createRecordPlaces, type RecordPlaces } from "./record-places.ts";
import type { RunIdentity } from "./run-identity.ts";

/** What a journal is to hold that takes the place of an earlier one. */
export interface StillNeeded {
  readonly run: RunIdentity;
  readonly checkpoint: Checkpoint;
  /** Of these, the outcomes: what a resumed run knew. */
  readonly known: Iterable<EventRecord>;
  /** Where outcomes stand in the journal that was written before. */
  readonly written: { readonly file: DiskFile; readonly outcomes: RecordPlaces } | undefined;
  /** Lines of events without an outcome. */
  readonly open: Iterable<string>;
}

/** A journal in its place and on the disk. */
export interface FreshJournal {
  readonly file: DiskFile;
  readonly bytes: number;
  /** Its size, with the space that is set aside in it. */
  readonly setAside: number;
  /** Where the outcomes stand in it. */
  readonly outcomes: RecordPlaces;
}

/** Space is set aside in pieces of this size, so that a full disk shows before it is needed. */
export const emptyPiece = Buffer.alloc(256 * 1024);

/**
 * Writes a new journal that holds only what is still needed, and puts it in the old one's place.
 * Outcomes are copied from file to file, as they may be many.
 *
 * @param isFirst whether the run begins with it: then no other is replaced, and `EEXIST` is thrown where
 *   another process has just begun one
 */
export async function writeCutBack(
  disk: Disk,
  path: string,
  reserveBytes: number,
  { run, checkpoint, known, written, open }: StillNeeded,
  isFirst: boolean,
): Promise<FreshJournal> {
  const { path: next, file } = isFirst
    ? { path, file: await createFirst(disk, path) }
    : await disk.createTemporary(path);
  try {
    const to = createAppender(file);
    const append = (line: string) => to.append(Buffer.from(line));
    await append(encodeRecord({ kind: "run", run }));
    await append(encodeRecord({ kind: "checkpoint", checkpoint }));
    const outcomes =
      written === undefined
        ? createRecordPlaces()
        : await copyRecords(written.file, written.outcomes, checkpoint.rows, to);
    for (const record of known) {
      if (record.kind !== "outcome" || record.rowOfRun <= checkpoint.rows) continue;
      const line = Buffer.from(encodeRecord(record));
      outcomes.add(record.rowOfRun, to.bytes, line.length);
      await to.append(line);
    }
    for (const line of open) await append(line);
    // Renamed over the old one, all of it is on the disk; damage to it is no torn tail.
    if (!isFirst) await append(encodeRecord({ kind: "synced", offset: to.bytes }));
    await to.flush();
    let setAside = to.bytes;
    while (setAside < to.bytes + reserveBytes) {
      await writeAll(file, emptyPiece, setAside);
      setAside += emptyPiece.length;
    }
    await file.datasync();
    if (!isFirst) await disk.rename(next, path);
    await disk.syncFolder(path);
    return { file, bytes: to.bytes, setAside, outcomes };
  } catch (error) {
    await file.close().catch(() => {});
    await disk.remove(next).catch(() => {});
    throw error;
  }
}

/** One that was interrupted before its run was on record, and so before anything was sent, is none. */
async function createFirst(disk: Disk, path: string): Promise<DiskFile> {
  try {
    return await disk.create(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    if ((await readJournal(disk.readChunks(path))).kind !== "unborn") throw error;
    await disk.remove(path);
    return disk.create(path);
  }
}
