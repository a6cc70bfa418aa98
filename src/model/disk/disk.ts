/**
 * The file operations that journal and results depend on, few enough that a test can stand in for a disk that
 * fills up, fails, or loses power.
 */
export interface Disk {
  /** Creates a file. @throws if it exists */
  create(path: string): Promise<DiskFile>;
  /** Creates a file beside that path, under an unpredictable name. */
  createTemporary(path: string): Promise<{ readonly path: string; readonly file: DiskFile }>;
  /** Opens an existing file. @throws if it is a link */
  open(path: string): Promise<DiskFile>;
  /** The whole file; undefined if there is none. */
  read(path: string): Promise<Buffer | undefined>;
  /** The same, in chunks. */
  readChunks(path: string): AsyncIterable<Buffer>;
  /** Renames a file over another in one step. */
  rename(from: string, to: string): Promise<void>;
  /** Removes a file if it exists. */
  remove(path: string): Promise<void>;
  /**
   * Syncs the parent folder of this path, so that what was created, renamed and removed in it
   * survives a power cut.
   */
  syncFolder(path: string): Promise<void>;
}

export interface DiskFile {
  /** @returns how many bytes were written, which may be fewer than were given */
  write(bytes: Buffer, position: number): Promise<number>;
  /**
   * A synchronous write, for a few bytes into space that is allocated: they only reach the page cache.
   */
  writeNow(bytes: Buffer, position: number): number;
  /** @returns how many bytes were read, which may be fewer than there is room for */
  read(into: Buffer, position: number): Promise<number>;
  /** Returns when what was written would survive a power cut. Do not retry it after an error. */
  datasync(): Promise<void>;
  size(): Promise<number>;
  /** The size of the file at `path` if it is still this file; otherwise whether it is gone or another. */
  lengthAt(path: string): Promise<number | "gone" | "taken_over">;
  truncate(bytes: number): Promise<void>;
  close(): Promise<void>;
}

/** Writes all of it, however many writes that takes. */
export async function writeAll(file: DiskFile, bytes: Buffer, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const count = await file.write(bytes.subarray(written), position + written);
    if (count === 0) throw new Error("the disk takes no more");
    written += count;
  }
}

/** The same with {@link DiskFile.writeNow}. */
export function writeAllNow(file: DiskFile, bytes: Buffer, position: number): void {
  let written = 0;
  while (written < bytes.length) {
    const count = file.writeNow(bytes.subarray(written), position + written);
    if (count === 0) throw new Error("the disk takes no more");
    written += count;
  }
}

/** Reads until the buffer is full, however many reads that takes. */
export async function readAll(file: DiskFile, into: Buffer, position: number): Promise<void> {
  let read = 0;
  while (read < into.length) {
    const count = await file.read(into.subarray(read), position + read);
    if (count === 0) throw new Error("it is shorter than it was");
    read += count;
  }
}
