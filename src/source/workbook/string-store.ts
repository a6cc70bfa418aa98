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

const blockBytes = 64 * 1024;
const maxBytes = 4 * 1024 * 1024 * 1024 - 1;

/**
 * The texts of a workbook are a table of their own, before the rows that refer to it, and as large as
 * they. It is kept packed: in memory up to a bound, beyond it in a temporary file of which the blocks
 * used last are in memory. Rows refer to it mostly in its order.
 *
 * @param maxBlocks blocks that are in memory
 */
export function createStringStore(maxBlocks = 128): StringStore {
  const kept = new Map<number, Buffer>();
  let file: Awaited<ReturnType<typeof openTemporaryFile>> | undefined;
  let filling = Buffer.alloc(blockBytes);
  let fillingNumber = 0;
  let end = 0;
  let ends = new Uint32Array(1024);
  let count = 0;

  const keep = (number: number, block: Buffer) => {
    kept.delete(number);
    kept.set(number, block);
    for (const oldest of kept.keys()) {
      if (file === undefined || kept.size <= maxBlocks) return;
      kept.delete(oldest);
    }
  };

  const spill = async () => {
    file = await openTemporaryFile();
    for (const [number, block] of kept) writeBlock(file.fd, number, block);
  };

  const endBlock = async () => {
    if (file === undefined && kept.size + 1 >= maxBlocks) await spill();
    if (file !== undefined) writeBlock(file.fd, fillingNumber, filling);
    keep(fillingNumber, filling);
    filling = Buffer.alloc(blockBytes);
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
    const block = Buffer.alloc(blockBytes);
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
      const pieces: Buffer[] = [blockOf(number).subarray(at)];
      for (let next = number + 1; next * blockBytes < to; next++) {
        pieces.push(blockOf(next).subarray(0, Math.min(blockBytes, to - next * blockBytes)));
      }
      return Buffer.concat(pieces).toString("utf8");
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
