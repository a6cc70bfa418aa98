import {
  createTextBuffer,
  type Disk,
  type DiskFile,
  readAll,
  writeAll,
} from "../model/disk/disk.ts";
import {
  CannotStartError,
  ChangedFileError,
  cannotStart,
  DiskError,
  reasonOf,
} from "../model/errors.ts";

/**
 * Creates the file with its header, or continues that of an interrupted part: what is after the recorded size is cut
 * off and written again.
 *
 * @param header as CSV
 * @param bytes how much is on record; 0 for a new part
 * @throws CannotStartError if it cannot be created, or an old one is missing, shorter than it was, or another
 */
export async function openPartFile(disk: Disk, path: string, header: string, bytes: number) {
  let handle: DiskFile | undefined;
  try {
    if (bytes > 0) {
      handle = await disk.open(path);
      if (!(await isOwn(handle, Buffer.from(header), bytes))) {
        throw cannotStart("results_changed", path);
      }
      await handle.truncate(bytes);
      return partFile(disk, handle, path, bytes);
    }
    // One that an interrupted part created after its last checkpoint. Who has the journal has this.
    await disk.remove(path);
    handle = await disk.create(path);
    const file = partFile(disk, handle, path, 0);
    await file.append(header).catch(async (error: DiskError) => {
      await file.remove().catch(() => {});
      throw error.cause;
    });
    return file;
  } catch (error) {
    await handle?.close().catch(() => {});
    if (error instanceof CannotStartError) throw error;
    throw cannotStart("output_not_writable", path, reasonOf(error));
  }
}

/** Whether a file has these bytes, and begins with the header or is only a beginning of it. */
async function isOwn(file: DiskFile, header: Buffer, bytes: number): Promise<boolean> {
  if ((await file.size()) < bytes) return false;
  const beginning = Buffer.alloc(Math.min(bytes, header.length));
  await readAll(file, beginning, 0);
  return beginning.equals(header.subarray(0, beginning.length));
}

/** The lines of a part: a file that grows by whole records. One call at a time. */
function partFile(disk: Disk, handle: DiskFile, path: string, size: number) {
  const toBytes = createTextBuffer();
  let bytes = size;
  const diskError = (cause: unknown) =>
    new DiskError(`${path} cannot be written: ${reasonOf(cause)}`, { cause });
  /** Detects that another process or a person has changed the file, before it is written to. */
  const refuseChanged = async () => {
    const length = await handle.lengthAt(path).catch((error: unknown) => {
      throw diskError(error);
    });
    if (length === bytes) return;
    throw new ChangedFileError(
      `${path} was moved, replaced or changed by something else while the run wrote it: restore it, or move away what is there. Then resume: it writes the file again from the journal.`,
    );
  };
  return {
    get bytes() {
      return bytes;
    },
    /**
     * Adds whole records, as CSV. If that fails, the file ends as before.
     *
     * @throws DiskError, or ChangedFileError if something else has changed the file
     */
    async append(records: string) {
      await refuseChanged();
      const encoded = toBytes(records);
      try {
        await writeAll(handle, encoded, bytes);
        bytes += encoded.length;
      } catch (error) {
        // An incomplete record would make the file unreadable.
        await handle.truncate(bytes).catch(() => {});
        throw diskError(error);
      }
    },
    /**
     * Syncs the file to the disk.
     *
     * @throws DiskError, or ChangedFileError if something else has changed the file
     */
    async sync() {
      await handle.datasync().catch((error: unknown) => {
        throw diskError(error);
      });
      await refuseChanged();
    },
    close: () => handle.close().catch(() => {}),
    /** Deletes the file, unless another has its name now. */
    async remove() {
      const length = await handle.lengthAt(path).catch(() => "taken_over");
      await handle.close().catch(() => {});
      if (length !== "taken_over") await disk.remove(path);
    },
  };
}
