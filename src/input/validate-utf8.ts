import { isAscii, isUtf8 } from "node:buffer";
import { InputDamagedError } from "../model/errors.ts";
import { quote } from "../model/row.ts";
import type { SourcePosition } from "../model/source-position.ts";
import { createDecoder, createLineCounter, type LineCounter } from "./transcode.ts";

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
  /** From what is sound up to the damage and beyond. */
  readonly bytes: Buffer;
  /** What was passed on last. */
  readonly before: Buffer;
  /** Of `bytes` in the input. */
  readonly offset: number;
  readonly lines: LineCounter;
  /** Whether there was something before that is UTF-8 and nothing else. */
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
    return `what is before it is, so the file is a mixture; in windows-1252 the cell would read ${cell}. Fix it, and save the file as UTF-8`;
  }
  return `with --encoding windows-1252 the cell would read ${cell}; if that is right, give that option, else save the file as UTF-8`;
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

/** What may end a cell, whatever the dialect is. */
const cellEnd = /[,;|\t\r\n"]/;

/** No text of any encoding holds these, so that it would be the wrong one. */
const control = /[^\P{Cc}\t]/u;

/** The most that is shown of a cell. */
const longestCellBytes = 200;

/**
 * What a cell that is not UTF-8 would be in windows-1252, the encoding that is meant most often.
 *
 * @param before the bytes before the damage, as far as they are in memory
 * @param after the bytes from the damage on; more is read if the cell continues
 * @returns the cell as a message shows it, or undefined if it cannot be that encoding either
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
