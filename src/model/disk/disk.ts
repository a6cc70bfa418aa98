/**
 * The file operations that journal and results need. There are so few that a test can simulate a disk that fills up,
 * fails, or loses power.
 */
export interface Disk {
  /** Creates a file. @throws if it exists */
  create(path: string): Promise<DiskFile>;
  /** Creates a file in the same folder, under an unpredictable name. @param mode who can read it; default its owner */
  createTemporary(
    path: string,
    mode?: number,
  ): Promise<{ readonly path: string; readonly file: DiskFile }>;
  /** Opens an existing file. @throws if it is a link */
  open(path: string): Promise<DiskFile>;
  /** The names in the folder of a path, as it writes those that begin as it does; none if that cannot be read. */
  namesBeside(path: string): Promise<readonly string[]>;
  length(path: string): Promise<number | undefined>;
  /** Bytes that can still be written in the folder of this path; undefined if that is not known. */
  freeBytes(path: string): Promise<number | undefined>;
  readChunks(path: string): AsyncIterable<Buffer>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Syncs the folder of this path, so that new, renamed and removed files survive a power cut. */
  syncFolder(path: string): Promise<void>;
}

export interface DiskFile {
  /** @returns how many bytes were written, which may be fewer than were given */
  write(bytes: Buffer, position: number): Promise<number>;
  /** Writes synchronously. Use it for a few bytes in allocated space: they only go to the page cache. */
  writeNow(bytes: Buffer, position: number): number;
  /** @returns how many bytes were read, which may be fewer than there is room for */
  read(into: Buffer, position: number): Promise<number>;
  /** Returns when the data would survive a power cut. Do not retry it after an error. */
  datasync(): Promise<void>;
  size(): Promise<number>;
  /** The size of this file if it is still the one at `path`; otherwise what happened to it. */
  lengthAt(path: string): Promise<number | "gone" | "taken_over">;
  truncate(bytes: number): Promise<void>;
  close(): Promise<void>;
}

export async function writeAll(file: DiskFile, bytes: Buffer, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const count = await file.write(bytes.subarray(written), position + written);
    if (count === 0) throw new Error("the disk accepts no more bytes");
    written += count;
  }
}

/** Writes a file that appears complete or not at all. @throws the system's error */
export async function writeWhole(
  disk: Disk,
  path: string,
  pieces: Iterable<Buffer> | AsyncIterable<Buffer>,
  mode?: number,
): Promise<void> {
  const made = await createWhole(disk, path, mode);
  try {
    for await (const bytes of pieces) await made.add(bytes);
  } catch (error) {
    await made.discard();
    throw error;
  }
  await made.finish();
}

/** Creates a file that appears complete or not at all: until it is finished, it has another name. @throws the system's error */
export async function createWhole(disk: Disk, path: string, mode?: number) {
  const { path: temporary, file } = await disk.createTemporary(path, mode);
  let position = 0;
  const discard = async () => {
    await file.close().catch(() => {});
    await disk.remove(temporary).catch(() => {});
  };
  return {
    async add(bytes: Buffer) {
      await writeAll(file, bytes, position);
      position += bytes.length;
    },
    addNow(bytes: Buffer) {
      writeAllNow(file, bytes, position);
      position += bytes.length;
    },
    /** Syncs the file and gives it its name. If that fails, nothing is left of it. */
    async finish() {
      try {
        await file.datasync();
        await file.close();
        await disk.rename(temporary, path);
        await disk.syncFolder(path);
      } catch (error) {
        await discard();
        throw error;
      }
    },
    discard,
  };
}

export function writeAllNow(file: DiskFile, bytes: Buffer, position: number): void {
  let written = 0;
  while (written < bytes.length) {
    const count = file.writeNow(bytes.subarray(written), position + written);
    if (count === 0) throw new Error("the disk accepts no more bytes");
    written += count;
  }
}

/** Reads a file from its beginning in chunks. @param upTo not further than that */
export async function* chunksOf(
  file: Pick<DiskFile, "read">,
  upTo = Number.POSITIVE_INFINITY,
): AsyncGenerator<Buffer> {
  for (let at = 0; at < upTo; ) {
    const chunk = Buffer.alloc(Math.min(diskChunkBytes, upTo - at));
    const count = await file.read(chunk, at);
    if (count === 0) return;
    at += count;
    yield chunk.subarray(0, count);
  }
}

export const diskChunkBytes = 256 * 1024;
