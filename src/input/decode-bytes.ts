import { isAscii, isUtf8 } from "node:buffer";
import { cannotStart, InputDamagedError } from "../model/errors.ts";
import type { SourcePosition } from "../model/place.ts";
import { encodingNamed } from "../model/reading.ts";
import { quote } from "../model/row.ts";
import { createDecoder } from "./create-decoder.ts";
import { guessEncoding } from "./guess-encoding.ts";
import { lookAhead } from "./look-ahead.ts";

/** The text of an input as UTF-8, without byte order mark. */
export interface DecodedBytes {
  readonly chunks: AsyncGenerator<Buffer>;
  /** As people call it. */
  readonly encoding: string;
  /** Whether the chunks are the very bytes of the input, so that an offset in them is one in it. */
  readonly isVerbatim: boolean;
  /** Bytes before the first of them. */
  readonly offset: number;
  /** What is odd, but no reason to stop. */
  readonly warnings: readonly string[];
}

/**
 * Detects the encoding by the byte order mark; without one it is the given encoding, or UTF-8.
 *
 * @throws CannotStartError if it looks like an encoding that has to be given, or is not supported
 */
export async function decodeBytes(
  name: string,
  chunks: AsyncIterable<Buffer>,
  given: string | undefined,
): Promise<DecodedBytes> {
  const beginning = lookAhead(chunks);
  while (beginning.head.length < longestMark && !beginning.isWhole) await beginning.more();
  const { head } = beginning;
  const mark = marks.find(({ bytes }) => head.subarray(0, bytes.length).equals(bytes));
  if (mark?.encoding === "UTF-32") throw cannotStart("encoding_unsupported", name, mark.encoding);
  const label = encodingNamed(given ?? utf8);
  if (mark === undefined && given === undefined) {
    const guess = wideWithoutMark(head);
    if (guess !== undefined) throw cannotStart("encoding_needed", name, guess);
  }
  const encoding = mark?.encoding ?? asPeopleCallIt(label);
  const offset = mark?.bytes.length ?? 0;
  const warnings =
    given === undefined || asPeopleCallIt(label) === encoding
      ? []
      : [
          `${name} begins with the byte order mark of ${encoding}, so it is read as that, not as ${given}.`,
        ];
  return {
    chunks: toUtf8(beginning.all(offset), encoding, { offset, line: 1 }),
    encoding,
    isVerbatim: encoding === utf8,
    offset,
    warnings,
  };
}

const utf8 = "UTF-8";
const longestMark = 4;

/** The longer ones first: that of UTF-32 begins like one of UTF-16. */
const marks = [
  { encoding: "UTF-32", bytes: Buffer.from([0xff, 0xfe, 0, 0]) },
  { encoding: "UTF-32", bytes: Buffer.from([0, 0, 0xfe, 0xff]) },
  { encoding: utf8, bytes: Buffer.from([0xef, 0xbb, 0xbf]) },
  { encoding: "UTF-16LE", bytes: Buffer.from([0xff, 0xfe]) },
  { encoding: "UTF-16BE", bytes: Buffer.from([0xfe, 0xff]) },
];

/** Two characters of ASCII in UTF-16: every other byte is nothing. */
function wideWithoutMark(head: Buffer): "utf-16le" | "utf-16be" | undefined {
  const [a, b, c, d] = head;
  if (a && b === 0 && c && d === 0) return "utf-16le";
  if (a === 0 && b && c === 0 && d) return "utf-16be";
  return undefined;
}

function asPeopleCallIt(label: string): string {
  return label.startsWith("utf-") ? label.toUpperCase() : label;
}

/**
 * Turns bytes into UTF-8. Those of UTF-8 are passed on unchanged, and only checked: a decoder would replace
 * invalid bytes silently.
 *
 * @param from where the chunks begin in the input
 * @throws InputDamagedError at the first bytes that are invalid, after everything before them
 */
export async function* toUtf8(
  chunks: AsyncIterable<Buffer>,
  encoding: string = utf8,
  from: Pick<SourcePosition, "offset" | "line"> = { offset: 0, line: 1 },
): AsyncGenerator<Buffer> {
  const convert = createConverter(encoding);
  const lines = createLineCounter(from.line);
  let { offset } = from;
  let before: Buffer = Buffer.alloc(0);
  /** Characters beyond ASCII that were sound. */
  let beyondAscii = 0;
  const countBeyond = (text: Buffer) => {
    if (encoding !== utf8 || beyondAscii >= enoughCharacters || isAscii(text)) return;
    beyondAscii += text.toString().match(/\P{ASCII}/gu)?.length ?? 0;
  };
  const rest = chunks[Symbol.asyncIterator]();
  for (let hasEnded = false; !hasEnded; ) {
    const next = await rest.next();
    hasEnded = next.done === true;
    const chunk: Buffer = next.done === true ? Buffer.alloc(0) : next.value;
    const text = convert(chunk, !hasEnded);
    if (text !== undefined) {
      lines.pass(text);
      countBeyond(text);
      if (text.length > 0) yield text;
      before =
        chunk.length < keptBytes ? Buffer.concat([before, chunk]).subarray(-keptBytes) : chunk;
      offset += chunk.length;
      continue;
    }
    const bytes = Buffer.concat([before, chunk]);
    const { sound, passed } = findDamage(encoding, bytes, before.length, offset - from.offset);
    if (passed.length > 0) yield passed;
    lines.pass(passed);
    countBeyond(passed);
    const hex = bytes[sound]?.toString(16).padStart(2, "0");
    const at = `(byte 0x${hex} at offset ${offset - before.length + sound})`;
    const whatNext =
      encoding === utf8
        ? await adviceOn(bytes, sound, rest, beyondAscii)
        : "Fix it, or give the right --encoding";
    const message = `line ${lines.line} is not ${encoding} ${at}. ${whatNext}.`;
    throw new InputDamagedError(lines.line, message);
  }
}

/** Bytes kept from before a chunk: far more than a character takes. */
const keptBytes = 1024;

/** Turns bytes into UTF-8, as a {@link Decoder} turns them into a string. */
type Converter = (bytes: Buffer, isMore: boolean) => Buffer | undefined;

function createConverter(encoding: string): Converter {
  if (encoding !== utf8) {
    const decode = createDecoder(encoding);
    return (bytes, isMore) => {
      const text = decode(bytes, isMore);
      return text === undefined ? undefined : Buffer.from(text);
    };
  }
  let held: Buffer = Buffer.alloc(0);
  return (bytes, isMore) => {
    const all = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
    const whole = isMore ? all.subarray(0, all.length - cutCharacterBytes(all)) : all;
    held = all.subarray(whole.length);
    return isUtf8(whole) ? whole : undefined;
  };
}

/** How many bytes at the end belong to an incomplete character: 0 to 3. */
function cutCharacterBytes(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0b1100_0000) === 0b1000_0000) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

/**
 * Finds the damage byte by byte.
 *
 * @param bytes the last that were sound, and those that are not
 * @param known how many of them were sound
 * @param bytesBefore how many bytes were sound in all
 * @returns how many of them are whole characters, and the text of those that had not been passed on
 */
function findDamage(encoding: string, bytes: Buffer, known: number, bytesBefore: number) {
  const before = bytes.subarray(0, known);
  // They may begin in the middle of a character, so this tries several starting points.
  const odd = (bytesBefore - known) % 2;
  const isWide = encoding.startsWith("UTF-16");
  const starts = isWide ? [odd, odd + 2] : [0, 1, 2, 3].map((more) => lineStart(before) + more);
  const isSound = (start: number) =>
    createConverter(encoding)(before.subarray(start), true) !== undefined;
  const start = starts.find((one) => one <= known && isSound(one)) ?? known;
  const convert = createConverter(encoding);
  const passed: Buffer[] = [];
  let sound = start;
  for (let at = start; at < bytes.length; at++) {
    const text = convert(bytes.subarray(at, at + 1), true);
    if (text === undefined) break;
    if (text.length === 0) continue;
    sound = at + 1;
    if (at >= known) passed.push(text);
  }
  return { sound, passed: Buffer.concat(passed) };
}

/** After the last line end: only in UTF-16 can its byte be part of another character. */
function lineStart(bytes: Buffer): number {
  return Math.max(bytes.lastIndexOf(lineFeed), bytes.lastIndexOf(carriageReturn)) + 1;
}

/**
 * What to do about bytes that are not UTF-8: the encoding that they seem to be in, and how the cell that
 * holds the first of them, and others, would read in it.
 *
 * @param sound how many of the bytes are UTF-8
 * @param rest is read on, as one line shows little of an encoding
 */
async function adviceOn(
  bytes: Buffer,
  sound: number,
  rest: AsyncIterator<Buffer>,
  beyondAscii: number,
): Promise<string> {
  const before = bytes.subarray(Math.max(0, sound - longestLine), sound);
  const line = before.subarray(lineStart(before));
  let after = bytes.subarray(sound);
  while (after.length < sampleBytes) {
    const next = await rest.next().catch(() => undefined);
    if (next === undefined || next.done === true) break;
    after = Buffer.concat([after, next.value]);
  }
  // The same whatever the chunks are.
  after = after.subarray(0, sampleBytes);
  const guess = guessEncoding(beyondAscii > 0 ? after : Buffer.concat([line, after]));
  if (guess === undefined) return "Save the file as UTF-8";
  const isMixed = beyondAscii >= (ofPairs.test(guess.label) ? enoughCharacters : 1);
  const decode = (part: Buffer) => createDecoder(guess.label)(part, true) ?? "";
  const [end = "", ...others] = decode(after).split(cellEnd);
  const start = decode(line).split(cellEnd).at(-1) ?? "";
  const cells = [start.slice(-longestShown) + end.slice(0, longestShown)];
  while (cells.length < shownCells) {
    const next = cellWithMostLetters(others, cells.join(""));
    if (next === undefined) break;
    cells.push(next.slice(0, longestShown));
  }
  const read = `${cells.length === 1 ? "cell" : "cells"} ${isMixed ? "would" : "should"} read ${cells.map(quote).join(", ")}`;
  return isMixed
    ? `The text before it is, so the file mixes encodings; in ${guess.name} the ${read}. Fix it, and save the file as UTF-8`
    : `It looks like ${guess.name}: give --encoding ${guess.label} if the ${read}, else save the file as UTF-8`;
}

/** The cell with most letters beyond ASCII that are not in the text: what a wrong guess would get wrong. */
function cellWithMostLetters(cells: readonly string[], text: string): string | undefined {
  let best: string | undefined;
  let most = 0;
  for (const cell of cells) {
    const letters = new Set(cell.match(/[^\p{ASCII}\s]/gu)?.filter((one) => !text.includes(one)));
    if (letters.size > most) [best, most] = [cell, letters.size];
  }
  return best;
}

const shownCells = 3;
/** Fewer characters of two bytes can be UTF-8 by chance. */
const enoughCharacters = 3;
const ofPairs = /^(?:shift_jis|gbk|big5|euc-)/;
const sampleBytes = 16 * 1024;
const longestLine = 900;
/** Ends a cell in any dialect. */
const cellEnd = /[,;|\t\r\n"]/;
/** A message shows at most this much of a cell on either side. */
const longestShown = 100;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Counts lines that end with LF, CRLF or CR, wherever the chunks are cut. */
function createLineCounter(first: number) {
  let line = first;
  let afterReturn = false;
  return {
    /** The physical line, from 1, of the next byte. */
    get line() {
      return line;
    },
    pass(bytes: Buffer) {
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
