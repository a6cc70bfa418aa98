import { hash } from "node:crypto";

const partCount = 256;
const firstSlots = 32;
const usualGrowth = 0.3;
const maxLoad = 0.9;
const keyWords = 2;

/**
 * A table of millions of entries, each with a key of 64 bits (two unsigned words, which a hash gives) and a
 * value of a fixed number of 32-bit words. A Map takes five times the memory.
 *
 * Open addressing with linear probing, in 256 parts, each of which grows by 30 % when 90 % of its slots are in
 * use: what a part leaves behind is little beside the whole.
 *
 * @param growth the share by which a part grows: less saves memory, and takes more time to fill
 */
export function createHashTable(valueWords: number, growth = usualGrowth) {
  const slotWords = keyWords + valueWords;
  const parts = Array.from({ length: partCount }, () => new Uint32Array(firstSlots * slotWords));
  const used = Array.from({ length: partCount }, () => 0);
  let size = 0;
  // Where `find` has found the key, or its free slot: no object for each look.
  let words: Uint32Array = new Uint32Array(0);
  let at = 0;

  const find = (part: number, high: number, low: number): boolean => {
    words = parts[part] as Uint32Array;
    const slots = words.length / slotWords;
    let slot = Math.floor((high / 2 ** 32) * slots);
    while (true) {
      at = slot * slotWords;
      const one = words[at];
      const other = words[at + 1];
      if (one === high && other === low) return true;
      if (one === 0 && other === 0) return false;
      slot = slot + 1 === slots ? 0 : slot + 1;
    }
  };

  const grow = (part: number) => {
    const old = parts[part] as Uint32Array;
    const slots = Math.ceil((old.length / slotWords) * (1 + growth));
    parts[part] = new Uint32Array(slots * slotWords);
    for (let from = 0; from < old.length; from += slotWords) {
      const high = old[from] ?? 0;
      const low = old[from + 1] ?? 0;
      if (high === 0 && low === 0) continue;
      find(part, high, low);
      for (let word = 0; word < slotWords; word++) words[at + word] = old[from + word] ?? 0;
    }
  };

  /** Zeros mark a free slot. */
  const keyOf = (high: number, low: number) => (high === 0 && low === 0 ? 1 : low);

  const insert = (part: number, high: number, low: number) => {
    const before = used[part] ?? 0;
    if ((before + 1) * slotWords > words.length * maxLoad) {
      grow(part);
      find(part, high, low);
    }
    words[at] = high;
    words[at + 1] = low;
    used[part] = before + 1;
    size++;
  };
  const value = () => words.subarray(at + keyWords, at + slotWords);

  return {
    get size() {
      return size;
    },
    /** The memory of all slots, the free ones included. */
    get bytes() {
      return parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
    },
    /** The words of a key's value, good until the next entry is added. */
    get({ high, low }: Digest) {
      const key = keyOf(high, low);
      return find(key % partCount, high, key) ? value() : undefined;
    },
    /** Finds the entry of a key; adds the key with zeros if it is not there. */
    entry({ high, low }: Digest) {
      const key = keyOf(high, low);
      const part = key % partCount;
      if (!find(part, high, key)) insert(part, high, key);
      return value();
    },
    /** Sets the first word of a key's value. @returns what it was, 0 if the key is new */
    exchange({ high, low }: Digest, word: number) {
      const key = keyOf(high, low);
      const part = key % partCount;
      if (!find(part, high, key)) insert(part, high, key);
      const before = words[at + keyWords] ?? 0;
      words[at + keyWords] = word;
      return before;
    },
    /** Shows the value of each key, in no order: good until the next. What is changed in it stays. */
    forEach(see: (value: Uint32Array) => void) {
      const value = new Uint32Array(valueWords);
      for (const all of parts) {
        for (let slot = 0; slot < all.length; slot += slotWords) {
          if (all[slot] === 0 && all[slot + 1] === 0) continue;
          for (let word = 0; word < valueWords; word++) {
            value[word] = all[slot + keyWords + word] as number;
          }
          see(value);
          all.set(value, slot + keyWords);
        }
      }
    },
  };
}

/** The key of a hash table: two unsigned words. */
export interface Digest {
  readonly high: number;
  readonly low: number;
}

/** 64 bits of a text's SHA-1. Among a million texts, the chance that two have the same is 1 in 37 million. */
export function digestOf(text: string): Digest {
  // A character a byte, as a buffer would have memory of its own.
  const bytes = hash("sha1", text, "binary");
  return { high: wordAt(bytes, 0), low: wordAt(bytes, 4) };
}

/** 16 hex digits. */
export function hexOf({ high, low }: Digest): string {
  twoWords.writeUInt32BE(high, 0);
  twoWords.writeUInt32BE(low, 4);
  return twoWords.toString("hex");
}

const twoWords = Buffer.alloc(8);

export function digestOfHex(hex: string): Digest {
  return { high: Number.parseInt(hex.slice(0, 8), 16), low: Number.parseInt(hex.slice(8), 16) };
}

function wordAt(bytes: string, at: number): number {
  const [a, b] = [bytes.charCodeAt(at), bytes.charCodeAt(at + 1)];
  const [c, d] = [bytes.charCodeAt(at + 2), bytes.charCodeAt(at + 3)];
  return a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d;
}
