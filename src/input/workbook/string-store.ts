import { readSync, writeSync } from "node:fs";
import { openTemporaryFile } from "./random-access.ts";

/** Texts by number, of which few stay in memory. */
export interface StringStore {
  /** @returns a promise only if something is written to disk */
  add(text: string): Promise<void> | undefined;
  count(): number;
  /** Nothing if there is no such text. */
  get(index: number): string | undefined;
  close(): Promise<void>;
}

const maxBytes = 4 * 1024 * 1024 * 1024 - 1;

/** Only the place of each sixteenth text is in memory: a wide sheet has many millions of texts. */
const groupTexts = 16;

/**
 * The texts of a workbook are a table of their own, before the rows that refer to it, and as large as
 * they. It is kept packed, each text after its length. Rows refer to it in its order, or in any other
 * where they were sorted. What does not fit into the blocks is on the disk: in memory, the texts of a large
 * sheet took 3 GB.
 *
 * @param maxBlocks blocks that are in memory
 */
export function createStringStore(maxBlocks = 2048): StringStore {
  const blocks = createBlockStore(maxBlocks);
  let groups = new Uint32Array(256);
  let count = 0;
  let packed = Buffer.allocUnsafeSlow(1024);
  let nextIndex = 0;
  let nextPlace = 0;
  let place = 0;

  const beginGroup = () => {
    const group = count / groupTexts;
    if (group === groups.length) {
      const longer = new Uint32Array(groups.length * 2);
      longer.set(groups);
      groups = longer;
    }
    groups[group] = blocks.size();
  };

  /** Seven bits a byte, the lowest first; the highest bit says that more follow. */
  const pack = (text: string): Buffer => {
    const length = Buffer.byteLength(text);
    if (packed.length < length + maxLengthBytes) {
      packed = Buffer.allocUnsafeSlow(2 * (length + maxLengthBytes));
    }
    let at = 0;
    let rest = length;
    for (; rest >= 0x80; rest >>>= 7) packed[at++] = (rest & 0x7f) | 0x80;
    packed[at++] = rest;
    return packed.subarray(0, at + packed.write(text, at));
  };

  /** Reads the length at `place`, and moves to the text that follows it. */
  const takeLength = (): number => {
    let length = 0;
    for (let bits = 0; ; bits += 7) {
      const byte = blocks.byteAt(place++);
      length |= (byte & 0x7f) << bits;
      if (byte < 0x80) return length;
    }
  };

  const skipText = () => {
    const length = takeLength();
    place += length;
  };

  return {
    add(text) {
      if (count % groupTexts === 0) beginGroup();
      const bytes = pack(text);
      if (blocks.size() + bytes.length > maxBytes) throw new Error("its texts are more than 4 GiB");
      count++;
      return blocks.add(bytes);
    },
    count: () => count,
    get(index) {
      if (!Number.isInteger(index) || index < 0 || index >= count) return undefined;
      const group = Math.floor(index / groupTexts);
      let at = group * groupTexts;
      place = groups[group] ?? 0;
      // Cells mostly refer to the text after the one before.
      if (nextIndex <= index && nextIndex > at) {
        at = nextIndex;
        place = nextPlace;
      }
      for (; at < index; at++) skipText();
      const length = takeLength();
      nextIndex = index + 1;
      nextPlace = place + length;
      return blocks.text(place, nextPlace);
    },
    close: blocks.close,
  };
}

const maxLengthBytes = 5;

/** A sequence of bytes, of which only a part stays in memory. */
interface BlockStore {
  /** @returns a promise only if something is written to disk */
  add(bytes: Buffer): Promise<void> | undefined;
  /** How many there are. */
  size(): number;
  byteAt(place: number): number;
  text(from: number, to: number): string;
  close(): Promise<void>;
}

const blockBytes = 8 * 1024;

/**
 * Keeps bytes in memory up to a limit. Beyond it they are in a temporary file, and only the blocks used
 * last are in memory.
 *
 * @param maxBlocks blocks that are in memory
 */
function createBlockStore(maxBlocks: number): BlockStore {
  const kept = new Map<number, Buffer>();
  let file: Awaited<ReturnType<typeof openTemporaryFile>> | undefined;
  let filling: Buffer = Buffer.allocUnsafeSlow(blockBytes);
  let fillingNumber = 0;
  let size = 0;
  let used: Buffer = filling;
  let usedNumber = fillingNumber;

  const keep = (number: number, block: Buffer) => {
    kept.delete(number);
    kept.set(number, block);
  };

  /** Reuses the memory of the block used longest ago, as memory left to the garbage collector piles up. */
  const takeBlock = (): Buffer => {
    const [oldest] = kept;
    if (file === undefined || oldest === undefined || kept.size < maxBlocks) {
      return Buffer.allocUnsafeSlow(blockBytes);
    }
    kept.delete(oldest[0]);
    if (oldest[0] === usedNumber) usedNumber = -1;
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

  const find = (number: number): Buffer => {
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

  /** Valid until the next call, which may reuse its memory. */
  const blockOf = (place: number): Buffer => {
    const number = Math.floor(place / blockBytes);
    if (number === usedNumber) return used;
    used = find(number);
    usedNumber = number;
    return used;
  };

  const fill = (bytes: Buffer): number => {
    const copied = bytes.copy(filling, size % blockBytes);
    size += copied;
    return copied;
  };

  const addOverBlocks = async (bytes: Buffer) => {
    for (let from = 0; from < bytes.length; ) {
      from += fill(bytes.subarray(from));
      if (size % blockBytes === 0) await endBlock();
    }
  };

  return {
    add(bytes) {
      if ((size % blockBytes) + bytes.length >= blockBytes) return addOverBlocks(bytes);
      fill(bytes);
      return undefined;
    },
    size: () => size,
    byteAt: (place) => blockOf(place)[place % blockBytes] ?? 0,
    text(from, to) {
      const at = from % blockBytes;
      if (at + to - from <= blockBytes) {
        return from === to ? "" : blockOf(from).toString("utf8", at, at + to - from);
      }
      const text = Buffer.allocUnsafe(to - from);
      for (let done = 0; done < text.length; ) {
        const place = from + done;
        done += blockOf(place).copy(text, done, place % blockBytes);
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
