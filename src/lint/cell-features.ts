/** Features of a cell that are cheap to detect, one bit each. */
export const feature = {
  /** Nothing but digits. */
  digits: 1,
  /** Begins with a digit, a plus or a minus, and has more than digits. */
  number: 2,
  /** Begins or ends with a character that may be space. */
  edgeSpace: 4,
  /** Begins like the texts that programs write in place of a value. */
  placeholder: 8,
  /** Contains a character of C1, or one that windows-1252 shows for the first byte of a UTF-8 sequence. */
  utf8Lead: 16,
  /** Is as short as a yes or no, and begins with a letter. */
  shortWord: 32,
} as const;

/**
 * The features of a cell. Most cells have none, so no rule costs them anything.
 *
 * @param unitBits all code units of the cell, combined with OR
 */
export function featuresOf(cell: string, unitBits: number): number {
  const { length } = cell;
  if (length === 0) return 0;
  const first = cell.charCodeAt(0);
  let features = placeholderStarts[first] ?? 0;
  if (isDigit(first)) features |= isAllDigits(cell) ? feature.digits : feature.number;
  else if (first === plus || first === minus) features |= feature.number;
  else if (length <= maxShortWord && first >= letterA) features |= feature.shortWord;
  if (mayBeSpace(first) || mayBeSpace(cell.charCodeAt(length - 1))) features |= feature.edgeSpace;
  return unitBits >= 0x80 && hasUtf8Lead(cell) ? features | feature.utf8Lead : features;
}

/** All code units of a text, combined with OR. */
export function unitBitsOf(text: string): number {
  let bits = 0;
  for (let at = 0; at < text.length; at++) bits |= text.charCodeAt(at);
  return bits;
}

function hasUtf8Lead(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0x80 && unit <= 0x9f) return true;
    if ((unit >= 0xc2 && unit <= 0xdf) || unit === 0xe2 || unit === 0xef) return true;
  }
  return false;
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

function isAllDigits(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (!isDigit(text.charCodeAt(at))) return false;
  return true;
}

const maxShortWord = 7;
const letterA = 0x41;
const plus = 0x2b;
const minus = 0x2d;

function mayBeSpace(unit: number): boolean {
  return unit <= 0x20 || unit === 0xa0 || unit >= 0x1680;
}

/** By first code unit: NULL, N/A, (null), #REF!, a dash and the like. */
const placeholderStarts = new Uint8Array(0x10000);
for (const first of "Nnu(<\\#-–—") placeholderStarts[first.charCodeAt(0)] = feature.placeholder;
