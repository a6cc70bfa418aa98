import type { ExpansionLimit } from "../compression.ts";
import { createXmlParser, XmlError, type XmlHandlers } from "./parse-xml.ts";
import type { ZipArchive } from "./zip-archive.ts";

/** A few dozen tags: each row in them may be as long as a row can be. */
const pieceChars = 512;

/**
 * Parses a part of a workbook in pieces: between them, the caller takes what the handlers collected.
 *
 * @param isFull called every few tags; true asks the caller to take what was collected at once
 * @throws ZipError, XmlError
 */
export async function* readXmlPart(
  archive: ZipArchive,
  name: string,
  limit: ExpansionLimit,
  handlers: XmlHandlers,
  onPacked?: (bytes: number) => void,
  isFull = () => false,
): AsyncGenerator<void> {
  const parser = createXmlParser(handlers);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decode = (chunk?: Buffer) => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch (error) {
      throw new XmlError("it is not UTF-8", { cause: error });
    }
  };
  try {
    for await (const chunk of archive.unpack(name, limit, onPacked)) {
      const text = decode(chunk);
      for (let at = 0; at < text.length; at += pieceChars) {
        parser.write(text.slice(at, at + pieceChars));
        if (isFull()) yield;
      }
      yield;
    }
    parser.write(decode());
    parser.end();
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    throw new XmlError(`${name}: ${error.message}`, { cause: error });
  }
}

/** Reads a part to its end. */
export async function readWholeXmlPart(
  archive: ZipArchive,
  name: string,
  limit: ExpansionLimit,
  handlers: XmlHandlers,
): Promise<void> {
  for await (const _ of readXmlPart(archive, name, limit, handlers));
}

/** What the handlers collected from each piece of a part, including what stood before damage. */
export async function* takeBetween<Item>(
  pieces: AsyncIterable<void>,
  take: () => readonly Item[],
): AsyncGenerator<readonly Item[]> {
  try {
    for await (const _ of pieces) {
      const taken = take();
      if (taken.length > 0) yield taken;
    }
  } catch (error) {
    const before = take();
    if (before.length > 0) yield before;
    throw error;
  }
  const rest = take();
  if (rest.length > 0) yield rest;
}

const maxChars = 16 * 1024 * 1024;
/** Memory that an item takes beside its characters. */
const charsEach = 128;

/**
 * Limits the memory for the styles, sheets and parts that a workbook names: a few kilobytes may name
 * millions of them.
 *
 * @returns a function to call with the characters of each; it throws XmlError beyond the limit
 */
export function createAllowance(): (chars: number) => void {
  let left = maxChars;
  return (chars) => {
    left -= chars + charsEach;
    if (left < 0) throw new XmlError("it names more styles or parts than any workbook has");
  };
}
