/** Remembers lists of texts by a hash of 64 bits each, in 11 to 22 bytes an entry. */
export interface SeenTexts {
  /** @returns whether the same list was added before */
  add(texts: readonly string[]): boolean;
  /** Whether no more are remembered; those that are still are found. */
  readonly isFull: boolean;
}

const firstCapacity = 1 << 12;

/** @param most how many are remembered */
export function createSeenTexts(most: number): SeenTexts {
  let capacity = firstCapacity;
  let table = new Uint32Array(2 * capacity); // pairs of words; two zeros are a free place
  let size = 0;

  /** The place of a hash, or the free one where it belongs. */
  const placeOf = (high: number, low: number): number => {
    let at = high & (capacity - 1);
    while (true) {
      const [foundHigh, foundLow] = [table[2 * at], table[2 * at + 1]];
      if (foundHigh === high && foundLow === low) return at;
      if (foundHigh === 0 && foundLow === 0) return at;
      at = (at + 1) & (capacity - 1);
    }
  };

  const grow = () => {
    const before = table;
    capacity *= 2;
    table = new Uint32Array(2 * capacity);
    for (let at = 0; at < before.length; at += 2) {
      const high = before[at] ?? 0;
      const low = before[at + 1] ?? 0;
      if (high !== 0 || low !== 0) put(placeOf(high, low), high, low);
    }
  };

  const put = (at: number, high: number, low: number) => {
    table[2 * at] = high;
    table[2 * at + 1] = low;
  };

  return {
    get isFull() {
      return size >= most;
    },
    add(texts) {
      const { high, low } = hash(texts);
      const at = placeOf(high, low);
      if (table[2 * at] !== 0 || table[2 * at + 1] !== 0) return true;
      if (size >= most) return false;
      put(at, high, low);
      size++;
      if (size * 4 > capacity * 3) grow();
      return false;
    },
  };
}

/** Two multiplicative hashes with a mixer at the end, as in cyrb53, side by side. */
function hash(texts: readonly string[]): { readonly high: number; readonly low: number } {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (const text of texts) {
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      a = Math.imul(a ^ unit, 0x9e3779b1);
      b = Math.imul(b ^ unit, 0x5f356495);
    }
    // No unit of a text is that large, so that ["ab", "c"] is not ["a", "bc"].
    a = Math.imul(a ^ 0x1ffff, 0x9e3779b1);
    b = Math.imul(b ^ 0x1ffff, 0x5f356495);
  }
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
  b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  const low = b >>> 0;
  return { high: a >>> 0, low: low === 0 ? 1 : low };
}
