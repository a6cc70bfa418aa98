import { crc32 } from "node:zlib";

/*
 * A log is a text of batches. A batch is lines of JSON and a last line that seals them, and is read as a whole or not
 * at all:
 *
 *   {"sum":"89abcdef","bytes":64,"synced":1234}
 *
 * `sum` is the CRC-32 of the lines and of `synced`, `bytes` their length, and `synced` how many bytes of the log had
 * reached the disk before, which tells a torn end from damage. NUL bytes at the end are allocated space.
 */

/**
 * Gives batches their last line, in one buffer that is used again and again: a new one for each would pile up outside
 * of the heap, where the collector hardly sees it.
 *
 * @returns a function whose result is valid until it is called again: the bytes of a batch, given its lines and how many
 *   bytes of the log had reached the disk before
 */
export function createSealer(): (lines: string, synced: number) => Buffer {
  let kept = Buffer.alloc(64 * 1024);
  return (lines, synced) => {
    // A UTF-16 unit takes three bytes of UTF-8 at most.
    const most = lines.length * 3 + longestSeal;
    const buffer = most > kept.length ? Buffer.alloc(most) : kept;
    if (most <= maxKeptBytes) kept = buffer;
    const bytes = buffer.write(lines);
    const sum = sumOfBatch(buffer.subarray(0, bytes), synced);
    const seal = `{"sum":"${sum}","bytes":${bytes},"synced":${synced}}\n`;
    return buffer.subarray(0, bytes + buffer.write(seal, bytes));
  };
}

const maxKeptBytes = 4 * 1024 * 1024;

function sumOfBatch(lines: Buffer, synced: number): string {
  return crc32(String(synced), crc32(lines)).toString(16).padStart(8, "0");
}

/** A batch that had reached the disk is not what it was: nobody knows what it said, so nothing is guessed. */
export class LogDamagedError extends Error {
  constructor(readonly offset: number) {
    super(`it is damaged after byte ${offset}`);
  }
}

/**
 * Reads a log up to the first batch that was not written as a whole: it was never acted on, nor was what follows it.
 *
 * @param start only lines that start so are returned
 * @returns the lines of each batch, which anybody may have written, and the offset behind it
 * @throws LogDamagedError at its end
 */
export async function* readLog(chunks: Iterable<Buffer> | AsyncIterable<Buffer>, start = "") {
  /** Bytes that were read from an offset on and not taken, and how many were searched. */
  let rest: Buffer = Buffer.alloc(0);
  let restAt = 0;
  let searched = 0;
  let firstBroken: number | undefined;
  let synced = 0;
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      // In a text of JSON, these quotation marks would be escaped.
      const sealAt = rest.indexOf(sealStart, searched);
      searched = sealAt < 0 ? Math.max(0, rest.length - sealStart.length) : sealAt;
      const text = sealAt < 0 ? "" : rest.toString("latin1", sealAt, sealAt + longestSeal);
      const seal = readSeal(text);
      if (seal === undefined && text.length < longestSeal) break;
      const lines = rest.subarray(Math.max(0, sealAt - (seal?.bytes ?? 0)), sealAt);
      if (seal === undefined || sumOfBatch(lines, seal.synced) !== seal.sum) {
        searched++;
        continue;
      }
      synced = Math.max(synced, seal.synced);
      if (seal.bytes !== sealAt) firstBroken ??= restAt;
      restAt += sealAt + seal.length;
      rest = rest.subarray(sealAt + seal.length);
      searched = 0;
      if (firstBroken === undefined) yield { lines: parseLines(lines, start, restAt), end: restAt };
    }
    if (rest.length <= maxBatchBytes) continue;
    if (rest[0] === 0) break; // allocated space
    throw new LogDamagedError(restAt);
  }
  if (firstBroken !== undefined && firstBroken < synced) throw new LogDamagedError(firstBroken);
}

const sealStart = '{"sum":"';
const sealPattern = /^\{"sum":"([\da-f]{8})","bytes":(\d{1,15}),"synced":(\d{1,15})\}\n/;
const longestSeal = 68;
/** No batch of ours is longer. */
const maxBatchBytes = 64 * 1024 * 1024;

function readSeal(text: string) {
  const [line, sum = "", bytes, synced] = sealPattern.exec(text) ?? [];
  if (line === undefined) return undefined;
  return { length: line.length, sum, bytes: Number(bytes), synced: Number(synced) };
}

/** @throws LogDamagedError if they are no JSON, though they were sealed */
function parseLines(bytes: Buffer, start: string, end: number): unknown[] {
  const text = bytes.toString();
  const lines: unknown[] = [];
  try {
    for (let at = 0; at < text.length; ) {
      // A line feed in a text of JSON is escaped.
      const found = text.indexOf("\n", at);
      const lineEnd = found < 0 ? text.length : found;
      if (text.startsWith(start, at)) lines.push(JSON.parse(text.slice(at, lineEnd)));
      at = lineEnd + 1;
    }
    return lines;
  } catch {
    throw new LogDamagedError(end);
  }
}
