import { createGunzip } from "node:zlib";

const outputBytes = 64 * 1024;

/**
 * Decompresses gzip (RFC 1952), also of several members one after another.
 *
 * @throws Error if the data ends too early, is damaged, is followed by something else, or grows
 *   beyond the limit; what was unpacked before is passed on
 */
export async function* gunzip(
  chunks: AsyncIterable<Buffer>,
  limit = rowsLimit,
): AsyncGenerator<Buffer> {
  const unpacker = createGunzip({ chunkSize: outputBytes });
  let bytesIn = 0;
  let hasEnded = false;
  unpacker.on("end", () => {
    hasEnded = true;
  });

  const feed = async () => {
    for await (const chunk of chunks) {
      bytesIn += chunk.length;
      // After the end of the data the unpacker takes no more: later bytes are only counted.
      if (!hasEnded) await written(unpacker, chunk);
      if (unpacker.destroyed && !hasEnded) return;
    }
    unpacker.end();
  };
  const fed = feed().catch((error: Error) => {
    unpacker.destroy(error);
  });

  let bytesOut = 0;
  try {
    for await (const chunk of unpacker as AsyncIterable<Buffer>) {
      bytesOut += chunk.length;
      const excess = excessOf(limit, unpacker.bytesWritten, bytesOut);
      if (excess !== undefined) throw new Error(excess);
      yield chunk;
    }
    await fed;
  } catch (error) {
    throw compressionError(error as NodeJS.ErrnoException, bytesIn);
  } finally {
    unpacker.destroy();
  }
  if (bytesIn > unpacker.bytesWritten) {
    throw new Error(`the gzip data is followed by something else at byte ${unpacker.bytesWritten}`);
  }
}

/** Resolves when the bytes are taken, or never will be. */
function written(unpacker: ReturnType<typeof createGunzip>, chunk: Buffer): Promise<void> {
  return new Promise((done) => {
    unpacker.once("close", done);
    unpacker.write(chunk, () => {
      unpacker.off("close", done);
      done();
    });
  });
}

function compressionError(error: NodeJS.ErrnoException, bytesIn: number): Error {
  switch (error.code) {
    case "Z_BUF_ERROR":
      return new Error(
        `the gzip data ends after ${bytesIn} bytes in the middle: it was cut off, fetch the file again`,
        { cause: error },
      );
    case "Z_DATA_ERROR":
      return new Error(
        `the gzip data is damaged, or followed by something else, before byte ${bytesIn}: ${error.message}`,
        { cause: error },
      );
    default:
      return error;
  }
}

/** How much compressed data may expand. A zip bomb expands almost without end. */
export interface ExpansionLimit {
  readonly maxBytes: number;
  /** Up to this many bytes any ratio is allowed: small data may be blank or repetitive. */
  readonly freeBytes: number;
}

const mebibyte = 1024 * 1024;
const gibibyte = 1024 * mebibyte;

/** Bytes out for each byte in. Deflate cannot do better than 1032, and no table comes near. */
const maxRatio = 500;

export const rowsLimit: ExpansionLimit = { maxBytes: 64 * gibibyte, freeBytes: 64 * mebibyte };

/** For the parts that describe a workbook, which are read before its rows. */
export const partLimit: ExpansionLimit = { maxBytes: 64 * mebibyte, freeBytes: 4 * mebibyte };

/** Why decompression has to stop; nothing while the limit is kept. */
export function excessOf(
  { maxBytes, freeBytes }: ExpansionLimit,
  bytesIn: number,
  bytesOut: number,
): string | undefined {
  if (bytesOut > maxBytes) {
    return `it unpacks to more than ${inMebibytes(maxBytes)}, which is not read`;
  }
  if (bytesOut > freeBytes && bytesOut > maxRatio * bytesIn) {
    return `it unpacks to more than ${maxRatio} times its size (${inMebibytes(bytesOut)} so far), as only data made to do harm does`;
  }
  return undefined;
}

function inMebibytes(bytes: number): string {
  return `${Math.floor(bytes / mebibyte)} MiB`;
}
