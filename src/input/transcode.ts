import { InputDamagedError } from "../model/errors.ts";

/**
 * Turns the bytes of another encoding into UTF-8.
 *
 * @param offset of the first of the chunks in the input
 * @throws InputDamagedError at the first bytes that are invalid in that encoding, after everything
 *   before them
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

/** Bytes kept from before a chunk: far more than a character takes. */
const keptBytes = 1024;

/**
 * Finds the damage in a chunk by halving. The chunk before it is decoded too, as a character may begin
 * there.
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
  // It may begin in the middle of a character, so this tries several starting points.
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

/** After the last line end: only in UTF-16 can its byte be part of another character. */
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
    `line ${line} is not ${encoding} (${what}): fix it, or give the right --encoding.`,
  );
}

/**
 * Decodes bytes, chunk by chunk.
 *
 * @param isMore whether more will follow, so that a character may be cut at the end
 * @returns undefined if the bytes are not valid; the decoder cannot be used after that
 */
export type Decoder = (bytes: Buffer, isMore: boolean) => string | undefined;

/** Creates a strict decoder: invalid bytes are never replaced. */
export function createDecoder(label: string): Decoder {
  const decoder = new TextDecoder(label, { fatal: true, ignoreBOM: true });
  if (decoder.encoding === "windows-1252") return decodeWindows1252;
  const hasControls = /^(utf|gb)/.test(decoder.encoding);
  return (bytes, isMore) => {
    try {
      const text = decoder.decode(bytes, { stream: isMore });
      return !hasControls && controls.test(text) ? undefined : text;
    } catch {
      return undefined;
    }
  };
}

/** What a single-byte encoding gives for bytes to which it assigns no character. */
const controls = /[\u0080-\u009f]/;

/** Node 20 takes windows-1252 for ISO 8859-1, in which these bytes are control characters. */
function decodeWindows1252(bytes: Buffer): string | undefined {
  const text = bytes
    .toString("latin1")
    .replaceAll(/[\u0080-\u009f]/g, (control) => above80[control.charCodeAt(0) - 0x80] ?? control);
  return controls.test(text) ? undefined : text;
}

/** The characters of 0x80 to 0x9f; a space stands for none. */
const above80 = [..."€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ"].map((character) =>
  character === " " ? undefined : character,
);

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

export interface LineCounter {
  /** The physical line, from 1, of the next byte. */
  readonly line: number;
  pass(bytes: Buffer): void;
}

/** Counts lines that end with LF, CRLF or CR, wherever the chunks are cut. */
export function createLineCounter(first: number): LineCounter {
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
