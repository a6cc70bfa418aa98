import { type Disk, type DiskFile, writeAll } from "../domain/disk.ts";
import { CannotStartError, cannotStart, DiskError, reasonOf } from "../domain/errors.ts";
import { createTextBuffer } from "../domain/text-buffer.ts";
import { toCsv } from "./to-csv.ts";

/** A CSV file that grows by whole records. */
export interface CsvFile {
  readonly path: string;
  /** Its size, as far as it is written. */
  readonly bytes: number;
  /**
   * Adds whole records, as CSV: where that does not succeed, the file ends as it ended before.
   *
   * @throws DiskError
   */
  append(records: string): Promise<void>;
  /**
   * Makes sure that all of it is on the disk.
   *
   * @throws DiskError
   */
  sync(): Promise<void>;
  close(): Promise<void>;
  /** Takes it away again. */
  remove(): Promise<void>;
}

/**
 * Creates the file with its header.
 *
 * @throws CannotStartError where it exists already or cannot be made
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
 * Goes on with a file of an interrupted run. What it holds beyond what was recorded as written is cut
 * off: it is written again.
 *
 * @throws CannotStartError where the file is not there any more, or shorter than it was
 */
export async function reopenCsvFile(disk: Disk, path: string, bytes: number): Promise<CsvFile> {
  try {
    const handle = await disk.open(path);
    if ((await handle.size()) < bytes) {
      await handle.close();
      throw cannotStart("results_changed", path);
    }
    await handle.truncate(bytes);
    return csvFile(disk, handle, path, bytes);
  } catch (error) {
    if (error instanceof CannotStartError) throw error;
    throw cannotStart("output_not_writable", path, reasonOf(error));
  }
}

function csvFile(disk: Disk, handle: DiskFile, path: string, size: number): CsvFile {
  const toBytes = createTextBuffer();
  let bytes = size;
  const diskError = (cause: unknown) =>
    new DiskError(`${path} cannot be written: ${reasonOf(cause)}`, { cause });
  const append = async (records: string) => {
    const encoded = toBytes(records);
    try {
      await writeAll(handle, encoded, bytes);
      bytes += encoded.length;
    } catch (error) {
      // A record of which only the beginning is there would make the file unreadable.
      await handle.truncate(bytes).catch(() => {});
      throw diskError(error);
    }
  };
  return {
    path,
    get bytes() {
      return bytes;
    },
    append,
    async sync() {
      await handle.datasync().catch((error: unknown) => {
        throw diskError(error);
      });
    },
    close: () => handle.close().catch(() => {}),
    async remove() {
      await handle.close().catch(() => {});
      await disk.remove(path);
    },
  };
}
