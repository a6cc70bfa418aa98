/**
 * The part of a file system that the accounts of a run depend on, small enough that a test can stand
 * in for a disk that fills up, fails, or loses power.
 */
export interface Disk {
  /** Makes a file. @throws where there is one already */
  create(path: string): Promise<DiskFile>;
  /** Makes a file beside that path, under a name that nobody can know before. */
  createTemporary(path: string): Promise<{ readonly path: string; readonly file: DiskFile }>;
  /** Opens a file that is there. @throws where it is a link */
  open(path: string): Promise<DiskFile>;
  /** All of a file; nothing where there is none. */
  read(path: string): Promise<Buffer | undefined>;
  /** The same, a part at a time. */
  readChunks(path: string): AsyncIterable<Buffer>;
  /** Puts a file in the place of another in one step. */
  rename(from: string, to: string): Promise<void>;
  /** Takes a file away, if it is there. */
  remove(path: string): Promise<void>;
  /** Makes sure that files made, renamed and removed in the folder of this path stay so. */
  syncFolder(path: string): Promise<void>;
}

export interface DiskFile {
  /** @returns how many bytes were written, which may be fewer than were given */
  write(bytes: Buffer, position: number): Promise<number>;
  /**
   * The same without waiting for a thread: for little, into space that the file has already, which goes into
   * the memory of the operating system.
   */
  writeNow(bytes: Buffer, position: number): number;
  /** @returns how many bytes were read, which may be fewer than there is room for */
  read(into: Buffer, position: number): Promise<number>;
  /** Returns when what was written would survive a power cut. Never to be tried again after an error. */
  datasync(): Promise<void>;
  size(): Promise<number>;
  /** How long the file of that name is, if it is this one; else whether there is none, or another. */
  lengthAt(path: string): Promise<number | "gone" | "another's">;
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
