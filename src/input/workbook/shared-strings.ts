import { rowsLimit } from "../compression.ts";
import { XmlError } from "./parse-xml.ts";
import { readXmlPart } from "./read-xml-part.ts";
import type { ZipArchive } from "./zip-archive.ts";

/** The text that cells refer to by this number; undefined if there is none. */
export type SharedText = (index: number) => string | undefined;

/** What all shared strings may take, with where each ends. */
const maxStringsBytes = 64 * 1024 * 1024;

/**
 * Reads the table of texts (ECMA-376 part 1, 18.4), which stands before the rows, into one buffer: as strings they
 * would take several times the memory.
 */
export async function readSharedStrings(
  archive: ZipArchive,
  part: string,
  maxChars: number,
  onPacked: (bytes: number) => void,
): Promise<SharedText> {
  let texts = Buffer.allocUnsafeSlow(64 * 1024);
  /** Where each text ends; before the first one a zero. */
  let ends = new Uint32Array(1024);
  let count = 0;
  const add = (text: string) => {
    const begin = ends[count] ?? 0;
    const end = begin + Buffer.byteLength(text);
    if (end + count * ends.BYTES_PER_ELEMENT > maxStringsBytes)
      throw new XmlError("its texts take more than 64 MiB: save the sheet as CSV");
    if (end > texts.length) {
      const longer = Buffer.allocUnsafeSlow(Math.min(2 * end, maxStringsBytes));
      texts.copy(longer, 0, 0, begin);
      texts = longer;
    }
    texts.write(text, begin);
    if (++count === ends.length) {
      const longer = new Uint32Array(2 * count);
      longer.set(ends);
      ends = longer;
    }
    ends[count] = end;
  };
  let text = "";
  let isText = false;
  let phonetic = 0;
  const handlers = {
    open(tag: string) {
      if (tag === "si") text = "";
      else if (tag === "rPh") phonetic++;
      else if (tag === "t") isText = phonetic === 0;
    },
    text(piece: string) {
      if (!isText) return;
      text += piece;
      if (text.length > maxChars)
        throw new XmlError(`a text is longer than ${maxChars} characters`);
    },
    close(tag: string) {
      if (tag === "t") isText = false;
      else if (tag === "rPh") phonetic--;
      else if (tag === "si") add(readEscapes(text));
    },
  };
  for await (const _ of readXmlPart(archive, part, rowsLimit, handlers, onPacked));
  /** Long texts that many cells may share: a string for each cell would fill memory with copies. */
  const long = new Map<number, string>();
  let longSum = 0;
  return (index) => {
    const known = long.get(index);
    if (known !== undefined || index >= count) return known;
    const text = texts.toString("utf8", ends[index], ends[index + 1]);
    if (text.length < longStringChars) return text;
    longSum += text.length;
    if (longSum > maxLongSum) {
      long.clear();
      longSum = text.length;
    }
    long.set(index, text);
    return text;
  };
}

const longStringChars = 4096;
const maxLongSum = 8 * 1024 * 1024;

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
