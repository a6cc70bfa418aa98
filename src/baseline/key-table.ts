/** What is kept of a key. */
export interface KeyEntry {
  /** A 48-bit hash of what was delivered, 0 where that is not certain. */
  readonly delivered: number;
  /** A 48-bit hash of what is to be delivered, 0 for nothing. */
  readonly planned: number;
  /** The last results file with that key, from 1 to 255. */
  readonly file: number;
}

/** A map from 48-bit keys, of which millions are kept. */
export interface KeyTable {
  readonly size: number;
  /** Bytes that its entries take, free slots included. */
  readonly bytes: number;
  get(key: number): KeyEntry | undefined;
  set(key: number, entry: KeyEntry): void;
  clear(): void;
}

/**
 * Open addressing with linear probing, in 256 parts. A part that is 90 % full grows by 15 %, so at
 * least 78 % are in use, and an entry of 18 bytes takes at most 23. Parts grow by blocks of a fixed size
 * that are never freed: buffers that a larger one replaces would make up most of the process's memory.
 */
export function createKeyTable(): KeyTable {
  let slabs: Buffer[] = [];
  let blockCount = 0;
  let parts: Part[] = [];
  let size = 0;
  /** Holds the entries of a part while it grows. */
  let aside = Buffer.alloc(0);

  const addBlocks = (part: Part, count: number) => {
    for (let added = 0; added < count; added++) {
      if (blockCount % slabBlocks === 0) slabs.push(Buffer.alloc(slabBlocks * blockBytes));
      part.blocks.push(blockCount++);
    }
  };

  const slabOf = (block: number) => slabs[Math.floor(block / slabBlocks)] as Buffer;
  const offsetOf = (block: number) => (block % slabBlocks) * blockBytes;

  /** Where a key is, or would be. */
  const find = ({ blocks }: Part, rest: number): { slab: Buffer; at: number } => {
    const slots = blocks.length * blockSlots;
    for (let slot = Math.floor((rest / 2 ** 40) * slots); ; slot = (slot + 1) % slots) {
      const block = blocks[Math.floor(slot / blockSlots)] ?? 0;
      const slab = slabOf(block);
      const at = offsetOf(block) + (slot % blockSlots) * slotBytes;
      if (slab[at + fileAt] === 0 || slab.readUIntLE(at, restBytes) === rest) return { slab, at };
    }
  };

  const grow = (part: Part) => {
    const bytes = part.blocks.length * blockBytes;
    if (aside.length < bytes) aside = Buffer.alloc(bytes);
    for (const [index, block] of part.blocks.entries()) {
      const [slab, from] = [slabOf(block), offsetOf(block)];
      slab.copy(aside, index * blockBytes, from, from + blockBytes);
      slab.fill(0, from, from + blockBytes);
    }
    addBlocks(part, Math.ceil(part.blocks.length * growth));
    for (let from = 0; from < bytes; from += slotBytes) {
      if (aside[from + fileAt] === 0) continue;
      const { slab, at } = find(part, aside.readUIntLE(from, restBytes));
      // Shorter than a call of copy() takes.
      for (let byte = 0; byte < slotBytes; byte++) slab[at + byte] = aside[from + byte] ?? 0;
    }
  };

  const clear = () => {
    [slabs, blockCount, size] = [[], 0, 0];
    parts = Array.from({ length: partCount }, () => ({ blocks: [], used: 0 }));
    for (const part of parts) addBlocks(part, 1);
  };
  clear();

  return {
    get size() {
      return size;
    },
    get bytes() {
      return slabs.length * slabBlocks * blockBytes;
    },
    get(key) {
      const { slab, at } = find(parts[key % partCount] as Part, Math.floor(key / partCount));
      const file = slab[at + fileAt] ?? 0;
      if (file === 0) return undefined;
      const delivered = slab.readUIntLE(at + deliveredAt, 6);
      return { delivered, planned: slab.readUIntLE(at + plannedAt, 6), file };
    },
    set(key, { delivered, planned, file }) {
      const part = parts[key % partCount] as Part;
      const rest = Math.floor(key / partCount);
      let { slab, at } = find(part, rest);
      if (slab[at + fileAt] === 0) {
        if (part.used + 1 > part.blocks.length * blockSlots * mostFull) {
          grow(part);
          ({ slab, at } = find(part, rest));
        }
        part.used++;
        size++;
      }
      slab.writeUIntLE(rest, at, restBytes);
      slab.writeUIntLE(delivered, at + deliveredAt, 6);
      slab.writeUIntLE(planned, at + plannedAt, 6);
      slab.writeUInt8(file, at + fileAt);
    },
    clear,
  };
}

/** 8 bits of the key choose the part, so 40 are left to keep. */
const partCount = 256;
const restBytes = 5;
const deliveredAt = restBytes;
const plannedAt = deliveredAt + 6;
/** 0 where the slot is free. */
const fileAt = plannedAt + 6;
const slotBytes = fileAt + 1;

const blockSlots = 32;
const blockBytes = blockSlots * slotBytes;
const slabBlocks = 128;
const growth = 0.15;
const mostFull = 0.9;

interface Part {
  /** The numbers of its blocks. */
  readonly blocks: number[];
  used: number;
}
