import { type FileHandle, open } from "node:fs/promises";
import { Readable } from "node:stream";
import { cannotStart, reasonOf } from "../model/errors.ts";

/** Where rows come from: a file, or a stream that can be read once. */
export type InputSpec =
  | {
      readonly kind: "file";
      readonly path: string;
      readonly name: string;
      /** The file, if it stays open: whatever gets its name meanwhile, this is read. */
      readonly held?: FileHandle | undefined;
    }
  | {
      readonly kind: "stream";
      readonly stream: AsyncIterable<Uint8Array>;
      readonly name: string;
    };

export type FileSpec = Extract<InputSpec, { kind: "file" }>;

/** The bytes of an input, counted as they pass. */
export interface ByteReader {
  readonly chunks: AsyncIterable<Buffer>;
  readonly totalBytes: number | undefined;
  bytesRead(): number;
  /** Closes the file or stream. Needed where it was not read to its end. */
  close(): Promise<void>;
}

const chunkBytes = 32 * 1024;
/** The size in which standard input comes. */
const maxChunkBytes = 64 * 1024;

/** @throws CannotStartError if there is no such file or it may not be read */
export async function readBytes(input: InputSpec): Promise<ByteReader> {
  if (input.kind === "stream") {
    const counted = countBytes(input.stream);
    return {
      ...counted,
      totalBytes: undefined,
      async close() {
        // Standard input that is not read any more would keep the process alive.
        if (input.stream instanceof Readable) input.stream.destroy();
        else void counted.chunks.return(undefined);
      },
    };
  }
  const handle = input.held ?? (await openFile(input.path));
  const about = await handle.stat();
  let isClosed = false;
  async function* pieces() {
    for (let at = 0; !isClosed; ) {
      const piece = Buffer.allocUnsafe(chunkBytes);
      const { bytesRead } = await handle.read(piece, 0, chunkBytes, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield piece.subarray(0, bytesRead);
    }
  }
  return {
    ...countBytes(pieces()),
    totalBytes: about.isFile() ? about.size : undefined,
    async close() {
      isClosed = true;
      if (input.held === undefined) await handle.close();
    },
  };
}

/** @throws CannotStartError if there is no such file, or it cannot be read */
export async function openFile(path: string): Promise<FileHandle> {
  const handle = await open(path, "r").catch((error: NodeJS.ErrnoException) => {
    throw error.code === "ENOENT"
      ? cannotStart("input_not_found", path)
      : cannotStart("input_unreadable", path, reasonOf(error));
  });
  if (!(await handle.stat()).isDirectory()) return handle;
  await handle.close();
  throw cannotStart("input_unreadable", path, "it is a directory");
}

function countBytes(
  stream: AsyncIterable<Uint8Array>,
): Pick<ByteReader, "bytesRead"> & { chunks: AsyncGenerator<Buffer> } {
  let bytes = 0;
  async function* chunks(): AsyncGenerator<Buffer> {
    for await (const piece of stream) {
      const chunk = Buffer.isBuffer(piece) ? piece : Buffer.from(piece);
      // A chunk is searched as a whole several times, so one chunk of all bytes would take forever.
      for (let at = 0; at < chunk.length; at += maxChunkBytes) {
        const part = chunk.subarray(at, at + maxChunkBytes);
        bytes += part.length;
        yield part;
      }
    }
  }
  return { chunks: chunks(), bytesRead: () => bytes };
}
