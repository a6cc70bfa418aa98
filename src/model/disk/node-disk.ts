import { randomBytes } from "node:crypto";
import { type BigIntStats, constants, writeSync } from "node:fs";
import { type FileHandle, lstat, open, readdir, rename, statfs, unlink } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { type Disk, type DiskFile, diskChunkBytes } from "./disk.ts";
import { comparedName, isSameFile, syncsFolders } from "./platform.ts";

/** All these files hold personal data. */
const ownerOnly = 0o600;
const noLink = constants.O_NOFOLLOW ?? 0;

export const nodeDisk: Disk = {
  create,
  async createTemporary(path, mode = ownerOnly) {
    const temporary = `${path}.${randomBytes(6).toString("hex")}.part`;
    return { path: temporary, file: await create(temporary, mode) };
  },
  open: async (path) => fileOf(await open(path, constants.O_RDWR | noLink)),
  async namesBeside(path) {
    const own = basename(path);
    const names = await readdir(dirname(path)).catch(() => []);
    return names.map((name) =>
      comparedName(name).startsWith(comparedName(own)) ? own + name.slice(own.length) : name,
    );
  },
  length: (path) =>
    lstat(path).then(
      ({ size }) => size,
      (error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
        throw error;
      },
    ),
  freeBytes: (path) =>
    statfs(dirname(path)).then(
      ({ bavail, bsize }) => bavail * bsize,
      () => undefined,
    ),
  async *readChunks(path) {
    // Without blocking, a pipe that has no writer ends at once instead of hanging.
    const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    yield* handle.createReadStream({ highWaterMark: diskChunkBytes });
  },
  rename,
  // Not `rm`, which tries to remove it as a folder too, and reports that error instead.
  remove: (path) =>
    unlink(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    }),
  async syncFolder(path) {
    if (!syncsFolders) return;
    const folder = await open(dirname(path), "r").catch(() => undefined);
    try {
      await folder?.sync();
    } finally {
      await folder?.close();
    }
  },
};

async function create(path: string, mode = ownerOnly): Promise<DiskFile> {
  const handle = await open(path, "wx+", ownerOnly);
  // Whatever the umask.
  if (mode !== ownerOnly) await handle.chmod(mode);
  return fileOf(handle);
}

function fileOf(handle: FileHandle): DiskFile {
  let own: Promise<BigIntStats> | undefined;
  return {
    write: async (bytes, position) =>
      (await handle.write(bytes, 0, bytes.length, position)).bytesWritten,
    writeNow: (bytes, position) => writeSync(handle.fd, bytes, 0, bytes.length, position),
    read: async (into, position) => (await handle.read(into, 0, into.length, position)).bytesRead,
    datasync: () => handle.datasync(),
    size: async () => (await handle.stat()).size,
    async lengthAt(path) {
      own ??= handle.stat({ bigint: true });
      const found = await lstat(path, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
        throw error;
      });
      if (found === undefined) return "gone";
      return isSameFile(found, await own) ? Number(found.size) : "taken_over";
    },
    truncate: (bytes) => handle.truncate(bytes),
    close: () => handle.close(),
  };
}
