import { createReadStream } from "node:fs";
import { type FileHandle, open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Disk, DiskFile } from "../domain/disk.ts";

/** The disk of this machine. */
export const nodeDisk: Disk = {
  create: async (path) => fileOf(await open(path, "wx+")),
  open: async (path) => fileOf(await open(path, "r+")),
  async read(path) {
    try {
      return await readFile(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  },
  readChunks: (path) => createReadStream(path),
  rename,
  remove: (path) => rm(path, { force: true }),
  async syncFolder(path) {
    // Windows does not open folders, and keeps names without being asked.
    const folder = await open(dirname(path), "r").catch(() => undefined);
    try {
      await folder?.sync();
    } finally {
      await folder?.close();
    }
  },
};

function fileOf(handle: FileHandle): DiskFile {
  return {
    write: async (bytes, position) =>
      (await handle.write(bytes, 0, bytes.length, position)).bytesWritten,
    read: async (into, position) => (await handle.read(into, 0, into.length, position)).bytesRead,
    datasync: () => handle.datasync(),
    size: async () => (await handle.stat()).size,
    truncate: (bytes) => handle.truncate(bytes),
    close: () => handle.close(),
  };
}
