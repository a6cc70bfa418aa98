import { randomUUID } from "node:crypto";
import { type FileHandle, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { goneWhenClosed } from "../../model/disk/platform.ts";
import { CannotStartError, cannotStart, reasonOf } from "../../model/errors.ts";
import { openFile } from "../read-bytes.ts";

/** Bytes that can be read at any offset, which an archive needs: its directory stands at its end. */
export interface RandomAccess {
  readonly size: number;
  /** @returns as many bytes as there are, and no more than asked for */
  read(offset: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
}

/** Opens a file by its path, unless it is open and stays so. */
export async function accessFile(path: string, held?: FileHandle): Promise<RandomAccess> {
  const handle = held ?? (await openFile(path));
  const { size } = await handle.stat();
  return held === undefined
    ? accessHandle(handle, size)
    : { ...accessHandle(handle, size), close: async () => {} };
}

/**
 * Copies a stream into a temporary file. The file is unlinked at once, so that nothing is left of it
 * however the process ends.
 *
 * @throws CannotStartError if there is no temporary folder, or no room in it
 */
export async function accessStream(
  name: string,
  chunks: AsyncIterable<Buffer>,
): Promise<RandomAccess> {
  const refuse = (error: unknown): never => {
    throw cannotStart("no_temporary_file", name, tmpdir(), reasonOf(error));
  };
  const handle = await openTemporaryFile().catch(refuse);
  let size = 0;
  try {
    for await (const chunk of chunks) {
      await handle.writeFile(chunk).catch(refuse);
      size += chunk.length;
    }
  } catch (error) {
    await handle.close();
    if (error instanceof CannotStartError) throw error;
    throw cannotStart("input_unreadable", name, reasonOf(error));
  }
  return accessHandle(handle, size);
}

/** An empty file without a name. */
async function openTemporaryFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `eventload-rows-${randomUUID()}`);
  const handle = await open(path, goneWhenClosed, 0o600);
  await rm(path).catch(() => {}); // Windows removes it when it is closed
  return handle;
}

function accessHandle(handle: FileHandle, size: number): RandomAccess {
  return {
    size,
    async read(offset, length) {
      const bytes = Buffer.alloc(Math.max(0, Math.min(length, size - offset)));
      let filled = 0;
      while (filled < bytes.length) {
        const rest = bytes.length - filled;
        const { bytesRead } = await handle.read(bytes, filled, rest, offset + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return bytes.subarray(0, filled);
    },
    close: () => handle.close().catch(() => {}),
  };
}
