import { isUtf8 } from "node:buffer";
import type { Transform } from "node:stream";
import { TextDecoder } from "node:util";
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";

/** No honest answer has more. */
const maxCodings = 3;

/** What the headers of an answer say about its body (RFC 9110, section 8). */
export interface BodyHeaders {
  readonly contentEncoding?: string | undefined;
  readonly contentType?: string | undefined;
}

export interface AnswerBody {
  readonly text: string;
  /** Whether the body goes on after that. */
  readonly isCut: boolean;
}

/**
 * Decodes the beginning of a body as text. Of a compressed body, at most `maxBytes` are decompressed, however large it
 * would become; a body that cannot be decompressed gives no text.
 *
 * @returns a promise only if something has to be decompressed. It never rejects.
 */
export function readAnswerBody(
  bytes: Buffer,
  isCut: boolean,
  { contentEncoding = "", contentType = "" }: BodyHeaders,
  maxBytes: number,
): AnswerBody | Promise<AnswerBody> {
  const codings = contentEncoding
    .split(",")
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== "" && coding !== "identity");
  if (codings.length === 0) return { text: toText(bytes, isCut, contentType), isCut };
  return decompressAll(bytes, isCut, codings, maxBytes).then(
    (decompressed) => ({
      text: toText(decompressed.bytes, decompressed.isCut, contentType),
      isCut: decompressed.isCut,
    }),
    () => ({ text: "", isCut: false }),
  );
}

interface Part {
  readonly bytes: Buffer;
  readonly isCut: boolean;
}

/** The coding that was applied last is named last. */
async function decompressAll(
  bytes: Buffer,
  isCut: boolean,
  codings: readonly string[],
  maxBytes: number,
): Promise<Part> {
  if (codings.length > maxCodings) return { bytes: Buffer.alloc(0), isCut: false };
  let part: Part = { bytes, isCut };
  for (const coding of codings.toReversed()) {
    const decompressor = decompressorOf(coding, part.bytes);
    if (decompressor === undefined) return { bytes: Buffer.alloc(0), isCut: false };
    const decompressed = await decompress(part, decompressor, maxBytes);
    // Some proxies decompress a body and leave the header on it.
    const isMislabelled = decompressed.bytes.length === 0 && isUtf8(part.bytes);
    if (!isMislabelled) part = decompressed;
  }
  return part;
}

function decompressorOf(coding: string, bytes: Buffer): Transform | undefined {
  switch (coding) {
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      // Some leave out the zlib header that belongs there (RFC 9110, section 8.4.1.2).
      return ((bytes[0] ?? 8) & 0x0f) === 8 ? createInflate() : createInflateRaw();
    case "br":
      return createBrotliDecompress();
    default:
      return undefined;
  }
}

function decompress(
  { bytes, isCut }: Part,
  decompressor: Transform,
  maxBytes: number,
): Promise<Part> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const end = (isCutHere: boolean) => {
      resolve({ bytes: Buffer.concat(chunks).subarray(0, maxBytes), isCut: isCutHere });
      decompressor.destroy();
    };
    decompressor.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxBytes) end(true);
    });
    decompressor.on("end", () => end(isCut));
    // The end is missing, or this is another format: what came before the error is all there is.
    decompressor.on("error", () => end(true));
    decompressor.end(bytes);
  });
}

function toText(bytes: Buffer, isCut: boolean, contentType: string): string {
  const [, label = "utf-8"] = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType) ?? [];
  // If the body is cut within a character, that character is left out.
  return decoderOf(charsetByZeros(bytes, label) ?? label).decode(bytes, { stream: isCut });
}

/** Zeros show UTF-16 and UTF-8 more reliably than the header does; undefined if they show neither. */
function charsetByZeros(bytes: Buffer, label: string): string | undefined {
  const looked = bytes.subarray(0, 1000);
  const zeros = (parity: number) =>
    looked.filter((byte, at) => byte === 0 && at % 2 === parity).length;
  const [even, odd] = [zeros(0), zeros(1)];
  if (even === 0 && 4 * odd > looked.length) return "utf-16le";
  if (odd === 0 && 4 * even > looked.length) return "utf-16be";
  // Cyrillic in UTF-16 is valid UTF-8, too, but has characters that no text has.
  const isText = !looked.some((byte) => byte < 9 || (byte > 13 && byte < 32));
  return /^utf-?16/i.test(label) && isText && isUtf8(bytes) ? "utf-8" : undefined;
}

function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
