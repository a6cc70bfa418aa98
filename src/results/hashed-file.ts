import { createHash } from "node:crypto";
import { type Disk, writeAll } from "../model/disk/disk.ts";
import { DiskError, reasonOf } from "../model/errors.ts";
import type { Fingerprint } from "../model/fingerprint.ts";

/** A file that is written from its beginning to its end, and hashed on the way. */
export interface HashedFile {
  readonly path: string;
  /** @returns undefined if nothing has to be waited for @throws DiskError */
  add(bytes: Buffer): Promise<void> | undefined;
  /** Syncs and closes it. @throws DiskError */
  finish(): Promise<Fingerprint>;
  /** Closes and deletes it. */
  discard(): Promise<void>;
}

const piece = 256 * 1024;

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
  let position = 0;
  let waiting: Buffer[] = [];
  let size = 0;
  const flush = async () => {
    const bytes = waiting.length === 1 ? (waiting[0] as Buffer) : Buffer.concat(waiting);
    waiting = [];
    size = 0;
    hash.update(bytes);
    try {
      await writeAll(file, bytes, position);
    } catch (error) {
      throw diskError(error);
    }
    position += bytes.length;
  };
  return {
    path,
    add(bytes) {
      waiting.push(bytes);
      size += bytes.length;
      return size < piece ? undefined : flush();
    },
    async finish() {
      if (size > 0) await flush();
      try {
        await file.datasync();
        await file.close();
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
