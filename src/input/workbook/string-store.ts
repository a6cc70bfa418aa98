import { createBlockStore } from "./block-store.ts";

/** Texts by number, of which few stay in memory. */
export interface StringStore {
  /** @returns nothing where there is nothing to wait for */
  add(text: string): Promise<void> | undefined;
  count(): number;
  /** Nothing where there is no such text. */
  get(index: number): string | undefined;
  close(): Promise<void>;
}

const maxBytes = 4 * 1024 * 1024 * 1024 - 1;

/** Only the first of so many texts has its place in memory: of a wide sheet there are many millions. */
const groupTexts = 16;

/**
 * The texts of a workbook are a table of their own, before the rows that refer to it, and as large as
 * they. It is kept packed, each text after its length. Rows refer to it in its order, or in any other
 * where they were sorted.
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
    if (packed.length < length + mostLengthBytes) {
      packed = Buffer.allocUnsafeSlow(2 * (length + mostLengthBytes));
    }
    let at = 0;
    let rest = length;
    for (; rest >= 0x80; rest >>>= 7) packed[at++] = (rest & 0x7f) | 0x80;
    packed[at++] = rest;
    return packed.subarray(0, at + packed.write(text, at));
  };

  /** Reads the length at `place`, and goes on to what it is the length of. */
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

const mostLengthBytes = 5;
