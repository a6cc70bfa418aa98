import { createHashTable } from "./hash-table.ts";

/** A set of lists of texts, each kept as a hash of 64 bits. */
export interface TextSet {
  /**
   * Begins a list; one that was begun before and not ended is dropped.
   *
   * @param part a number that is part of it too
   */
  begin(part: number): void;
  /** @returns the bits that any of the text's units has: this is the one pass over its characters */
  add(text: string): number;
  /** Ends the list. @returns whether the same one was there before */
  end(): boolean;
  /** Whether no more are added; those that are there are still found. */
  readonly isFull: boolean;
}

/** @param maxSize how many lists are kept */
export function createTextSet(maxSize: number): TextSet {
  const table = createHashTable(0);
  let a = 0;
  let b = 0;

  return {
    get isFull() {
      return table.size >= maxSize;
    },
    begin(part) {
      a = 0xdeadbeef ^ part;
      b = 0x41c6ce57;
    },
    add(text) {
      let one = a;
      let other = b;
      let bits = 0;
      for (let at = 0; at < text.length; at++) {
        const unit = text.charCodeAt(at);
        bits |= unit;
        one = Math.imul(one ^ unit, 0x9e3779b1);
        other = Math.imul(other ^ unit, 0x5f356495);
      }
      // No unit of a text is that large, so that ["ab", "c"] is not ["a", "bc"].
      a = Math.imul(one ^ 0x1ffff, 0x9e3779b1);
      b = Math.imul(other ^ 0x1ffff, 0x5f356495);
      return bits;
    },
    end() {
      // The mixer of cyrb53.
      const first = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
      const second =
        Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(first ^ (first >>> 13), 0xc2b2ae35);
      const [high, low] = [second >>> 0, first >>> 0];
      if (table.size >= maxSize) return table.has(high, low);
      return !table.add(high, low);
    },
  };
}
