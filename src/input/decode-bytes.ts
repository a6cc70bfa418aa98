import { isAscii, isUtf8 } from "node:buffer";
import { cannotStart } from "../model/errors.ts";
import { encodingNamed } from "../model/reading.ts";
import { quote } from "../model/row.ts";
import { bytesAhead, EncodingError } from "./look-ahead.ts";

export interface DecodedBytes {
  readonly chunks: AsyncGenerator<Buffer>;
  readonly encoding: string;
  readonly wide: ReturnType<typeof wideOf>;
  readonly warnings: readonly string[];
}

/**
 * Detects the encoding by the byte order mark; without one it is the given encoding, or UTF-8.
 *
 * @throws CannotStartError if it is not supported
 */
export async function decodeBytes(
  name: string,
  chunks: AsyncIterable<Buffer>,
  given: string | undefined,
): Promise<DecodedBytes> {
  const beginning = bytesAhead(chunks);
  await beginning.fill(longestByteOrderMark);
  const head = beginning.head();
  const mark = byteOrderMarks.find(({ bytes }) => head.subarray(0, bytes.length).equals(bytes));
  if (mark?.encoding === "UTF-32") throw cannotStart("encoding_unsupported", name, mark.encoding);
  const label = encodingNamed(given ?? utf8);
  const encoding = mark?.encoding ?? asPeopleCallIt(label);
  const offset = mark?.bytes.length ?? 0;
  const warnings =
    given === undefined || asPeopleCallIt(label) === encoding
      ? []
      : [
          `${name} begins with the byte order mark of ${encoding}, so it is read as that, not as ${given}.`,
        ];
  beginning.drop(offset);
  return {
    chunks: toUtf8(beginning.all(), encoding, offset),
    encoding,
    wide: wideOf(head),
    warnings,
  };
}

const utf8 = "UTF-8";
const longestByteOrderMark = 4;

/** The longer ones first: that of UTF-32 begins like one of UTF-16. */
const byteOrderMarks = [
  { encoding: "UTF-32", bytes: Buffer.from([0xff, 0xfe, 0, 0]) },
  { encoding: "UTF-32", bytes: Buffer.from([0, 0, 0xfe, 0xff]) },
  { encoding: utf8, bytes: Buffer.from([0xef, 0xbb, 0xbf]) },
  { encoding: "UTF-16LE", bytes: Buffer.from([0xff, 0xfe]) },
  { encoding: "UTF-16BE", bytes: Buffer.from([0xfe, 0xff]) },
];

function asPeopleCallIt(label: string): string {
  return label.startsWith("utf-") ? label.toUpperCase() : label;
}

/**
 * Turns bytes into UTF-8. Those of UTF-8 are passed on unchanged, and only checked: a decoder would replace
 * invalid bytes silently.
 *
 * @param begin bytes of the input before the chunks
 * @throws EncodingError at the first bytes that are invalid, after everything before them
 */
export async function* toUtf8(
  chunks: AsyncIterable<Buffer>,
  encoding: string = utf8,
  begin = 0,
): AsyncGenerator<Buffer> {
  const convert = createConverter(encoding);
  let offset = begin;
  let before: Buffer = Buffer.alloc(0);
  let isBeyondAscii = false;
  const rest = chunks[Symbol.asyncIterator]();
  for (let hasEnded = false; !hasEnded; ) {
    const next = await rest.next();
    hasEnded = next.done === true;
    const chunk: Buffer = next.done === true ? Buffer.alloc(0) : next.value;
    const text = convert(chunk, !hasEnded);
    if (text !== undefined) {
      isBeyondAscii ||= !isAscii(text);
      if (text.length > 0) yield text;
      before =
        chunk.length < keptBytes ? Buffer.concat([before, chunk]).subarray(-keptBytes) : chunk;
      offset += chunk.length;
      continue;
    }
    const bytes = Buffer.concat([before, chunk]);
    const { sound, passed } = findDamage(encoding, bytes, before.length, offset - begin);
    if (passed.length > 0) yield passed;
    isBeyondAscii ||= !isAscii(passed);
    const hex = bytes[sound]?.toString(16).padStart(2, "0");
    const at = `(byte 0x${hex} at offset ${offset - before.length + sound})`;
    // A few letters of another encoding can be UTF-8 by chance, as none that people write.
    const isMixed = isBeyondAscii && !byChance.test(bytes.toString("utf8", 0, sound));
    const wide = wideOf(bytes.subarray((offset - before.length) % 2));
    const seemsBinary = !encoding.startsWith("UTF-16") && isNoText(bytes);
    const whatNext = seemsBinary
      ? wide === undefined
        ? "It seems to be no text, but an image, a program or a database: give a CSV file or a workbook"
        : `It seems to be UTF-16, for which you have to give --encoding ${wide}`
      : encoding !== utf8
        ? `Fix it${begin > 0 ? "" : ", or give the right --encoding"}`
        : isMixed
          ? "The text before it is, so the file seems to mix encodings: fix it, and save the file as UTF-8. Failed rows that a program has read and saved in its own encoding: retry them with that --encoding, such as windows-1252, and --restore-altered"
          : await adviceOn(bytes, sound, rest);
    throw new EncodingError(`is not ${encoding} ${at}. ${whatNext}.`);
  }
}

/** Whether more than one byte in twenty is a control character that no line of text has. */
function isNoText(bytes: Buffer): boolean {
  const some = bytes.toString("latin1", 0, keptBytes);
  const controls = some.match(controlsOfBytes)?.length ?? 0;
  return controls >= 4 && controls * 20 > some.length;
}

/** Which UTF-16 bytes from an even offset seem to be: the letters and signs of ASCII have a NUL each, on one side. */
function wideOf(bytes: Buffer): "utf-16le" | "utf-16be" | undefined {
  const nuls = [...bytes.subarray(0, keptBytes).keys()].filter((at) => bytes[at] === 0);
  const share = nuls.filter((at) => at % 2 === 1).length / nuls.length;
  if (share > 0.9) return "utf-16le";
  return share < 0.1 ? "utf-16be" : undefined;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them
const controlsOfBytes = /[\u0000-\u0008\u000e-\u0019\u001b-\u001f]/g;

/** Phonetic signs, old letters and the like, in UTF-8 as two bytes. */
const byChance =
  /[\u0190-\u019f\u01b1-\u01cc\u01dd-\u0217\u021c-\u0258\u025a-\u02bf\u0500-\u052f\u0700-\u07ff]/;

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
 * What to do about bytes that are not UTF-8. Only a person can tell which encoding they are in, so this shows how two
 * cells read in each that is usual: the one with the first of them, and the one that has most other letters beyond ASCII.
 *
 * @param sound how many of the bytes are UTF-8
 * @param rest is read on, as one cell shows little of an encoding
 */
async function adviceOn(
  bytes: Buffer,
  sound: number,
  rest: AsyncIterator<Buffer>,
): Promise<string> {
  const before = bytes.subarray(Math.max(0, sound - maxLabelBytes), sound);
  let after = bytes.subarray(sound);
  while (after.length < encodingSampleBytes) {
    const next = await rest.next().catch(() => undefined);
    if (next === undefined || next.done === true) break;
    after = Buffer.concat([after, next.value]);
  }
  // The same whatever the chunks are.
  const sample = Buffer.concat([
    before.subarray(lineStart(before)),
    after.subarray(0, encodingSampleBytes),
  ]);
  // Old Macs ended lines with CR alone.
  const isOfMac = sample.includes(carriageReturn) && !sample.includes(lineFeed);
  const encodings = isOfMac ? [...ofMac, ...usualEncodings] : [...usualEncodings, ...ofMac];
  const readings = encodings.flatMap((label) => {
    const text = createDecoder(label)(sample, true);
    if (text === undefined || controlCharacter.test(text)) return [];
    return [{ label, text, odd: text.replaceAll(eastAsian, "").match(unlikely)?.length ?? 0 }];
  });
  if (readings.length === 0) return "Save the file as UTF-8, or give the right --encoding";
  const least = Math.min(...readings.map(({ odd }) => odd));
  const labels = new Map<string, string>();
  const likely = readings.filter(({ odd }) => odd === least);
  for (const { label, text } of likely.toSorted((a, b) => rareness(a) - rareness(b))) {
    const cells = text.split(cellEnd);
    const first = cells.find((cell) => lettersIn(cell) > 0) ?? "";
    const next = cells.reduce((best, cell) =>
      lettersIn(cell, first) > lettersIn(best, first) ? cell : best,
    );
    const chosen = lettersIn(next, first) > 0 ? [first, next] : [first];
    const shown = chosen.map((cell) => quote(cell.slice(0, maxCellShown)));
    if (!labels.has(shown.join(", "))) labels.set(shown.join(", "), label);
  }
  const listed = [...labels].map(([cells, label]) => `${label} (${cells})`).join(", ");
  return `Save the file as UTF-8, or give --encoding with the one in which its cells read right: ${listed}`;
}

/**
 * How rare a text would be: four accented letters in a row, Hangul beside Chinese letters, or Japanese without kana, are
 * rarer than they come from reading one encoding as another.
 */
function rareness({ label, text }: { readonly label: string; readonly text: string }): number {
  if (/[\u3041-\u30fa]/.test(text)) return 0;
  if (/\p{sc=Hangul}/u.test(text)) return /\p{sc=Han}/u.test(text) ? 2 : 0;
  if (/\p{sc=Han}/u.test(text)) return /^(shift_jis|euc-jp)$/.test(label) ? 2 : 1;
  return /(?:(?!\p{ASCII})\p{sc=Latin}){4}/u.test(text) ? 1 : 0;
}

/** How many letters beyond ASCII a cell has that are not known yet. */
function lettersIn(cell: string, known = ""): number {
  return new Set(cell.match(/\P{ASCII}/gu)?.filter((letter) => !known.includes(letter))).size;
}

const ofMac = ["macintosh", "x-mac-cyrillic"];
/** Of several encodings that read the cells the same, the first is shown. */
const usualEncodings = [
  ...["windows-1252", "windows-1250", "windows-1251", "windows-1253", "windows-1254"],
  ...["windows-1255", "windows-1256", "windows-1257", "iso-8859-2", "koi8-r", "cp866"],
  ...["shift_jis", "euc-jp", "gb18030", "big5", "euc-kr", "cp850", "cp852"],
];
const controlCharacter = /[^\P{Cc}\t\r\n]/u;
/** Punctuation of Chinese and Japanese, and their full-width digits and letters. */
const eastAsian = /[\u3000-\u303f\uff01-\uff60・]/gu;
/** Unusual signs, a capital after a small letter, or Latin letters beside others. */
const unlikely =
  /[^\p{ASCII}\p{L}\p{M}’‘“”„–—…€£°«»®™ºª§ー\u00a0]|[^\P{Ll}a-z]\p{Lu}|\p{Ll}[^\P{Lu}A-Z]|\p{sc=Latin}(?!\p{sc=Latin})\p{L}|(?!\p{sc=Latin})\p{L}\p{sc=Latin}/gu;
const encodingSampleBytes = 16 * 1024;
const maxLabelBytes = 900;
const cellEnd = /[,;|\t\r\n"]/;
const maxCellShown = 60;

export const lineFeed = 0x0a;
export const carriageReturn = 0x0d;

/**
 * Decodes bytes, chunk by chunk.
 *
 * @param isMore whether more will follow, so that a character may be cut at the end
 * @returns undefined if the bytes are not valid; the decoder cannot be used after that
 */
export type Decoder = (bytes: Buffer, isMore: boolean) => string | undefined;

/** Creates a strict decoder: invalid bytes are never replaced. @throws RangeError if nobody knows the encoding */
export function createDecoder(label: string): Decoder {
  const name = encodingNamed(label);
  const table = codePageTables[name];
  if (table !== undefined) return decodeByTable(table);
  // As the Encoding Standard has it; ICU's GBK refuses the characters of four bytes.
  const decoder = new TextDecoder(name === "gbk" ? "gb18030" : name, {
    fatal: true,
    ignoreBOM: true,
  });
  const hasControls = /^(utf|gb)/.test(name);
  return (bytes, isMore) => {
    try {
      const text = decoder.decode(bytes, { stream: isMore });
      return !hasControls && unassigned.test(text) ? undefined : text;
    } catch {
      return undefined;
    }
  };
}

/** What a single-byte encoding gives for bytes to which it assigns no character. */
const unassigned = /[\u0080-\u009f]/;

/** @param table the characters from 0x80 on; those after them are as in ISO 8859-1 */
function decodeByTable(table: readonly string[]): Decoder {
  const last = String.fromCharCode(0x7f + table.length);
  const inTable = new RegExp(`[\u0080-${last}]`, "g");
  return (bytes) => {
    const text = bytes
      .toString("latin1")
      .replaceAll(inTable, (byte) => table[byte.charCodeAt(0) - 0x80] as string);
    return unassigned.test(text) ? undefined : text;
  };
}

/**
 * Node 20 takes windows-1252 for ISO 8859-1, in which 0x80 to 0x9f are controls; five of them mean nothing.
 * TextDecoder does not know the code pages of DOS. They are three lines here; `iconv-lite` (0.7.3) is 344 kB,
 * and replaces what it cannot decode.
 */
const codePageTables: Readonly<Record<string, readonly string[]>> = {
  "windows-1252": [..."€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ"],
  cp437: [
    ..."ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0",
  ],
  cp850: [
    ..."ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0",
  ],
  cp852: [
    ..."ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u00ad˝˛ˇ˘§÷¸°¨˙űŘř■\u00a0",
  ],
};

/** In which programs save files, the usual ones first. */
export const encodingsOfPrograms: readonly string[] = [...usualEncodings, "macintosh"];
