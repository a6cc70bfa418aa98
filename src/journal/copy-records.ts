import { type DiskFile, readAll, writeAll } from "../domain/disk.ts";
import { createRecordPlaces, type RecordPlaces } from "./record-places.ts";

/** Writes one thing after another to a new file, in few and large writes. */
export interface Appender {
  /** Bytes taken so far. */
  readonly bytes: number;
  append(bytes: Uint8Array): Promise<void>;
  /** Writes what has been taken. */
  flush(): Promise<void>;
}

const bufferBytes = 64 * 1024;
const windowBytes = 256 * 1024;

export function createAppender(file: DiskFile): Appender {
  const buffer = Buffer.alloc(bufferBytes);
  let filled = 0;
  let written = 0;
  const write = async (bytes: Buffer) => {
    await writeAll(file, bytes, written);
    written += bytes.length;
  };
  const flush = async () => {
    if (filled > 0) await write(buffer.subarray(0, filled));
    filled = 0;
  };
  return {
    get bytes() {
      return written + filled;
    },
    async append(bytes) {
      if (filled + bytes.length > bufferBytes) await flush();
      if (bytes.length > bufferBytes) return write(Buffer.from(bytes));
      buffer.set(bytes, filled);
      filled += bytes.length;
    },
    flush,
  };
}

/**
 * Copies those records of a file that are about rows after a certain one.
 *
 * @returns where they stand now
 */
export async function copyRecords(
  from: DiskFile,
  places: RecordPlaces,
  afterRow: number,
  to: Appender,
): Promise<RecordPlaces> {
  const copied = createRecordPlaces();
  const end = places.count === 0 ? 0 : endOf(places, places.count - 1);
  /** One buffer for all: new ones would pile up outside of the heap. */
  let buffer = Buffer.alloc(0);
  let window = buffer;
  let windowAt = 0;
  for (let at = 0; at < places.count; at++) {
    const rowOfRun = places.rowOfRun(at);
    if (rowOfRun <= afterRow) continue;
    const offset = places.offset(at);
    const bytes = places.bytes(at);
    if (offset + bytes > windowAt + window.length) {
      const wanted = Math.max(bytes, Math.min(windowBytes, end - offset));
      if (wanted > buffer.length) buffer = Buffer.alloc(wanted);
      window = buffer.subarray(0, wanted);
      await readAll(from, window, offset);
      windowAt = offset;
    }
    copied.add(rowOfRun, to.bytes, bytes);
    await to.append(window.subarray(offset - windowAt, offset - windowAt + bytes));
  }
  return copied;
}

function endOf(places: RecordPlaces, at: number): number {
  return places.offset(at) + places.bytes(at);
}
