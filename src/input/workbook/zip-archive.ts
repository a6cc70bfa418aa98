import { Readable } from "node:stream";
import { crc32, createInflateRaw } from "node:zlib";
import { type ExpansionLimit, excessOf } from "../compression.ts";
import type { RandomAccess } from "./random-access.ts";
import { readZipEntries, type ZipEntry } from "./zip-directory.ts";
import { ZipError } from "./zip-error.ts";

/** A zip archive whose parts are read one at a time. */
export interface ZipArchive {
  has(name: string): boolean;
  /** Bytes of a part as they are packed; 0 where it is not there. */
  packedBytes(name: string): number;
  /**
   * Unpacks a part.
   *
   * @param onPacked told how many more bytes of the archive were read
   * @throws ZipError where it is not there or damaged, or grows beyond the limit
   */
  unpack(
    name: string,
    limit: ExpansionLimit,
    onPacked?: (bytes: number) => void,
  ): AsyncIterable<Buffer>;
}

const localHeaderBytes = 30;
const pieceBytes = 32 * 1024;
const stored = 0;
const deflated = 8;

/** @throws ZipError where it is no archive, or cut off */
export async function openZipArchive(file: RandomAccess): Promise<ZipArchive> {
  const entries = await readZipEntries(file);
  return {
    has: (name) => entries.has(name),
    packedBytes: (name) => entries.get(name)?.packedBytes ?? 0,
    async *unpack(name, limit, onPacked = () => {}) {
      const entry = entries.get(name);
      if (entry === undefined) throw new ZipError(`it has no part ${name}`);
      let packed = 0;
      let bytesOut = 0;
      let checksum = 0;
      const count = (bytes: number) => {
        packed += bytes;
        onPacked(bytes);
      };
      for await (const chunk of unpackEntry(file, entry, count)) {
        bytesOut += chunk.length;
        checksum = crc32(chunk, checksum);
        const excess = excessOf(limit, packed, bytesOut);
        if (excess !== undefined) throw new ZipError(`${name}: ${excess}`);
        yield chunk;
      }
      if (bytesOut !== entry.unpackedBytes || checksum !== entry.crc32) {
        throw new ZipError(`${name} is damaged: it is not what was packed`);
      }
    },
  };
}

async function* unpackEntry(
  file: RandomAccess,
  entry: ZipEntry,
  onPacked: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const packed = packedPieces(file, entry, onPacked);
  switch (entry.method) {
    case stored:
      yield* packed;
      return;
    case deflated:
      break;
    default:
      throw new ZipError(`${entry.name} is packed in a way that is not known (${entry.method})`);
  }
  const inflate = createInflateRaw({ chunkSize: 2 * pieceBytes });
  const source = Readable.from(packed);
  source.on("error", (error) => inflate.destroy(error));
  try {
    yield* source.pipe(inflate) as AsyncIterable<Buffer>;
  } catch (error) {
    if (error instanceof ZipError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new ZipError(`${entry.name} is damaged: ${why}`, { cause: error });
  } finally {
    source.destroy();
    inflate.destroy();
  }
}

async function* packedPieces(
  file: RandomAccess,
  entry: ZipEntry,
  onPacked: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const header = await file.read(entry.headerOffset, localHeaderBytes);
  if (header.length < localHeaderBytes || header.readUInt32LE(0) !== 0x04034b50) {
    throw new ZipError(`${entry.name} is not where it should be`);
  }
  // Name and extra field may be longer here than in the directory.
  let offset =
    entry.headerOffset + localHeaderBytes + header.readUInt16LE(26) + header.readUInt16LE(28);
  const end = offset + entry.packedBytes;
  while (offset < end) {
    const piece = await file.read(offset, Math.min(pieceBytes, end - offset));
    if (piece.length === 0) throw new ZipError(`${entry.name} is cut off`);
    offset += piece.length;
    onPacked(piece.length);
    yield piece;
  }
}
