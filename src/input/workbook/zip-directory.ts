import type { RandomAccess } from "./random-access.ts";
import { ZipError } from "./zip-error.ts";

/** A part of a zip archive, as the directory at its end has it (APPNOTE.TXT 4.3.12). */
export interface ZipEntry {
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

/** @throws ZipError where there is no directory, or it is damaged */
export async function readZipEntries(file: RandomAccess): Promise<ReadonlyMap<string, ZipEntry>> {
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
