import { crc32 } from "node:zlib";
import { chunksOf, type Disk, type DiskFile, writeAll } from "../model/disk/disk.ts";
import { checkEveryMs } from "./log.ts";

/**
 * Fences off another process that may still write to the journal, from where no lock reaches. A copy replaces the
 * journal before it is read: at its next check, the other process sees that the file is not its own, and sends nothing
 * more. The copy has what it has written until then.
 *
 * @param sleep waits for so many milliseconds
 */
export async function fenceJournal(
  disk: Disk,
  path: string,
  sleep: (ms: number) => Promise<void>,
): Promise<void> {
  let old: DiskFile;
  try {
    old = await disk.open(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  try {
    const copied = await putCopy(disk, old, path);
    await sleep(2 * checkEveryMs);
    // The other process has written between the copy and its next check.
    if (copied !== (await checksumOf(old))) await putCopy(disk, old, path);
  } finally {
    await old.close();
  }
}

/** @returns a checksum of what was copied */
async function putCopy(disk: Disk, from: DiskFile, path: string): Promise<number> {
  const { path: copy, file } = await disk.createTemporary(path);
  try {
    const checksum = await checksumOf(from, (bytes, position) => writeAll(file, bytes, position));
    await file.datasync();
    await disk.rename(copy, path);
    await disk.syncFolder(path);
    return checksum;
  } catch (error) {
    await disk.remove(copy).catch(() => {});
    throw error;
  } finally {
    await file.close();
  }
}

async function checksumOf(
  file: DiskFile,
  take?: (bytes: Buffer, position: number) => Promise<void>,
): Promise<number> {
  let [checksum, position] = [0, 0];
  for await (const bytes of chunksOf(file)) {
    checksum = crc32(bytes, checksum);
    await take?.(bytes, position);
    position += bytes.length;
  }
  return checksum;
}
