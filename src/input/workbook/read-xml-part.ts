import type { ExpansionLimit } from "../compression.ts";
import { createXmlParser, XmlError, type XmlHandlers } from "./parse-xml.ts";
import type { RowList } from "./sheet.ts";
import type { ZipArchive } from "./zip-archive.ts";

/** A few dozen tags: each row in them may be as long as a row can be. */
const xmlPieceChars = 512;

/**
 * Parses a part of a workbook, and gives what the handlers have added to a list, some at a time and all that
 * stands before damage.
 *
 * @param rows the list; nothing if the handlers keep what they find
 * @throws ZipError, XmlError
 */
export async function* readXmlPart<Item = never>(
  archive: ZipArchive,
  name: string,
  limit: ExpansionLimit,
  handlers: XmlHandlers,
  onPacked?: (bytes: number) => void,
  rows?: RowList<Item>,
): AsyncGenerator<readonly Item[]> {
  const parser = createXmlParser(handlers);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decode = (chunk?: Buffer) => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch (error) {
      throw new XmlError("it is not UTF-8", { cause: error });
    }
  };
  function* take() {
    const taken = rows?.take() ?? [];
    if (taken.length > 0) yield taken;
  }
  try {
    for await (const chunk of archive.unpack(name, limit, onPacked)) {
      const text = decode(chunk);
      for (let at = 0; at < text.length; at += xmlPieceChars) {
        parser.write(text.slice(at, at + xmlPieceChars));
        if (rows?.isFull()) yield* take();
      }
      yield* take();
    }
    parser.write(decode());
    parser.end();
    yield* take();
  } catch (error) {
    yield* take();
    if (!(error instanceof XmlError)) throw error;
    throw new XmlError(`${name}: ${error.message}`, { cause: error });
  }
}

export async function readWholeXmlPart(
  archive: ZipArchive,
  name: string,
  limit: ExpansionLimit,
  handlers: XmlHandlers,
): Promise<void> {
  for await (const _ of readXmlPart(archive, name, limit, handlers));
}

const maxXmlChars = 16 * 1024 * 1024;
/** Memory that an item takes beside its characters. */
const charsEach = 128;

/**
 * Limits the memory for the styles, sheets and parts that a workbook names: a few kilobytes may name
 * millions of them.
 *
 * @returns a function to call with the characters of each; it throws XmlError beyond the limit
 */
export function createAllowance(): (chars: number) => void {
  let left = maxXmlChars;
  return (chars) => {
    left -= chars + charsEach;
    if (left < 0) throw new XmlError("it names more styles or parts than any workbook has");
  };
}
