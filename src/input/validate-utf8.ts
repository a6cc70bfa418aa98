import { isAscii, isUtf8 } from "node:buffer";
import { InputDamagedError } from "../model/errors.ts";
import { quote } from "../model/row.ts";
import type { SourcePosition } from "../model/source-position.ts";
import { createDecoder, createLineCounter, type LineCounter } from "./transcode.ts";

/**
 * Passes bytes on unchanged and checks that they are UTF-8: a decoder would replace invalid bytes silently.
 * If a chunk ends within a character, its bytes wait for the next chunk.
 *
 * @param from where the chunks begin in the input
 * @throws InputDamagedError at the first invalid byte, after everything before it was passed on
 */
export async function* validateUtf8(
  chunks: AsyncIterable<Buffer>,
  from: Pick<SourcePosition, "offset" | "line"> = { offset: 0, line: 1 },
): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0);
  let before = held;
  let { offset } = from;
  let isMixed = false;
  const lines = createLineCounter(from.line);
  const rest = chunks[Symbol.asyncIterator]();
  const damageIn = (bytes: Buffer) => upToDamage({ bytes, before, offset, lines, isMixed, rest });
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
    const chunk = next.value;
    const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    const whole = bytes.subarray(0, bytes.length - cutCharacterBytes(bytes));
    if (!isUtf8(whole)) throw yield* damageIn(bytes);
    held = bytes.subarray(whole.length);
    offset += whole.length;
    lines.pass(whole);
    isMixed ||= !isAscii(whole);
    if (whole.length > 0) {
      before =
        whole.length < longestCellBytes
          ? Buffer.concat([before, whole]).subarray(-longestCellBytes)
          : whole;
      yield whole;
    }
  }
  if (held.length > 0) throw yield* damageIn(held);
}

interface Damage {
  /** The bytes that hold the damage. They may begin and end with valid ones. */
  readonly bytes: Buffer;
  /** The bytes that were passed on last. */
  readonly before: Buffer;
  /** Where `bytes` begin in the input. */
  readonly offset: number;
  readonly lines: LineCounter;
  /** Whether some earlier bytes are UTF-8 and not ASCII. */
  readonly isMixed: boolean;
  readonly rest: AsyncIterator<Buffer>;
}

async function* upToDamage(found: Damage): AsyncGenerator<Buffer, InputDamagedError> {
  const { bytes, offset, lines } = found;
  const sound = soundBytes(bytes);
  const before = bytes.subarray(0, sound);
  if (sound > 0) yield before;
  const hex = bytes[sound]?.toString(16).padStart(2, "0") ?? "";
  lines.pass(before);
  const isMixed = found.isMixed || !isAscii(before);
  const cell = await readOtherwise(
    Buffer.concat([found.before, before]),
    bytes.subarray(sound),
    found.rest,
  );
  return new InputDamagedError(
    lines.line,
    `line ${lines.line} is not UTF-8 (byte 0x${hex} at offset ${offset + sound}): ${whatNext(cell, isMixed)}.`,
  );
}

function whatNext(cell: string | undefined, isMixed: boolean): string {
  if (cell === undefined) return "save the file as UTF-8";
  if (isMixed) {
    return `the text before it is, so the file mixes encodings; in windows-1252 the cell would read ${cell}. Fix it, and save the file as UTF-8`;
  }
  return `with --encoding windows-1252 the cell would read ${cell}; if that is right, give that option, else save the file as UTF-8`;
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

/** How many bytes are valid before the damage, by bisection. */
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

/** Ends a cell in any dialect. */
const cellEnd = /[,;|\t\r\n"]/;

/** Real text has no control characters: if there are any, the encoding is wrong. */
const control = /[^\P{Cc}\t]/u;

/** A message shows at most this much of a cell. */
const longestCellBytes = 200;

/**
 * Reads a cell that is not UTF-8 as windows-1252, the most common other encoding.
 *
 * @param before the bytes before the damage that are still in memory
 * @param after the bytes from the damage on; more is read if the cell continues
 * @returns the cell in quotes, or undefined if it is not windows-1252 either
 */
async function readOtherwise(
  before: Buffer,
  after: Buffer,
  rest: AsyncIterator<Buffer>,
): Promise<string | undefined> {
  const decode = createDecoder("windows-1252");
  const start = before.subarray(-longestCellBytes).toString("latin1");
  let end = after;
  while (end.length < longestCellBytes && !cellEnd.test(end.toString("latin1"))) {
    const next = await rest.next().catch(() => undefined);
    if (next === undefined || next.done === true) break;
    end = Buffer.concat([end, next.value]);
  }
  const cell =
    (start.split(cellEnd).at(-1) ?? "") +
    (end.subarray(0, longestCellBytes).toString("latin1").split(cellEnd)[0] ?? "");
  const text = decode(Buffer.from(cell, "latin1"), false);
  return text === undefined || text === "" || control.test(text) ? undefined : quote(text);
}
