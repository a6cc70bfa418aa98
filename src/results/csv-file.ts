import { type Disk, type DiskFile, readAll, writeAll } from "../model/disk/disk.ts";
import { createTextBuffer } from "../model/disk/text-buffer.ts";
import {
  CannotStartError,
  ChangedFileError,
  cannotStart,
  DiskError,
  reasonOf,
} from "../model/errors.ts";
import { toCsv } from "./to-csv.ts";

/** A CSV file that grows by whole records. */
export interface CsvFile {
  /** How much is written. */
  readonly bytes: number;
  /**
   * Adds whole records, as CSV. If that fails, the file ends as before.
   *
   * @throws DiskError, or ChangedFileError if something else has changed the file
   */
  append(records: string): Promise<void>;
  /**
   * Syncs the file to the disk.
   *
   * @throws DiskError, or ChangedFileError if something else has changed the file
   */
  sync(): Promise<void>;
  close(): Promise<void>;
  /** Deletes the file, unless another has its name now. */
  remove(): Promise<void>;
}

/**
 * Creates the file with its header.
 *
 * @throws CannotStartError if it exists already or cannot be created
 */
export async function createCsvFile(
  disk: Disk,
  path: string,
  header: readonly string[],
): Promise<CsvFile> {
  const handle = await disk.create(path).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "EEXIST"
      ? cannotStart("results_exist", path)
      : cannotStart("output_not_writable", path, reasonOf(error));
  });
  const file = csvFile(disk, handle, path, 0);
  try {
    await file.append(toCsv([header]));
    return file;
  } catch (error) {
    await file.remove().catch(() => {});
    throw cannotStart("output_not_writable", path, reasonOf((error as DiskError).cause));
  }
}

/**
 * Continues a file of an interrupted run. What is after the recorded size is cut off and written again.
 *
 * @throws CannotStartError if the file is missing, shorter than it was, or another one
 */
export async function reopenCsvFile(
  disk: Disk,
  path: string,
  header: readonly string[],
  bytes: number,
): Promise<CsvFile> {
  let handle: DiskFile | undefined;
  try {
    handle = await disk.open(path);
    if ((await handle.size()) < bytes || !(await isOwn(handle, header, bytes))) {
      throw cannotStart("results_changed", path);
    }
    await handle.truncate(bytes);
    return csvFile(disk, handle, path, bytes);
  } catch (error) {
    await handle?.close().catch(() => {});
    if (error instanceof CannotStartError) throw error;
    throw cannotStart("output_not_writable", path, reasonOf(error));
  }
}

/** Whether a file begins with the header, or is only a beginning of the header. */
async function isOwn(file: DiskFile, header: readonly string[], bytes: number): Promise<boolean> {
  const expected = Buffer.from(toCsv([header]));
  const beginning = Buffer.alloc(Math.min(bytes, expected.length));
  await readAll(file, beginning, 0);
  return beginning.equals(expected.subarray(0, beginning.length));
}

function csvFile(disk: Disk, handle: DiskFile, path: string, size: number): CsvFile {
  const toBytes = createTextBuffer();
  let bytes = size;
  const diskError = (cause: unknown) =>
    new DiskError(`${path} cannot be written: ${reasonOf(cause)}`, { cause });
  let isAppending = false;
  /** Detects that another process or a person has changed the file, before it is written to. */
  const refuseChanged = async () => {
    const before = bytes;
    const length = await handle.lengthAt(path).catch((error: unknown) => {
      throw diskError(error);
    });
    const isGrowing = isAppending || bytes !== before;
    if (isGrowing ? Number(length) >= before : length === before) return;
    throw new ChangedFileError(
      length === "gone"
        ? `${path} is not there any more, though the run still writes it: put it back, or resume, which writes it again as far as the journal knows.`
        : `${path} was ${length === "taken_over" ? "replaced" : "changed"} by something else while the run wrote it: put back what it was, or move away what is there, and resume, which writes it again as far as the journal knows.`,
    );
  };
  const append = async (records: string) => {
    await refuseChanged();
    const encoded = toBytes(records);
    isAppending = true;
    try {
      await writeAll(handle, encoded, bytes);
      bytes += encoded.length;
    } catch (error) {
      // An incomplete record would make the file unreadable.
      await handle.truncate(bytes).catch(() => {});
      throw diskError(error);
    } finally {
      isAppending = false;
    }
  };
  return {
    get bytes() {
      return bytes;
    },
    append,
    async sync() {
      await handle.datasync().catch((error: unknown) => {
        throw diskError(error);
      });
      await refuseChanged();
    },
    close: () => handle.close().catch(() => {}),
    async remove() {
      const length = await handle.lengthAt(path).catch(() => "taken_over");
      await handle.close().catch(() => {});
      if (length !== "taken_over") await disk.remove(path);
    },
  };
}
