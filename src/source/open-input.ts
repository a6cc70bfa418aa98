import { cannotStart } from "../domain/errors.ts";
import { gunzip } from "./gunzip.ts";
import { type ByteReader, type InputSpec, readBytes } from "./read-bytes.ts";
import { accessFile, accessStream, type RandomAccess } from "./workbook/random-access.ts";

/** What an input turned out to be, whatever it is called. */
export type OpenedInput =
  | {
      readonly kind: "text";
      /** Its bytes, unpacked; what is counted are those of the input. */
      readonly reader: ByteReader;
      readonly isPacked: boolean;
    }
  | { readonly kind: "workbook"; readonly bytes: RandomAccess };

const gzipMagic = Buffer.from([0x1f, 0x8b, 0x08]);
const zipMagics = [Buffer.from("PK\x03\x04"), Buffer.from("PK\x05\x06")];
/** An OLE compound file: what Excel wrote until 2003, and still does around a password. */
const oleMagic = Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
const magicBytes = 8;

/**
 * Opens an input and finds out from its content whether it is packed or a workbook.
 *
 * @throws CannotStartError where it cannot be read, or is a kind of workbook that is not read
 */
export async function openInput(input: InputSpec): Promise<OpenedInput> {
  const reader = await readBytes(input);
  try {
    const { head, chunks } = await lookAhead(reader.chunks);
    if (!isGzip(head)) {
      const path = input.kind === "file" ? input.path : undefined;
      return await openUnpacked(input.name, { ...reader, chunks }, head, path);
    }
    const unpacked = await lookAhead(gunzip(chunks));
    const inner = { ...reader, chunks: unpacked.chunks };
    const opened = await openUnpacked(input.name, inner, unpacked.head, undefined);
    return opened.kind === "text" ? { ...opened, isPacked: true } : opened;
  } catch (error) {
    await reader.close();
    throw error;
  }
}

/** @param path of a file that holds these bytes and no others */
async function openUnpacked(
  name: string,
  reader: ByteReader,
  head: Buffer,
  path: string | undefined,
): Promise<OpenedInput> {
  if (startsWith(head, oleMagic)) throw cannotStart("workbook_of_old", name, oldKind(head));
  if (!zipMagics.some((magic) => startsWith(head, magic))) {
    return { kind: "text", reader, isPacked: false };
  }
  const bytes =
    path === undefined ? await accessStream(name, reader.chunks) : await accessFile(path);
  await reader.close();
  return { kind: "workbook", bytes };
}

function isGzip(head: Buffer): boolean {
  return startsWith(head, gzipMagic);
}

function startsWith(bytes: Buffer, magic: Buffer): boolean {
  return bytes.subarray(0, magic.length).equals(magic);
}

/** The names of the streams in it say which it is, where they are near its beginning. */
function oldKind(head: Buffer): "xls" | "password" | "either" {
  const has = (name: string) => head.includes(Buffer.from(name, "utf16le"));
  if (has("EncryptedPackage")) return "password";
  return has("Workbook") || has("Book") ? "xls" : "either";
}

/** The first bytes, and all of them. An error in the middle of the first comes with the rest. */
async function lookAhead(
  chunks: AsyncIterable<Buffer>,
): Promise<{ head: Buffer; chunks: AsyncGenerator<Buffer> }> {
  const iterator = chunks[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  let end: { readonly error?: unknown } | undefined;
  while (head.length < magicBytes && end === undefined) {
    try {
      const next = await iterator.next();
      if (next.done === true) end = {};
      else head = head.length === 0 ? next.value : Buffer.concat([head, next.value]);
    } catch (error) {
      end = { error };
    }
  }
  async function* all(): AsyncGenerator<Buffer> {
    try {
      if (head.length > 0) yield head;
      if (end !== undefined && "error" in end) throw end.error;
      if (end !== undefined) return;
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
        yield next.value;
      }
    } finally {
      await iterator.return?.();
    }
  }
  return { head, chunks: all() };
}
