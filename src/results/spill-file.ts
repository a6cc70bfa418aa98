import { type Disk, type DiskFile, readAll, writeAll } from "../domain/disk.ts";
import { DiskError, reasonOf } from "../domain/errors.ts";

/** Holds lines of the results for which it is not their turn, as bytes at offsets. */
export interface SpillFile {
  /**
   * Writes the records of some rows in one piece.
   *
   * @returns the offset of the first
   * @throws DiskError
   */
  write(bytes: Buffer, rows: number): Promise<number>;
  /** @throws DiskError */
  read(into: Buffer, offset: number): Promise<void>;
  /** A row of the piece at this offset is not needed any more; its place is used again after its last. */
  release(offset: number): void;
  /** Takes it away. */
  close(): Promise<void>;
}

/** What was written at once; its place on the disk is free when none of its rows is needed. */
interface Piece {
  readonly firstPage: number;
  readonly pages: number;
  rows: number;
}

const pageBytes = 32 * 1024;

/**
 * Made at the first write, beside that path. Its name is taken away at once, so that nothing is left of it however the
 * process ends; where the system does not let that happen, it goes at the end.
 */
export function createSpillFile(disk: Disk, path: string): SpillFile {
  let file: DiskFile | undefined;
  let name: string | undefined;
  let endPage = 0;
  const pieceAt = new Map<number, Piece>();
  /** First pages of what is free, by its length in pages. */
  const free = new Map<number, number[]>();

  const diskError = (cause: unknown) =>
    new DiskError(`${path} cannot be written: ${reasonOf(cause)}`, { cause });

  const open = async (): Promise<DiskFile> => {
    const created = await disk.createTemporary(path);
    name = created.path;
    await disk.remove(name).then(
      () => {
        name = undefined;
      },
      () => {},
    );
    return created.file;
  };

  const allot = (pages: number): number => {
    const again = free.get(pages)?.pop();
    if (again !== undefined) return again;
    const firstPage = endPage;
    endPage += pages;
    return firstPage;
  };

  const giveBack = ({ firstPage, pages }: Piece) => {
    for (let page = firstPage; page < firstPage + pages; page++) pieceAt.delete(page);
    if (pieceAt.size === 0) {
      free.clear();
      endPage = 0;
      return;
    }
    const ofThisLength = free.get(pages) ?? [];
    free.set(pages, ofThisLength);
    ofThisLength.push(firstPage);
  };

  return {
    async write(bytes, rows) {
      try {
        file ??= await open();
        // Never full to the last byte: a row of no lines at its end would be taken for the next piece's.
        const pages = Math.floor(bytes.length / pageBytes) + 1;
        const piece = { firstPage: allot(pages), pages, rows };
        for (let at = 0; at < pages; at++) pieceAt.set(piece.firstPage + at, piece);
        await writeAll(file, bytes, piece.firstPage * pageBytes);
        return piece.firstPage * pageBytes;
      } catch (error) {
        throw diskError(error);
      }
    },
    async read(into, offset) {
      try {
        if (file === undefined) throw new Error("nothing was written");
        await readAll(file, into, offset);
      } catch (error) {
        throw new DiskError(`${path} cannot be read: ${reasonOf(error)}`, { cause: error });
      }
    },
    release(offset) {
      const piece = pieceAt.get(Math.floor(offset / pageBytes));
      if (piece !== undefined && --piece.rows === 0) giveBack(piece);
    },
    async close() {
      await file?.close().catch(() => {});
      if (name !== undefined) await disk.remove(name).catch(() => {});
      file = undefined;
    },
  };
}
