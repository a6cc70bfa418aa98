import type { ExpansionLimit } from "../compression.ts";
import { createXmlParser, XmlError, type XmlHandlers } from "./parse-xml.ts";
import type { ZipArchive } from "./zip-archive.ts";

/** Some dozen tags. Each row in them may be as long as a row can be. */
const pieceChars = 512;

/**
 * Parses a part of a workbook, a piece at a time: what the handlers have collected can be taken
 * between them.
 *
 * @param isFull asked every few tags whether so much has been collected that it should be taken at once
 * @throws ZipError, XmlError
 */
export async function* readPart(
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
export async function readWholePart(
  archive: ZipArchive,
  name: string,
  limit: ExpansionLimit,
  handlers: XmlHandlers,
): Promise<void> {
  for await (const _ of readPart(archive, name, limit, handlers));
}

/** What the handlers have collected with each piece of a part; also what stood before damage. */
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

const mostChars = 16 * 1024 * 1024;
/** What keeping something takes beside its characters. */
const charsEach = 128;

/**
 * Bounds what is kept of the styles, sheets and parts that a workbook names: there may be millions of them in
 * a few kilobytes.
 *
 * @returns a function that is told the characters of each, and throws XmlError where they are too many
 */
export function createAllowance(): (chars: number) => void {
  let left = mostChars;
  return (chars) => {
    left -= chars + charsEach;
    if (left < 0) throw new XmlError("it names more styles or parts than any workbook has");
  };
}
