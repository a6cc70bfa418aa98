import { TextDecoder } from "node:util";
import { constants, gunzipSync } from "node:zlib";

/** What the headers of an answer say about its body (RFC 9110, section 8). */
export interface BodyHeaders {
  readonly contentEncoding?: string | undefined;
  readonly contentType?: string | undefined;
}

/**
 * Decodes the beginning of a body as text. The request asks for no compression: a body in anything but gzip, or one
 * that would become longer than `maxBytes`, gives no text.
 *
 * @param isCut whether the body goes on after these bytes
 */
export function readAnswerBody(
  bytes: Buffer,
  isCut: boolean,
  { contentEncoding = "", contentType = "" }: BodyHeaders,
  maxBytes: number,
): string {
  const [, charset = "utf-8"] = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType) ?? [];
  const plain = decompress(bytes, contentEncoding.trim().toLowerCase(), maxBytes);
  // If the body is cut within a character, that character is left out.
  return decoderOf(charset).decode(plain, { stream: isCut });
}

function decompress(bytes: Buffer, coding: string, maxOutputLength: number): Buffer {
  if (coding === "" || coding === "identity") return bytes;
  try {
    // What is there is read, also if the end is missing.
    const finishFlush = constants.Z_SYNC_FLUSH;
    if (coding === "gzip") return gunzipSync(bytes, { finishFlush, maxOutputLength });
  } catch {} // it is no gzip, or a bomb
  return Buffer.alloc(0);
}

function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
