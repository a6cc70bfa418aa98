import { rowsLimit } from "../compression.ts";
import { createBlockStore } from "./block-store.ts";
import { XmlError } from "./parse-xml.ts";
import { readPart } from "./read-part.ts";
import type { ZipArchive } from "./zip-archive.ts";

/** The texts that cells refer to by number. */
export async function readSharedStrings(
  archive: ZipArchive,
  part: string,
  maxChars: number,
  onPacked: (bytes: number) => void,
): Promise<StringStore> {
  const store = createStringStore();
  let texts: string[] = [];
  let text = "";
  let isText = false;
  let phonetic = 0;
  const pieces = readPart(
    archive,
    part,
    rowsLimit,
    {
      open(tag) {
        if (tag === "si") text = "";
        else if (tag === "rPh") phonetic++;
        else if (tag === "t") isText = phonetic === 0;
      },
      text(piece) {
        if (!isText) return;
        text += piece;
        if (text.length > maxChars)
          throw new XmlError(`a text is longer than ${maxChars} characters`);
      },
      close(tag) {
        if (tag === "t") isText = false;
        else if (tag === "rPh") phonetic--;
        else if (tag === "si") texts.push(readEscapes(text));
      },
    },
    onPacked,
  );
  try {
    for await (const _ of pieces) {
      const taken = texts;
      texts = [];
      await addAll(store, taken);
    }
    await addAll(store, texts);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Awaits only when something was written to disk: there may be many millions of texts. */
async function addAll(store: StringStore, texts: readonly string[]) {
  for (const text of texts) {
    const added = store.add(text);
    if (added !== undefined) await added;
  }
}

/**
 * Characters that XML cannot hold stand in texts of an .xlsx as `_x000D_` (ECMA-376 part 1, 22.9.2.19).
 * One that would make half a character of it, or a NUL, stays as it is written.
 */
export function readEscapes(text: string): string {
  if (!text.includes("_x")) return text;
  const read = text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return /\p{Cs}|\0/u.test(read) ? text : read;
}

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
