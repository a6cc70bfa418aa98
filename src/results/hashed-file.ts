import { createHash } from "node:crypto";
import { type Disk, writeAll } from "../model/disk/disk.ts";
import { DiskError, reasonOf } from "../model/errors.ts";
import type { Fingerprint } from "../model/run-record.ts";

/** A file that is written from its beginning to its end, and hashed on the way. */
export interface HashedFile {
  /** @throws DiskError */
  add(bytes: Buffer): Promise<void>;
  /** Syncs it and its name, and closes it. @throws DiskError */
  finish(): Promise<Fingerprint>;
  /** Closes and deletes it. */
  discard(): Promise<void>;
}

const pieceBytes = 256 * 1024;

/** Creates the file; what an interrupted run has left under its name goes. @throws DiskError */
export async function createHashedFile(disk: Disk, path: string): Promise<HashedFile> {
  const diskError = (error: unknown) =>
    new DiskError(`${path} cannot be written: ${reasonOf(error)}`, { cause: error });
  const create = async () => {
    await disk.remove(path);
    return disk.create(path);
  };
  const file = await create().catch((error: unknown) => {
    throw diskError(error);
  });
  const hash = createHash("sha256");
  const piece = Buffer.allocUnsafeSlow(pieceBytes);
  let filled = 0;
  let position = 0;
  const flush = async () => {
    try {
      await writeAll(file, piece.subarray(0, filled), position);
    } catch (error) {
      throw diskError(error);
    }
    position += filled;
    filled = 0;
  };
  return {
    async add(bytes) {
      hash.update(bytes);
      for (let from = 0; from < bytes.length; ) {
        const copied = bytes.copy(piece, filled, from);
        from += copied;
        filled += copied;
        if (filled === piece.length) await flush();
      }
    },
    async finish() {
      if (filled > 0) await flush();
      try {
        await file.datasync();
        await file.close();
        await disk.syncFolder(path);
      } catch (error) {
        throw diskError(error);
      }
      return { bytes: position, sha256: hash.digest("hex") };
    },
    async discard() {
      await file.close().catch(() => {});
      await disk.remove(path).catch(() => {});
    },
  };
}
