/*
 * Our own reader, and not `yauzl` (looked at in 3.4): that does not check the CRC-32 of what it unpacks, nor how
 * far a part expands, nor that a name stands in the directory once. With these checks around it, little would be
 * saved.
 */

import { Readable } from "node:stream";
import { crc32, createInflateRaw } from "node:zlib";
import { type ExpansionLimit, excessOf } from "../compression.ts";
import { type FileSpec, openFile } from "../read-bytes.ts";

export interface ZipArchive {
  has(name: string): boolean;
  /** Bytes of a part as they are packed; 0 where it is not there. */
  packedBytes(name: string): number;
  /** @throws ZipError if the part is not there or damaged, or grows beyond the limit */
  unpack(
    name: string,
    limit: ExpansionLimit,
    onPacked?: (bytes: number) => void,
  ): AsyncIterable<Buffer>;
}

/** A file that can be read at any offset: the directory of an archive stands at its end. */
export interface RandomAccess {
  readonly size: number;
  /** @returns as many bytes as there are, and no more than asked for */
  read(offset: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
}

/** Opens a file by its path, unless it is open and stays so. */
export async function accessFile({ path, held }: FileSpec): Promise<RandomAccess> {
  const handle = held ?? (await openFile(path));
  const { size } = await handle.stat();
  return {
    size,
    async read(offset, length) {
      const bytes = Buffer.alloc(Math.max(0, Math.min(length, size - offset)));
      let filled = 0;
      while (filled < bytes.length) {
        const rest = bytes.length - filled;
        const { bytesRead } = await handle.read(bytes, filled, rest, offset + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return bytes.subarray(0, filled);
    },
    async close() {
      if (held === undefined) await handle.close().catch(() => {});
    },
  };
}

const localHeaderBytes = 30;
const packedPieceBytes = 32 * 1024;
const stored = 0;
const deflated = 8;

/** @throws ZipError if it is not an archive, or was cut off */
export async function openZipArchive(file: RandomAccess): Promise<ZipArchive> {
  const entries = await readZipEntries(file);
  const byFoldedName = new Map([...entries].map(([name, entry]) => [foldName(name), entry]));
  const find = (name: string) => entries.get(name) ?? byFoldedName.get(foldName(name));
  return {
    has: (name) => find(name) !== undefined,
    packedBytes: (name) => find(name)?.packedBytes ?? 0,
    async *unpack(name, limit, onPacked = () => {}) {
      const entry = find(name);
      if (entry === undefined) throw new ZipError(`it has no part ${name}`);
      let packed = 0;
      let bytesOut = 0;
      let checksum = 0;
      const count = (bytes: number) => {
        packed += bytes;
        onPacked(bytes);
      };
      for await (const chunk of unpackEntry(entry, packedPieces(file, entry, count))) {
        bytesOut += chunk.length;
        checksum = crc32(chunk, checksum);
        const excess = excessOf(limit, packed, bytesOut);
        if (excess !== undefined) throw new ZipError(`${name}: ${excess}`);
        yield chunk;
      }
      if (bytesOut !== entry.unpackedBytes || checksum !== entry.crc32) {
        throw new ZipError(`${name} is damaged: its checksum does not match`);
      }
    },
  };
}

/**
 * Names of parts are the same whatever the case of their letters (ECMA-376 part 2, 6.2.2.3), and some
 * programs write them with backslashes.
 */
function foldName(name: string): string {
  return name.replaceAll("\\", "/").toLowerCase();
}

async function* unpackEntry(
  entry: ZipEntry,
  packed: AsyncGenerator<Buffer>,
): AsyncGenerator<Buffer> {
  switch (entry.method) {
    case stored:
      yield* packed;
      return;
    case deflated:
      break;
    default:
      throw new ZipError(`${entry.name} is packed in an unknown way (${entry.method})`);
  }
  const inflate = createInflateRaw({ chunkSize: 2 * packedPieceBytes });
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
    const piece = await file.read(offset, Math.min(packedPieceBytes, end - offset));
    if (piece.length === 0) throw new ZipError(`${entry.name} is cut off`);
    offset += piece.length;
    onPacked(piece.length);
    yield piece;
  }
}

/** A part of a zip archive, as the directory at its end has it (APPNOTE.TXT 4.3.12). */
interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly crc32: number;
  readonly packedBytes: number;
  readonly unpackedBytes: number;
  readonly headerOffset: number;
}

const endBytes = 22;
const longestComment = 0xffff;
const maxDirectoryBytes = 8 * 1024 * 1024;
const entryBytes = 46;
const inZip64 = 0xffff_ffff;

/** @throws ZipError if there is no directory, or it is damaged */
async function readZipEntries(file: RandomAccess): Promise<ReadonlyMap<string, ZipEntry>> {
  const { offset, bytes } = await findDirectory(file);
  if (bytes > maxDirectoryBytes) throw new ZipError("it has more parts than any workbook");
  const directory = await file.read(offset, bytes);
  const entries = new Map<string, ZipEntry>();
  for (let at = 0; at + entryBytes <= directory.length; ) {
    if (directory.readUInt32LE(at) !== 0x02014b50) throw new ZipError("its directory is damaged");
    const nameBytes = directory.readUInt16LE(at + 28);
    const extraBytes = directory.readUInt16LE(at + 30);
    const extraAt = at + entryBytes + nameBytes;
    const name = directory.subarray(at + entryBytes, extraAt).toString("utf8");
    const extra = directory.subarray(extraAt, extraAt + extraBytes);
    if ((directory.readUInt16LE(at + 8) & 1) === 1) throw new ZipError("it has a password");
    if (entries.has(name)) throw new ZipError(`it has two parts ${name}`);
    entries.set(name, readEntry(directory.subarray(at, at + entryBytes), name, extra));
    at = extraAt + extraBytes + directory.readUInt16LE(at + 32);
  }
  return entries;
}

function readEntry(fixed: Buffer, name: string, extra: Buffer): ZipEntry {
  const wide = createWideNumbers(extra);
  const unpackedBytes = wide(fixed.readUInt32LE(24));
  const packedBytes = wide(fixed.readUInt32LE(20));
  const headerOffset = wide(fixed.readUInt32LE(42));
  const method = fixed.readUInt16LE(10);
  return { name, method, crc32: fixed.readUInt32LE(16), packedBytes, unpackedBytes, headerOffset };
}

/** Numbers that have no room in the entry stand in the extra field of Zip64, in this order. */
function createWideNumbers(extra: Buffer) {
  let field: Buffer = Buffer.alloc(0);
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) === 1) {
      field = extra.subarray(at + 4, at + 4 + extra.readUInt16LE(at + 2));
    }
  }
  return (narrow: number): number => {
    if (narrow !== inZip64) return narrow;
    if (field.length < 8) throw new ZipError("its directory is damaged");
    const wide = Number(field.readBigUInt64LE(0));
    field = field.subarray(8);
    return wide;
  };
}

async function findDirectory(file: RandomAccess): Promise<{ offset: number; bytes: number }> {
  const from = Math.max(0, file.size - endBytes - longestComment);
  const tail = await file.read(from, file.size - from);
  const at = findEnd(tail);
  if (at === undefined) {
    throw new ZipError("it is cut off: the directory at its end is missing; fetch it again");
  }
  const found = { offset: tail.readUInt32LE(at + 16), bytes: tail.readUInt32LE(at + 12) };
  if (found.offset === inZip64 || found.bytes === inZip64) {
    return findWideDirectory(file, from + at);
  }
  return found;
}

function findEnd(tail: Buffer): number | undefined {
  for (let at = tail.length - endBytes; at >= 0; at--) {
    const isEnd = tail.readUInt32LE(at) === 0x06054b50;
    if (isEnd && at + endBytes + tail.readUInt16LE(at + 20) === tail.length) return at;
  }
  return undefined;
}

async function findWideDirectory(file: RandomAccess, endAt: number) {
  const locator = await file.read(endAt - 20, 20);
  if (locator.length < 20 || locator.readUInt32LE(0) !== 0x07064b50) {
    throw new ZipError("its directory is damaged");
  }
  const end = await file.read(Number(locator.readBigUInt64LE(8)), 56);
  if (end.length < 56 || end.readUInt32LE(0) !== 0x06064b50) {
    throw new ZipError("its directory is damaged");
  }
  return { offset: Number(end.readBigUInt64LE(48)), bytes: Number(end.readBigUInt64LE(40)) };
}

/** The archive cannot be read: it is damaged, or not what a workbook is. */
export class ZipError extends Error {
  override readonly name = "ZipError";
}
