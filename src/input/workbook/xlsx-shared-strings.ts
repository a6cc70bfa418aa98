import { rowsLimit } from "../compression.ts";
import { XmlError } from "./parse-xml.ts";
import { readXmlPart } from "./read-xml-part.ts";
import { createStringStore, type StringStore } from "./string-store.ts";
import { readEscapes } from "./xlsx-cell.ts";
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
  const pieces = readXmlPart(
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
