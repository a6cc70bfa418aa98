import { type Disk, type DiskFile, writeAll } from "../domain/disk.ts";
import type { Checkpoint, EventRecord } from "../domain/run-record.ts";
import { copyRecords, createAppender } from "./copy-records.ts";
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
 */
export async function writeCutBack(
  disk: Disk,
  path: string,
  reserveBytes: number,
  { run, checkpoint, known, written, open }: StillNeeded,
): Promise<FreshJournal> {
  const { path: next, file } = await disk.createTemporary(path);
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
    await append(encodeRecord({ kind: "synced", offset: to.bytes }));
    await to.flush();
    let setAside = to.bytes;
    while (setAside < to.bytes + reserveBytes) {
      await writeAll(file, emptyPiece, setAside);
      setAside += emptyPiece.length;
    }
    await file.datasync();
    await disk.rename(next, path);
    await disk.syncFolder(path);
    return { file, bytes: to.bytes, setAside, outcomes };
  } catch (error) {
    await file.close().catch(() => {});
    await disk.remove(next).catch(() => {});
    throw error;
  }
}
