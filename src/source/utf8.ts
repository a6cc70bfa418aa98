import { isUtf8 } from "node:buffer";
import { InputDamagedError } from "../domain/errors.ts";
import type { SourcePosition } from "../domain/source-position.ts";

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Passes bytes on unchanged and makes sure that they are UTF-8, so that nothing is replaced in
 * silence. A character cut by the end of a chunk is held back until its rest arrives.
 *
 * @param from where the chunks begin in the input
 * @throws InputDamagedError at the first bytes that are not UTF-8, after all that stands before them
 */
export async function* validateUtf8(
  chunks: AsyncIterable<Buffer>,
  from: Pick<SourcePosition, "offset" | "line"> = { offset: 0, line: 1 },
): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0);
  let { offset } = from;
  const lines = createLineCounter(from.line);
  for await (const chunk of chunks) {
    const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    const whole = bytes.subarray(0, bytes.length - cutCharacterBytes(bytes));
    if (!isUtf8(whole)) throw yield* upToDamage(whole, offset, lines);
    held = bytes.subarray(whole.length);
    offset += whole.length;
    lines.pass(whole);
    if (whole.length > 0) yield whole;
  }
  if (held.length > 0) throw yield* upToDamage(held, offset, lines);
}

async function* upToDamage(
  bytes: Buffer,
  offset: number,
  lines: LineCounter,
): AsyncGenerator<Buffer, InputDamagedError> {
  const sound = soundBytes(bytes);
  const before = bytes.subarray(0, sound);
  if (sound > 0) yield before;
  const hex = bytes[sound]?.toString(16).padStart(2, "0") ?? "";
  lines.pass(before);
  return new InputDamagedError(
    lines.line,
    `line ${lines.line} is not UTF-8 (byte 0x${hex} at offset ${offset + sound}): save the file as UTF-8.`,
  );
}

/** How many bytes at the end begin a character that is not complete yet: 0 to 3. */
function cutCharacterBytes(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0b1100_0000) === 0b1000_0000) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

/** The longest beginning that is UTF-8, found by halving. */
function soundBytes(bytes: Buffer): number {
  let sound = 0;
  let damaged = bytes.length;
  while (damaged - sound > 1) {
    const middle = (sound + damaged) >> 1;
    const start = bytes.subarray(0, middle);
    if (isUtf8(start.subarray(0, start.length - cutCharacterBytes(start)))) sound = middle;
    else damaged = middle;
  }
  const start = bytes.subarray(0, sound);
  return sound - cutCharacterBytes(start);
}

interface LineCounter {
  /** The physical line, from 1, on which the next byte stands. */
  readonly line: number;
  pass(bytes: Buffer): void;
}

/** Counts lines that end with LF, CRLF or CR, wherever the chunks are cut. */
function createLineCounter(first: number): LineCounter {
  let line = first;
  let afterReturn = false;
  return {
    get line() {
      return line;
    },
    pass(bytes) {
      for (let at = bytes.indexOf(carriageReturn); at >= 0; ) {
        line++;
        at = bytes.indexOf(carriageReturn, at + 1);
      }
      for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) {
        const isSecondHalf = at === 0 ? afterReturn : bytes[at - 1] === carriageReturn;
        if (!isSecondHalf) line++;
      }
      if (bytes.length > 0) afterReturn = bytes.at(-1) === carriageReturn;
    },
  };
}
