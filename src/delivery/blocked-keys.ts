import { hash } from "node:crypto";

/** The keys that are held back, each with the number of the row for which it is. */
export interface BlockedKeys {
  /** The first row given for a key is the one that counts. */
  block(key: string, row: number): void;
  /** Nothing where the key is free to go on. */
  rowOf(key: string): number | undefined;
  /** Bytes that they take. */
  readonly bytes: number;
}

const digestWords = 3;
const slotWords = digestWords + 2;
const firstSlots = 16;

/**
 * Keeps no key but 96 bits of its digest, in one array: in a file of which nearly everything fails,
 * this is all that grows. It takes 27 to 53 bytes a key, however long the key is, and half as much
 * again for a moment as it grows. Among a million keys that failed and a billion looked up, the
 * chance that one is taken for another is about 1 in 10^13.
 */
export function createBlockedKeys(): BlockedKeys {
  let slots = firstSlots;
  let words = new Uint32Array(slots * slotWords);
  let count = 0;

  /** Where a digest stands, or the free slot in which it would. */
  const find = (digest: Uint32Array): number => {
    let slot = (digest[0] ?? 0) % slots;
    for (;;) {
      const at = slot * slotWords;
      if (isFree(words, at) || digest.every((word, index) => words[at + index] === word)) return at;
      slot = (slot + 1) % slots;
    }
  };
  const grow = () => {
    const before = words;
    slots *= 2;
    words = new Uint32Array(slots * slotWords);
    for (let at = 0; at < before.length; at += slotWords) {
      if (isFree(before, at)) continue;
      const entry = before.subarray(at, at + slotWords);
      words.set(entry, find(entry.subarray(0, digestWords)));
    }
  };

  return {
    block(key, row) {
      if ((count + 1) * 4 > slots * 3) grow();
      const digest = digestOf(key);
      const at = find(digest);
      if (!isFree(words, at)) return;
      words.set(digest, at);
      writeRow(words, at, row);
      count++;
    },
    rowOf(key) {
      if (count === 0) return undefined;
      const at = find(digestOf(key));
      return isFree(words, at) ? undefined : readRow(words, at);
    },
    get bytes() {
      return words.byteLength;
    },
  };
}

function digestOf(key: string): Uint32Array {
  const bytes = hash("sha256", key, "buffer");
  return Uint32Array.from({ length: digestWords }, (_, at) => bytes.readUInt32LE(4 * at));
}

/** Rows are kept one higher than they are, so that a slot of zeros is a free one. */
function writeRow(words: Uint32Array, at: number, row: number): void {
  words[at + digestWords] = (row + 1) % 2 ** 32;
  words[at + digestWords + 1] = Math.floor((row + 1) / 2 ** 32);
}

function readRow(words: Uint32Array, at: number): number {
  const [low = 0, high = 0] = words.subarray(at + digestWords, at + slotWords);
  return high * 2 ** 32 + low - 1;
}

function isFree(words: Uint32Array, at: number): boolean {
  return words[at + digestWords] === 0 && words[at + digestWords + 1] === 0;
}
