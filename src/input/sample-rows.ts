import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { Readable } from "node:stream";
import { cannotStart, InputDamagedError } from "../model/errors.ts";
import type { Reading } from "../model/reading.ts";
import { type Row, writtenChars } from "../model/row.ts";
import { openSource } from "./open-source.ts";
import type { InputSpec } from "./read-bytes.ts";
import type { Source } from "./source.ts";

export interface InputSample {
  readonly columns: readonly string[];
  readonly dialect: Source["dialect"];
  readonly warnings: readonly string[];
  /** The first rows without a problem, in file order. */
  readonly rows: readonly Row[];
  /** Rows from the middle and the end of a large file. Their numbers are not known. */
  readonly further: readonly Row[];
  readonly unsound: number;
  readonly firstUnsound: Row | undefined;
  readonly isWhole: boolean;
}

export interface SampleLimits {
  /** Rows from the beginning, and from each of two places further on. */
  readonly rows: number;
  readonly furtherRows: number;
  readonly bytes: number;
  /** Characters kept in all, however small the compressed file is. */
  readonly keptChars: number;
}

const usualLimits: SampleLimits = {
  rows: 4000,
  furtherRows: 500,
  bytes: 4 * 1024 * 1024,
  keptChars: 8 * 1024 * 1024,
};

/** Reads the first rows of an input, and some of its middle and end if it can be read from there. */
export async function sampleRows(
  input: InputSpec,
  reading: Reading,
  limits: SampleLimits = usualLimits,
): Promise<InputSample> {
  const source = await openSource(input, reading);
  const most = limits.rows + 2 * limits.furtherRows;
  const all: Row[] = [];
  let isWhole = true;
  let chars = 0;
  try {
    for await (const batch of source.batches) {
      for (const row of batch) {
        chars += writtenChars(row);
        isWhole &&= chars <= limits.keptChars && all.length < most;
        if (!isWhole) break;
        all.push(row);
      }
      isWhole &&= source.bytesRead() <= limits.bytes;
      if (!isWhole) break;
    }
  } catch (error) {
    if (!(error instanceof InputDamagedError)) throw error;
    throw cannotStart("input_damaged", input.name, error.message);
  } finally {
    await source.close();
  }
  const { columns, dialect, warnings, totalBytes } = source;
  const further: Row[] = [];
  const isPlain = dialect.encoding === "UTF-8" && dialect.compression === undefined;
  if (!isWhole && input.kind === "file" && totalBytes && isPlain) {
    const read = source.bytesRead();
    // Behind what was read, with room for the rows before the end.
    const last = totalBytes - (read / Math.max(1, all.length)) * limits.furtherRows;
    for (const share of [0.5, 1]) {
      const offset = Math.floor(Math.max(read, read + (last - read) * share));
      const asBefore = { ...reading, ...dialect, header: true, skipLines: 0 };
      const header = columns.map((_, at) => `c${at}`).join(dialect.delimiter);
      further.push(...(await rowsAt(input, asBefore, header, offset, limits.furtherRows)));
    }
  }
  const first = further.length === 0 ? all : all.slice(0, limits.rows);
  const rows = first.filter(({ problem }) => problem === undefined);
  const firstUnsound = first.find(({ problem }) => problem !== undefined);
  const unsound = first.length - rows.length;
  return { columns, dialect, warnings, rows, further, unsound, firstUnsound, isWhole };
}

/** Rows from the next line on; none if that seems to be in the middle of a cell. */
async function rowsAt(
  input: InputSpec & { readonly kind: "file" },
  reading: Reading,
  header: string,
  offset: number,
  most: number,
): Promise<Row[]> {
  const handle = await open(input.path);
  const { buffer, bytesRead } = await handle.read(
    Buffer.alloc(maxSampledRowBytes),
    0,
    maxSampledRowBytes,
    offset,
  );
  await handle.close();
  const end = buffer.subarray(0, bytesRead).indexOf("\n");
  if (end < 0) return [];
  const rest = createReadStream(input.path, { start: offset + end + 1 });
  const stream = Readable.from(withHeader(header, rest), { objectMode: false });
  const source = await openSource({ kind: "stream", name: input.name, stream }, reading);
  const rows: Row[] = [];
  try {
    for await (const batch of source.batches) {
      rows.push(...batch);
      if (rows.length >= most) break;
    }
  } catch (error) {
    if (!(error instanceof InputDamagedError)) throw error;
    return [];
  } finally {
    await source.close();
  }
  const sound = rows.filter(({ problem }) => problem === undefined);
  return sound.length * 10 >= rows.length * 9 ? sound.slice(0, most) : [];
}

const maxSampledRowBytes = 64 * 1024;

async function* withHeader(header: string, rest: AsyncIterable<Uint8Array>) {
  yield Buffer.from(`${header}\n`);
  yield* rest;
}
