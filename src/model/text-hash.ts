/** The hash of a list of texts: two unsigned words, 64 bits in all. */
export interface TextHash {
  /**
   * Begins a list; one that was begun before and not ended is dropped.
   *
   * @param part a number that is part of it too
   */
  begin(part: number): void;
  /** @returns the bits that any of the text's units has: this is the one pass over its characters */
  add(text: string): number;
  /** Ends the list: `high` and `low` are its hash until the next one ends. */
  end(): void;
  readonly high: number;
  readonly low: number;
}

/** Not for texts that somebody crafts so that their hashes are equal. */
export function createTextHash(): TextHash {
  let a = 0;
  let b = 0;
  let high = 0;
  let low = 0;

  return {
    get high() {
      return high;
    },
    get low() {
      return low;
    },
    begin(part) {
      a = 0xdeadbeef ^ part;
      b = 0x41c6ce57;
    },
    add(text) {
      let one = a;
      let other = b;
      let bits = 0;
      let at = 0;
      // Two units at a time: most of the time goes into reading them.
      for (; at + 1 < text.length; at += 2) {
        const first = text.charCodeAt(at);
        const second = text.charCodeAt(at + 1);
        bits |= first | second;
        const units = first | (second << 16);
        one = Math.imul(one ^ units, 0x9e3779b1);
        one ^= one >>> 15;
        other = Math.imul(other ^ units, 0x5f356495);
        other ^= other >>> 13;
      }
      if (at < text.length) {
        const unit = text.charCodeAt(at);
        bits |= unit;
        one = Math.imul(one ^ unit, 0x9e3779b1);
        other = Math.imul(other ^ unit, 0x5f356495);
      }
      // So that ["ab", "c"] is not ["a", "bc"].
      a = Math.imul(one ^ ~text.length, 0x9e3779b1);
      b = Math.imul(other ^ ~text.length, 0x5f356495);
      return bits;
    },
    end() {
      // The mixer of cyrb53.
      const first = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
      const second =
        Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(first ^ (first >>> 13), 0xc2b2ae35);
      high = second >>> 0;
      low = first >>> 0;
    },
  };
}
