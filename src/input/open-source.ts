import { cannotStart } from "../model/errors.ts";
import type { Reading } from "../model/reading.ts";
import { gunzip } from "./compression.ts";
import { type LookAhead, lookAhead } from "./look-ahead.ts";
import { type CsvBytes, openCsv } from "./open-csv.ts";
import { type ByteReader, type FileSpec, type InputSpec, readBytes } from "./read-bytes.ts";
import type { Source } from "./source.ts";
import { accessFile, accessStream, type RandomAccess } from "./workbook/random-access.ts";

/**
 * Opens an input: a workbook, or CSV, perhaps compressed. Its kind, encoding, delimiter and first line
 * are detected unless they are given.
 *
 * @param reading how to read it, as far as that is given
 * @throws CannotStartError if there is no such file, it cannot be read, or it has no header
 */
export async function openSource(input: InputSpec, reading: Reading = {}): Promise<Source> {
  const detected = await detectFormat(input, reading);
  switch (detected.kind) {
    case "workbook": {
      const { openWorkbook } = await import("./workbook/open-workbook.ts");
      return openWorkbook(input.name, detected.bytes, reading);
    }
    case "text":
      return openCsv(input, detected, reading);
  }
}

/** What an input is by its content, whatever its name. */
type DetectedFormat =
  | ({ readonly kind: "text" } & CsvBytes)
  | { readonly kind: "workbook"; readonly bytes: RandomAccess };

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
const others = otherKinds.map(([code, what, magic]) => {
  return { code, what, magic: Buffer.from(magic, "latin1") };
});

/**
 * Opens an input and detects from its content whether it is compressed or a workbook.
 *
 * @throws CannotStartError if it cannot be read, or is a kind of file that is not read
 */
async function detectFormat(input: InputSpec, reading: Reading): Promise<DetectedFormat> {
  const reader = await readBytes(input);
  try {
    const beginning = await beginningOf(reader.chunks);
    // No header begins like JSON; a row may.
    const mayBeJson = reading.header !== false;
    if (!isGzip(beginning.head)) {
      if (mayBeJson) refuseJson(input.name, beginning.head, input.kind === "file");
      const file = input.kind === "file" ? input : undefined;
      return await openUnpacked(input.name, reader, beginning, file);
    }
    const unpacked = gunzip(beginning.all());
    const inside = await beginningOf(unpacked);
    if (isGzip(inside.head)) throw cannotStart("packed_otherwise", input.name, "gzip twice");
    if (mayBeJson) refuseJson(input.name, inside.head, false);
    const close = () => {
      // Not awaited: it may itself wait for bytes that never come.
      void unpacked.return(undefined).catch(() => {});
      return reader.close();
    };
    const opened = await openUnpacked(input.name, { ...reader, close }, inside, undefined);
    return opened.kind === "text" ? { ...opened, compression: "gzip" } : opened;
  } catch (error) {
    await reader.close();
    throw error;
  }
}

/** @param file that holds exactly these bytes */
async function openUnpacked(
  name: string,
  given: ByteReader,
  beginning: LookAhead,
  file: Pick<FileSpec, "path" | "held"> | undefined,
): Promise<DetectedFormat> {
  const { head } = beginning;
  const reader = { ...given, chunks: beginning.all() };
  const other = others.find(({ magic }) => startsWith(head, magic));
  if (other !== undefined) throw cannotStart(other.code, name, other.what);
  const markup = markupKind(head);
  if (markup !== undefined) throw cannotStart("not_a_table", name, markup);
  if (!zipMagics.some((magic) => startsWith(head, magic))) {
    return { kind: "text", reader, compression: undefined };
  }
  const bytes =
    file === undefined
      ? await accessStream(name, reader.chunks)
      : await accessFile(file.path, file.held);
  await reader.close();
  return { kind: "workbook", bytes };
}

function isGzip(head: Buffer): boolean {
  return startsWith(head, gzipMagic);
}

function startsWith(bytes: Buffer, magic: Buffer): boolean {
  return bytes.subarray(0, magic.length).equals(magic);
}

/** HTML, XML and JSON are recognised within this many bytes. */
const markupBytes = 64;

function markupKind(head: Buffer): string | undefined {
  const [, start] =
    /^<(\?xml|!doctype html|html|head|body|table|meta)\b/i.exec(asciiOf(head)) ?? [];
  if (start === undefined) return undefined;
  return start === "?xml"
    ? "XML, perhaps a workbook of Excel 2003 or a .fods"
    : "an HTML page, which some programs save as .xls";
}

/** JSON or JSON Lines: it begins with the name of a member of an object. */
function refuseJson(name: string, head: Buffer, isPlainFile: boolean): void {
  if (/^(?:\[\s*)?\{\s*"[^"]*"\s*:/.test(asciiOf(head)))
    throw cannotStart("input_is_json", name, isPlainFile);
}

/** The first bytes without byte order mark and space, also of UTF-16. */
function asciiOf(head: Buffer): string {
  const text = head.toString("latin1", 0, markupBytes).replaceAll("\0", "");
  return text.replace(/^(?:\u00ef\u00bb?\u00bf?|\u00ff\u00fe?|\u00fe\u00ff?)?\s*/, "");
}

async function beginningOf(chunks: AsyncIterable<Buffer>): Promise<LookAhead> {
  const beginning = lookAhead(chunks);
  await beginning.fill(markupBytes);
  return beginning;
}
