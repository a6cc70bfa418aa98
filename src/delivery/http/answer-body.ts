import { isUtf8 } from "node:buffer";
import { TextDecoder } from "node:util";
import { brotliDecompressSync, constants, gunzipSync, inflateSync } from "node:zlib";

/** What the headers of an answer say about its body (RFC 9110, section 8). */
export interface BodyHeaders {
  readonly contentEncoding?: string | undefined;
  readonly contentType?: string | undefined;
}

/**
 * Decodes the beginning of a body as text. A body that cannot be decompressed, or would become longer than `maxBytes`,
 * gives no text: the request asks for no compression, so a service that compresses is rare.
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
  // What is there is read, also if the end is missing.
  const finishFlush = constants.Z_SYNC_FLUSH;
  try {
    switch (coding) {
      case "":
      case "identity":
        return bytes;
      case "gzip":
      case "x-gzip":
        return gunzipSync(bytes, { finishFlush, maxOutputLength });
      case "deflate":
        return inflateSync(bytes, { finishFlush, maxOutputLength });
      case "br":
        return brotliDecompressSync(bytes, {
          finishFlush: constants.BROTLI_OPERATION_FLUSH,
          maxOutputLength,
        });
      default:
        return Buffer.alloc(0);
    }
  } catch {
    // Some proxies decompress a body and leave the header on it.
    return isUtf8(bytes) ? bytes : Buffer.alloc(0);
  }
}

function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
