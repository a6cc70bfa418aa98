import { readSync, writeSync } from "node:fs";
import { openTemporaryFile } from "./random-access.ts";

/** Texts by number, of which few stay in memory. */
export interface StringStore {
  add(text: string): Promise<void>;
  count(): number;
  /** Nothing where there is no such text. */
  get(index: number): string | undefined;
  close(): Promise<void>;
}

const blockBytes = 8 * 1024;
const maxBytes = 4 * 1024 * 1024 * 1024 - 1;

/**
 * The texts of a workbook are a table of their own, before the rows that refer to it, and as large as
 * they. It is kept packed: in memory up to a bound, beyond it in a temporary file of which the blocks
 * used last are in memory. Rows refer to it in its order, or in any other where they were sorted.
 *
 * @param maxBlocks blocks that are in memory
 */
export function createStringStore(maxBlocks = 2048): StringStore {
  const kept = new Map<number, Buffer>();
  let file: Awaited<ReturnType<typeof openTemporaryFile>> | undefined;
  let filling: Buffer = Buffer.allocUnsafeSlow(blockBytes);
  let fillingNumber = 0;
  let end = 0;
  let ends = new Uint32Array(1024);
  let count = 0;

  const keep = (number: number, block: Buffer) => {
    kept.delete(number);
    kept.set(number, block);
  };

  /** The memory of the block used longest ago: what is left to be collected grows beyond all bounds. */
  const takeBlock = (): Buffer => {
    const [oldest] = kept;
    if (file === undefined || oldest === undefined || kept.size < maxBlocks) {
      return Buffer.allocUnsafeSlow(blockBytes);
    }
    kept.delete(oldest[0]);
    return oldest[1];
  };

  const spill = async () => {
    file = await openTemporaryFile();
    for (const [number, block] of kept) writeBlock(file.fd, number, block);
  };

  const endBlock = async () => {
    if (file === undefined && kept.size + 1 >= maxBlocks) await spill();
    if (file !== undefined) writeBlock(file.fd, fillingNumber, filling);
    keep(fillingNumber, filling);
    filling = takeBlock();
    fillingNumber++;
  };

  const blockOf = (number: number): Buffer => {
    if (number === fillingNumber) return filling;
    const found = kept.get(number);
    if (found !== undefined) {
      if (file !== undefined) keep(number, found);
      return found;
    }
    if (file === undefined) throw new Error("a text was lost");
    const block = takeBlock();
    const read = readSync(file.fd, block, 0, blockBytes, number * blockBytes);
    if (read < blockBytes) throw new Error("the temporary file is shorter than it was");
    keep(number, block);
    return block;
  };

  return {
    async add(text) {
      const bytes = Buffer.from(text);
      if (end + bytes.length > maxBytes) throw new Error("its texts are more than 4 GiB");
      for (let from = 0; from < bytes.length; ) {
        const at = end % blockBytes;
        const copied = bytes.copy(filling, at, from);
        from += copied;
        end += copied;
        if (end % blockBytes === 0) await endBlock();
      }
      if (count === ends.length) {
        const longer = new Uint32Array(ends.length * 2);
        longer.set(ends);
        ends = longer;
      }
      ends[count++] = end;
    },
    count: () => count,
    get(index) {
      if (!Number.isInteger(index) || index < 0 || index >= count) return undefined;
      const from = index === 0 ? 0 : (ends[index - 1] ?? 0);
      const to = ends[index] ?? 0;
      const number = Math.floor(from / blockBytes);
      const at = from % blockBytes;
      if (at + to - from <= blockBytes) {
        return from === to ? "" : blockOf(number).toString("utf8", at, at + to - from);
      }
      const text = Buffer.allocUnsafe(to - from);
      for (let done = 0; done < text.length; ) {
        const place = from + done;
        // Copied at once: the next block may be read into the memory of this one.
        done += blockOf(Math.floor(place / blockBytes)).copy(text, done, place % blockBytes);
      }
      return text.toString("utf8");
    },
    async close() {
      kept.clear();
      await file?.close().catch(() => {});
      file = undefined;
    },
  };
}

function writeBlock(fd: number, number: number, block: Buffer) {
  for (let done = 0; done < block.length; ) {
    done += writeSync(fd, block, done, block.length - done, number * blockBytes + done);
  }
}
