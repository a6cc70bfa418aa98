import { isUtf8 } from "node:buffer";
import type { Transform } from "node:stream";
import { TextDecoder } from "node:util";
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";

/** More than this is nobody's honest answer. */
const maxCodings = 3;

/** What the headers of an answer say of its body (RFC 9110, section 8). */
export interface BodyHeaders {
  readonly contentEncoding?: string | undefined;
  readonly contentType?: string | undefined;
}

export interface AnswerBody {
  readonly text: string;
  /** Whether it goes on after that. */
  readonly isCut: boolean;
}

/**
 * Makes text of the beginning of a body. Of a packed one, no more is unpacked than is asked for,
 * whatever it would come to; what cannot be unpacked says nothing.
 *
 * @returns a promise only where something has to be unpacked. It never rejects.
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
  return unpackAll(bytes, isCut, codings, maxBytes).then(
    (unpacked) => ({
      text: toText(unpacked.bytes, unpacked.isCut, contentType),
      isCut: unpacked.isCut,
    }),
    () => ({ text: "", isCut: false }),
  );
}

interface Part {
  readonly bytes: Buffer;
  readonly isCut: boolean;
}

/** The coding that was applied last is named last. */
async function unpackAll(
  bytes: Buffer,
  isCut: boolean,
  codings: readonly string[],
  maxBytes: number,
): Promise<Part> {
  if (codings.length > maxCodings) return { bytes: Buffer.alloc(0), isCut: false };
  let part: Part = { bytes, isCut };
  for (const coding of codings.toReversed()) {
    const unpacker = unpackerOf(coding, part.bytes);
    if (unpacker === undefined) return { bytes: Buffer.alloc(0), isCut: false };
    const unpacked = await unpack(part, unpacker, maxBytes);
    // A proxy that unpacks a body and leaves the label on it is not rare.
    const isMislabelled = unpacked.bytes.length === 0 && isUtf8(part.bytes);
    if (!isMislabelled) part = unpacked;
  }
  return part;
}

function unpackerOf(coding: string, bytes: Buffer): Transform | undefined {
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

function unpack({ bytes, isCut }: Part, unpacker: Transform, maxBytes: number): Promise<Part> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const end = (isCutHere: boolean) => {
      resolve({ bytes: Buffer.concat(chunks).subarray(0, maxBytes), isCut: isCutHere });
      unpacker.destroy();
    };
    unpacker.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxBytes) end(true);
    });
    unpacker.on("end", () => end(isCut));
    // Its end is missing, or it is not what it is said to be: what came before is all there is.
    unpacker.on("error", () => end(true));
    unpacker.end(bytes);
  });
}

function toText(bytes: Buffer, isCut: boolean, contentType: string): string {
  const [, label = "utf-8"] = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType) ?? [];
  // The beginning of a character at a cut is left out.
  return decoderOf(charsetByZeros(bytes, label) ?? label).decode(bytes, { stream: isCut });
}

/** Whether a text is UTF-16 or UTF-8, its zeros tell better than its label; undefined if they do not. */
function charsetByZeros(bytes: Buffer, label: string): string | undefined {
  const looked = bytes.subarray(0, 1000);
  const zeros = (parity: number) =>
    looked.filter((byte, at) => byte === 0 && at % 2 === parity).length;
  const [even, odd] = [zeros(0), zeros(1)];
  if (even === 0 && 4 * odd > looked.length) return "utf-16le";
  if (odd === 0 && 4 * even > looked.length) return "utf-16be";
  // Cyrillic in UTF-16 would be UTF-8 too, but of characters that stand in no text.
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
