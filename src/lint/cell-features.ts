import { nullSigns, nullTexts, nullWordsOfPrograms } from "../model/null-words.ts";
import { yesAndNo } from "../model/yes-no.ts";

/** Features of a cell that are cheap to detect, one bit each. */
export const feature = {
  digits: 1,
  /** Begins with a digit, a plus or a minus, and has more than digits. */
  number: 2,
  /** Begins or ends with a character that may be space. */
  edgeSpace: 4,
  /** Begins like the texts that programs write in place of a value. */
  placeholder: 8,
  /** Contains U+FFFD, a character of C1, or one that windows-1252 shows for the first byte of a UTF-8 sequence. */
  utf8Lead: 16,
  /** Is as short as a yes or no of some language, and begins like one. */
  shortWord: 32,
} as const;

/** The features of a cell; most have none. @param unitBits all code units of the cell, combined with OR */
export function featuresOf(cell: string, unitBits: number): number {
  const { length } = cell;
  if (length === 0) return 0;
  let features = ofUnit[cell.charCodeAt(0)] ?? 0;
  if ((features & feature.number) !== 0 && /^\d+$/.test(cell)) {
    features ^= feature.number | feature.digits;
  }
  if (length > maxShortWord) features &= ~feature.shortWord;
  features |= (ofUnit[cell.charCodeAt(length - 1)] ?? 0) & feature.edgeSpace;
  return unitBits >= 0x80 && utf8Lead.test(cell) ? features | feature.utf8Lead : features;
}

export function unitBitsOf(text: string): number {
  let bits = 0;
  for (let at = 0; at < text.length; at++) bits |= text.charCodeAt(at);
  return bits;
}

const utf8Lead = /[\u0080-\u009f\u00c2-\u00df\u00e2\u00ef\ufffd]/;
const maxShortWord = 7;

/** By the code unit that a cell begins with, or ends with if it may be space. */
const ofUnit = new Uint8Array(0x10000)
  .fill(feature.edgeSpace, 0, 0x21)
  .fill(feature.edgeSpace, 0x1680);
const mark = (unit: number, bit: number) => {
  ofUnit[unit] = (ofUnit[unit] ?? 0) | bit;
};
for (const word of yesAndNo.flat()) {
  for (const one of [word, word.toUpperCase()]) mark(one.charCodeAt(0), feature.shortWord);
}
for (const sign of "+-0123456789") mark(sign.charCodeAt(0), feature.number);
mark(0xa0, feature.edgeSpace);
for (const word of [...nullWordsOfPrograms, ...nullSigns, ...nullTexts, "#"]) {
  mark(word.charCodeAt(0), feature.placeholder);
}
