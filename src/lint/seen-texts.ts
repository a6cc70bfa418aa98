/** Remembers lists of texts by a hash of 53 bits each, in 8 bytes an entry at most. */
export interface SeenTexts {
  /**
   * Begins a list; one that was begun before counts for nothing.
   *
   * @param part a number that is part of it too
   */
  begin(part: number): void;
  /** @returns the bits that any of the text's units has: this is the one pass over its characters */
  add(text: string): number;
  /** Ends the list. @returns whether the same one was there before */
  end(): boolean;
  /** Whether no more are remembered; those that are still are found. */
  readonly isFull: boolean;
}

/** Far more than chance puts in a row where half of the places are free. */
const mostTries = 1000;

/** @param most how many are remembered */
export function createSeenTexts(most: number): SeenTexts {
  // At least twice as many places as entries, so that the next free one is near. A place tells some
  // bits of the hash, and holds 32 others; 0 is a free one. The system gives memory to a large array
  // only where it is written to, so a small input takes little of it.
  const places = 2 ** Math.ceil(Math.log2(2 * most));
  const table = new Uint32Array(places);
  const lastPlace = places - 1;
  let size = 0;
  let a = 0;
  let b = 0;

  return {
    get isFull() {
      return size >= most;
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
      const mark = second >>> 0 || 1;
      let place = first & lastPlace;
      let tries = 0;
      for (let found = table[place]; found !== 0; found = table[place]) {
        if (found === mark) return true;
        // Somebody has made texts of which the hashes are alike, and that is not forgotten soon.
        if (++tries > mostTries) return false;
        place = (place + 1) & lastPlace;
      }
      if (size >= most) return false;
      table[place] = mark;
      size++;
      return false;
    },
  };
}
