import { createHash } from "node:crypto";
import { type Disk, writeAll } from "../model/disk/disk.ts";
import { DiskError, reasonOf } from "../model/errors.ts";
import type { Fingerprint } from "../model/run-record.ts";

/** A file that is written from its beginning to its end, and hashed on the way. */
export type HashedFile = Awaited<ReturnType<typeof createHashedFile>>;

const hashedPieceBytes = 256 * 1024;

/** Creates the file; what an interrupted run has left under its name goes. @throws DiskError */
export async function createHashedFile(disk: Disk, path: string) {
  const tried = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      throw new DiskError(`${path} cannot be written: ${reasonOf(error)}`, { cause: error });
    }
  };
  const file = await tried(async () => {
    await disk.remove(path);
    return disk.create(path);
  });
  const hash = createHash("sha256");
  const piece = Buffer.allocUnsafeSlow(hashedPieceBytes);
  let filled = 0;
  let position = 0;
  const flush = async () => {
    await tried(() => writeAll(file, piece.subarray(0, filled), position));
    position += filled;
    filled = 0;
  };
  return {
    /** @throws DiskError */
    async add(bytes: Buffer) {
      hash.update(bytes);
      for (let from = 0; from < bytes.length; ) {
        const copied = bytes.copy(piece, filled, from);
        from += copied;
        filled += copied;
        if (filled === piece.length) await flush();
      }
    },
    /** Syncs the file and its name, and closes it. @throws DiskError */
    async finish(): Promise<Fingerprint> {
      if (filled > 0) await flush();
      await tried(async () => {
        await file.datasync();
        await file.close();
        await disk.syncFolder(path);
      });
      return { bytes: position, sha256: hash.digest("hex") };
    },
    async discard() {
      await file.close().catch(() => {});
      await disk.remove(path).catch(() => {});
    },
  };
}
