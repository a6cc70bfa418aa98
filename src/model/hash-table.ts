/**
 * A table of millions of entries, each with a key of 64 bits (two unsigned words, which a hash gives) and a
 * value of a fixed number of 32-bit words. A Map takes five times the memory.
 */
export interface HashTable {
  readonly size: number;
  /** The memory of all slots, the free ones included. */
  readonly bytes: number;
  has(high: number, low: number): boolean;
  /** The words of a key's value, good until the next entry is added. */
  get(high: number, low: number): Uint32Array | undefined;
  /** The same; adds the key with zeros if it is not there. */
  entry(high: number, low: number): Uint32Array;
  /** Adds a key. @returns whether it is new; false too if more than a thousand keys crowd its slot, as only crafted ones do */
  add(high: number, low: number): boolean;
  /** Shows the value of each key, in no order. */
  forEach(see: (value: Uint32Array) => void): void;
  clear(): void;
}

interface Part {
  /** The numbers of its blocks. */
  readonly blocks: number[];
  used: number;
}

const partCount = 256;
const slotsPerBlock = 32;
const blocksPerSlab = 128;
const growth = 0.15;
const maxLoad = 0.9;
const maxProbes = 1000;
const keyWords = 2;

/**
 * Open addressing with linear probing, in 256 parts. A part that is 90 % full grows by 15 %, so at least
 * 78 % of the slots are in use. Parts grow by blocks of a fixed size that are never freed: arrays that
 * larger ones replace would make up most of the memory.
 */
export function createHashTable(valueWords: number): HashTable {
  const slotWords = keyWords + valueWords;
  const blockWords = slotsPerBlock * slotWords;
  let slabs: Uint32Array[] = [];
  let blockCount = 0;
  let parts: Part[] = [];
  let size = 0;
  /** Holds the entries of a part while it grows. */
  let aside = new Uint32Array(0);
  // Where `find` has found the key, or its free slot: no object for each look.
  let slab: Uint32Array = new Uint32Array(0);
  let at = 0;

  const addBlocks = (part: Part, count: number) => {
    for (let added = 0; added < count; added++) {
      if (blockCount % blocksPerSlab === 0) slabs.push(new Uint32Array(blocksPerSlab * blockWords));
      part.blocks.push(blockCount++);
    }
  };
  const slabOf = (block: number) => slabs[Math.floor(block / blocksPerSlab)] as Uint32Array;
  const offsetOf = (block: number) => (block % blocksPerSlab) * blockWords;

  /** @returns whether the key is there; undefined if it took too many probes */
  const find = (part: Part, high: number, low: number, probes: number): boolean | undefined => {
    const { blocks } = part;
    const slots = blocks.length * slotsPerBlock;
    let slot = Math.floor((high / 2 ** 32) * slots);
    for (let tried = 0; tried < probes; tried++) {
      const block = blocks[Math.floor(slot / slotsPerBlock)] as number;
      slab = slabOf(block);
      at = offsetOf(block) + (slot % slotsPerBlock) * slotWords;
      const [one, other] = [slab[at], slab[at + 1]];
      if (one === high && other === low) return true;
      if (one === 0 && other === 0) return false;
      slot = slot + 1 === slots ? 0 : slot + 1;
    }
    return undefined;
  };

  const grow = (part: Part) => {
    const words = part.blocks.length * blockWords;
    if (aside.length < words) aside = new Uint32Array(words);
    for (const [index, block] of part.blocks.entries()) {
      const [from, start] = [slabOf(block), offsetOf(block)];
      aside.set(from.subarray(start, start + blockWords), index * blockWords);
      from.fill(0, start, start + blockWords);
    }
    addBlocks(part, Math.ceil(part.blocks.length * growth));
    for (let from = 0; from < words; from += slotWords) {
      const [high = 0, low = 0] = [aside[from], aside[from + 1]];
      if (high === 0 && low === 0) continue;
      find(part, high, low, Number.POSITIVE_INFINITY);
      slab.set(aside.subarray(from, from + slotWords), at);
    }
  };

  const partOf = (low: number) => parts[low % partCount] as Part;
  /** Zeros mark a free slot. */
  const keyOf = (high: number, low: number) => (high === 0 && low === 0 ? 1 : low);

  /** Writes a key that is not there. */
  const insert = (part: Part, high: number, low: number) => {
    if (part.used + 1 > part.blocks.length * slotsPerBlock * maxLoad) {
      grow(part);
      find(part, high, low, Number.POSITIVE_INFINITY);
    }
    slab[at] = high;
    slab[at + 1] = low;
    part.used++;
    size++;
  };
  const value = () => slab.subarray(at + keyWords, at + slotWords);

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
      return slabs.length * blocksPerSlab * blockWords * Uint32Array.BYTES_PER_ELEMENT;
    },
    has(high, low) {
      const key = keyOf(high, low);
      return find(partOf(key), high, key, maxProbes) === true;
    },
    get(high, low) {
      const key = keyOf(high, low);
      return find(partOf(key), high, key, Number.POSITIVE_INFINITY) ? value() : undefined;
    },
    entry(high, low) {
      const key = keyOf(high, low);
      const part = partOf(key);
      if (!find(part, high, key, Number.POSITIVE_INFINITY)) insert(part, high, key);
      return value();
    },
    add(high, low) {
      const key = keyOf(high, low);
      const part = partOf(key);
      if (find(part, high, key, maxProbes) !== false) return false;
      insert(part, high, key);
      return true;
    },
    forEach(see) {
      for (const words of slabs) {
        for (let slot = 0; slot < words.length; slot += slotWords) {
          if (words[slot] === 0 && words[slot + 1] === 0) continue;
          see(words.subarray(slot + keyWords, slot + slotWords));
        }
      }
    },
    clear,
  };
}
