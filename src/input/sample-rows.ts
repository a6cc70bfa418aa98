import { open } from "node:fs/promises";
import { cannotStart, InputDamagedError } from "../model/errors.ts";
import type { SourcePosition } from "../model/place.ts";
import type { Reading } from "../model/reading.ts";
import { type Row, writtenChars } from "../model/row.ts";
import { openSource } from "./open-source.ts";
import type { InputSpec } from "./read-bytes.ts";
import type { Source } from "./source.ts";

/** Some rows of an input, from which `init` infers a mapping. */
export interface Sample {
  readonly columns: readonly string[];
  readonly dialect: Source["dialect"];
  readonly warnings: readonly string[];
  /** Rows without a problem, in file order. */
  readonly rows: readonly Row[];
  /** How many rows have one. */
  readonly unsound: number;
  /** The first of them. */
  readonly firstUnsound: Row | undefined;
  /** Which part of the input they are from. */
  readonly extent: "all" | "beginning" | "beginning, middle and end";
}

export interface SampleLimits {
  /** A file up to this size is read as a whole. */
  readonly wholeBytes: number;
  /** Bytes read at each place of a larger one. */
  readonly placeBytes: number;
  readonly placeRows: number;
  /** Characters kept in all, however small the compressed file is. */
  readonly keptChars: number;
}

const usualLimits: SampleLimits = {
  wholeBytes: 4 * 1024 * 1024,
  placeBytes: 512 * 1024,
  placeRows: 2_000,
  keptChars: 8 * 1024 * 1024,
};

/**
 * Reads rows from the beginning, the middle and the end of an input, so that a large one takes no
 * longer. An input that can only be read from its beginning (standard input, a workbook, a compressed
 * file, one that is not UTF-8) gives its first rows.
 *
 * @throws CannotStartError if it is damaged where it is read, as a check would refuse it
 */
export async function sampleRows(
  input: InputSpec,
  reading: Reading,
  limits: SampleLimits = usualLimits,
): Promise<Sample> {
  const source = await openSource(input, reading);
  const { columns, dialect, totalBytes } = source;
  const isPlain =
    dialect.encoding === "UTF-8" && dialect.compression === undefined && input.kind === "file";
  const isLarge = isPlain && totalBytes !== undefined && totalBytes > limits.wholeBytes;
  const first = await takeRows(
    source,
    isLarge
      ? { ...limits, rows: limits.placeRows, bytes: limits.placeBytes }
      : { ...limits, rows: Number.POSITIVE_INFINITY, bytes: limits.wholeBytes },
  );
  const { damage } = first;
  if (damage !== undefined) throw cannotStart("input_damaged", input.name, damage.message);
  const { warnings } = source;
  const rows = [...first.rows];
  let extent: Sample["extent"] = first.isWhole ? "all" : "beginning";
  if (isLarge && !first.isWhole) {
    const places = [Math.floor(totalBytes / 2), totalBytes - limits.placeBytes];
    for (const offset of places.filter((place) => place > source.bytesRead())) {
      const found = await findRecordStart(input, reading, columns.length, offset);
      if (found === undefined) continue;
      const source = await openSource(input, reading, found);
      // The last rows of all matter: totals stand there, and rows added by hand.
      const isLast = offset === places.at(-1);
      const rowLimit = isLast ? Number.POSITIVE_INFINITY : limits.placeRows;
      const limit = { ...limits, rows: rowLimit, bytes: limits.placeBytes };
      for (const row of (await takeRows(source, limit)).rows) rows.push(row); // too many to be arguments
      extent = "beginning, middle and end";
    }
  }
  const sound = rows.filter(({ problem }) => problem === undefined);
  const unsound = rows.length - sound.length;
  const firstUnsound = rows.find(({ problem }) => problem !== undefined);
  return { columns, dialect, warnings, rows: sound, unsound, firstUnsound, extent };
}

/** Takes rows up to a limit, and closes the source. */
async function takeRows(
  source: Source,
  limit: { readonly rows: number; readonly bytes?: number; readonly keptChars: number },
): Promise<{
  readonly rows: readonly Row[];
  readonly isWhole: boolean;
  /** Why it ended before a limit. */
  readonly damage?: InputDamagedError;
}> {
  const before = source.bytesRead();
  const rows: Row[] = [];
  let chars = 0;
  try {
    for await (const batch of source.batches) {
      for (const row of batch) {
        chars += writtenChars(row);
        const isFull = rows.length >= limit.rows || chars > limit.keptChars;
        if (isFull) return { rows, isWhole: false };
        rows.push(row);
      }
      if (source.bytesRead() - before > (limit.bytes ?? Infinity)) return { rows, isWhole: false };
    }
    return { rows, isWhole: true };
  } catch (error) {
    // The rows before it are used.
    if (error instanceof InputDamagedError) return { rows, isWhole: false, damage: error };
    throw error;
  } finally {
    await source.close();
  }
}

const lookedAtBytes = 64 * 1024;
const maxTries = 8;
const convincingRows = 20;

/**
 * Finds the first place after an offset at which a record begins. A line can begin within quotes,
 * so it is one from which the next rows have as many cells as the header.
 */
export async function findRecordStart(
  input: Extract<InputSpec, { kind: "file" }>,
  reading: Reading,
  columnCount: number,
  offset: number,
): Promise<SourcePosition | undefined> {
  for (const start of await lineStarts(input.path, offset)) {
    // The row and line numbers are unknown and unused.
    const position: SourcePosition = { offset: start, line: 1, rowsBefore: 0, blankLines: 0 };
    const source = await openSource(input, reading, position);
    const { rows, damage } = await takeRows(source, { ...usualLimits, rows: convincingRows });
    const areSound = rows.every(
      ({ cells, problem }) => problem === undefined && cells.length === columnCount,
    );
    if (damage === undefined && areSound && rows.length > 0) return position;
  }
  return undefined;
}

async function lineStarts(path: string, offset: number): Promise<number[]> {
  const handle = await open(path, "r");
  try {
    const { buffer, bytesRead } = await handle.read({
      buffer: Buffer.alloc(lookedAtBytes),
      position: offset,
    });
    const starts: number[] = [];
    let at = buffer.indexOf(0x0a);
    while (at >= 0 && at < bytesRead && starts.length < maxTries) {
      starts.push(offset + at + 1);
      at = buffer.indexOf(0x0a, at + 1);
    }
    return starts;
  } finally {
    await handle.close();
  }
}
