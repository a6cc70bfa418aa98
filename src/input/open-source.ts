import { cannotStart, InputDamagedError } from "../model/errors.ts";
import type { Reading } from "../model/reading.ts";
import { gunzip } from "./compression.ts";
import { type BytesAhead, bytesAhead } from "./look-ahead.ts";
import { openCsv } from "./open-csv.ts";
import { type ByteReader, type FileSpec, type InputSpec, readBytes } from "./read-bytes.ts";
import type { Source } from "./source.ts";

/**
 * Opens an input: a workbook, or CSV, perhaps compressed. Its kind, encoding, delimiter and first line
 * are detected unless they are given.
 *
 * @param reading how to read it, as far as that is given
 * @throws CannotStartError if there is no such file, it cannot be read, or it has no header
 */
export async function openSource(input: InputSpec, reading: Reading = {}): Promise<Source> {
  const { name } = input;
  const reader = await readBytes(input);
  try {
    const beginning = await beginningOfBytes(reader.chunks);
    if (!startsWith(beginning.head(), gzipMagic)) {
      const file = input.kind === "file" ? input : undefined;
      return await openUnpacked(name, reader, beginning, reading, { file });
    }
    const unpacked = gunzip(beginning.all());
    const inside = await beginningOfBytes(unpacked);
    if (startsWith(inside.head(), gzipMagic))
      throw cannotStart("packed_otherwise", name, "gzip twice");
    const close = () => {
      // Not awaited: it may itself wait for bytes that never come.
      void unpacked.return(undefined).catch(() => {});
      return reader.close();
    };
    const compression = "gzip";
    return await openUnpacked(name, { ...reader, close }, inside, reading, { compression });
  } catch (error) {
    await reader.close();
    if (!(error instanceof InputDamagedError)) throw error;
    throw cannotStart("input_damaged", name, error.message);
  }
}

const gzipMagic = Buffer.from([0x1f, 0x8b, 0x08]);
const zipMagics = [Buffer.from("PK\x03\x04"), Buffer.from("PK\x05\x06")];
/** What people give in place of a table, by how it begins. */
const otherKinds = [
  ["packed_otherwise", "bzip2", "BZh91AY&SY"],
  ["packed_otherwise", "xz", "\xfd7zXZ\0"],
  ["packed_otherwise", "zstd", "\x28\xb5\x2f\xfd"],
  ["packed_otherwise", "7-Zip", "7z\xbc\xaf\x27\x1c"],
  ["not_a_table", "a PDF", "%PDF-"],
  ["not_a_table", "a document (RTF)", "{\\rtf"],
  // An OLE compound file: what Excel wrote until 2003, and still writes for a workbook with a password.
  [
    ...["not_a_table", "an .xls workbook, or one with a password"],
    "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
  ],
] as const;
const kindsByMagic = otherKinds.map(([code, what, magic]) => {
  return { code, what, magic: Buffer.from(magic, "latin1") };
});

/** @param from the file that holds exactly these bytes, or how they were packed */
async function openUnpacked(
  name: string,
  given: ByteReader,
  beginning: BytesAhead,
  reading: Reading,
  from: { readonly file?: FileSpec | undefined; readonly compression?: "gzip" },
): Promise<Source> {
  const head = beginning.head();
  const reader = { ...given, chunks: beginning.all() };
  const start = asciiOf(head);
  // JSON or JSON Lines: it begins with the name of a member of an object. No header does; a row may.
  if (reading.header !== false && /^(?:\[\s*)?\{\s*"[^"]*"\s*:/.test(start))
    throw cannotStart("input_is_json", name, from.file !== undefined);
  const other = kindsByMagic.find(({ magic }) => startsWith(head, magic));
  if (other !== undefined) throw cannotStart(other.code, name, other.what);
  const [, tag] = /^<(\?xml|!doctype html|html|head|body|table|meta)\b/i.exec(start) ?? [];
  if (tag !== undefined) {
    const what =
      tag === "?xml"
        ? "XML, perhaps a workbook of Excel 2003 or a .fods"
        : "an HTML page, which some programs save as .xls";
    throw cannotStart("not_a_table", name, what);
  }
  if (!zipMagics.some((magic) => startsWith(head, magic)))
    return openCsv(name, reader, from.compression, reading);
  if (from.file === undefined) {
    const why = "it is compressed or from standard input: save it as a file, and give that";
    throw cannotStart("workbook_unreadable", name, why);
  }
  await reader.close();
  const { openWorkbook } = await import("./workbook/open-workbook.ts");
  return openWorkbook(name, from.file, reading);
}

function startsWith(bytes: Buffer, magic: Buffer): boolean {
  return bytes.subarray(0, magic.length).equals(magic);
}

/** HTML, XML and JSON are recognised within this many bytes. */
const markupBytes = 64;

/** The first bytes without byte order mark and space, also of UTF-16. */
function asciiOf(head: Buffer): string {
  const text = head.toString("latin1", 0, markupBytes).replaceAll("\0", "");
  return text.replace(/^(?:\u00ef\u00bb?\u00bf?|\u00ff\u00fe?|\u00fe\u00ff?)?\s*/, "");
}

async function beginningOfBytes(chunks: AsyncIterable<Buffer>): Promise<BytesAhead> {
  const beginning = bytesAhead(chunks);
  await beginning.fill(markupBytes);
  return beginning;
}
