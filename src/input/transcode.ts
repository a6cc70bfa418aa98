import { InputDamagedError } from "../model/errors.ts";
import { createDecoder } from "./create-decoder.ts";
import { createLineCounter } from "./line-counter.ts";

/**
 * Turns the bytes of another encoding into UTF-8.
 *
 * @param offset of the first of the chunks in the input
 * @throws InputDamagedError at the first bytes that mean nothing in that encoding, after all that
 *   stands before them
 */
export async function* transcode(
  chunks: AsyncIterable<Buffer>,
  encoding: string,
  offset: number,
): AsyncGenerator<Buffer> {
  const decode = createDecoder(encoding);
  const lines = createLineCounter(1);
  let before: Buffer = Buffer.alloc(0);
  let read = offset;
  const pass = (text: string) => {
    const bytes = Buffer.from(text);
    lines.pass(bytes);
    return bytes;
  };
  for await (const chunk of chunks) {
    const text = decode(chunk, true);
    if (text === undefined) {
      const { sound, at } = upToDamage(encoding, before, chunk, read - offset);
      const passed = pass(sound);
      if (passed.length > 0) yield passed;
      throw damage(encoding, lines.line, read + at, chunk[at]);
    }
    if (text !== "") yield pass(text);
    before = chunk.length < keptBytes ? Buffer.concat([before, chunk]).subarray(-keptBytes) : chunk;
    read += chunk.length;
  }
  const rest = decode(Buffer.alloc(0), false);
  if (rest === undefined) throw damage(encoding, lines.line, read, undefined);
  if (rest !== "") yield pass(rest);
}

/** What is kept of the bytes before a chunk at least: far more than a character has. */
const keptBytes = 1024;

/**
 * Where in a chunk the damage is, found by halving. The chunk before it is decoded with it, as a
 * character may have begun there.
 */
function upToDamage(
  encoding: string,
  before: Buffer,
  chunk: Buffer,
  bytesBefore: number,
): { sound: string; at: number } {
  const whole = Buffer.concat([before, chunk]);
  const isWide = new TextDecoder(encoding).encoding.startsWith("utf-16");
  const odd = (bytesBefore - before.length) % 2;
  // It may begin in the middle of a character, so some places to begin at are tried.
  const starts = isWide ? [odd, odd + 2] : [0, 1, 2, 3].map((more) => lineStart(before) + more);
  const start = starts.find((from) => isSound(encoding, whole.subarray(from, before.length))) ?? 0;
  const decodeTo = (end: number) => createDecoder(encoding)(whole.subarray(start, end), true);
  let good = before.length;
  let bad = whole.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (decodeTo(middle) === undefined) bad = middle;
    else good = middle;
  }
  const passed = decodeTo(before.length)?.length ?? 0;
  return { sound: decodeTo(good)?.slice(passed) ?? "", at: good - before.length };
}

function isSound(encoding: string, bytes: Buffer): boolean {
  return createDecoder(encoding)(bytes, true) !== undefined;
}

/** After the last line end: in no encoding but UTF-16 is its byte a part of another character. */
function lineStart(bytes: Buffer): number {
  return Math.max(bytes.lastIndexOf(0x0a), bytes.lastIndexOf(0x0d)) + 1;
}

function damage(
  encoding: string,
  line: number,
  offset: number,
  byte: number | undefined,
): InputDamagedError {
  const what =
    byte === undefined
      ? `the end at offset ${offset} is in the middle of a character`
      : `byte 0x${byte.toString(16).padStart(2, "0")} at offset ${offset}`;
  return new InputDamagedError(
    line,
    `line ${line} is not ${encoding} (${what}): mend it, or give the right --encoding.`,
  );
}
