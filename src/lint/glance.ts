/** What a first look at a cell shows, one bit each. A rule names the signs that it needs to find anything. */
export const sign = {
  /** Nothing but digits. */
  digits: 1,
  /** Begins with a digit, a plus or a minus, and has more than digits. */
  number: 2,
  /** Begins or ends with what may be space. */
  edge: 4,
  /** There is a non-breaking space in it. */
  noBreak: 8,
  /** Begins as the texts do that programs write in place of a value. */
  standIn: 16,
  /** There is what the first byte of a character of UTF-8 becomes in windows-1252. */
  lead: 32,
  /** Ends as `Feb-24` does: a minus and two more, of which the last is a digit; begins otherwise than a number. */
  monthYear: 64,
} as const;

/**
 * Most cells show no sign, and cost nothing more than this.
 *
 * @param bits those that any unit of the cell has
 */
export function glance(cell: string, bits: number): number {
  const { length } = cell;
  if (length === 0) return 0;
  const first = cell.charCodeAt(0);
  let signs = isStandIn[first] ?? 0;
  if (isDigit(first)) signs |= isDigits(cell) ? sign.digits : sign.number;
  else if (first === plus || first === minus) signs |= sign.number;
  else if (cell.charCodeAt(length - 3) === minus && isDigit(cell.charCodeAt(length - 1)))
    signs |= sign.monthYear;
  if (mayBeSpace(first) || mayBeSpace(cell.charCodeAt(length - 1))) signs |= sign.edge;
  return bits >= 0xa0 ? signs | signsWithin(cell) : signs;
}

/** The bits that any unit of a text has. */
export function bitsOf(text: string): number {
  let bits = 0;
  for (let at = 0; at < text.length; at++) bits |= text.charCodeAt(at);
  return bits;
}

/** Those signs that may stand anywhere in a cell. */
function signsWithin(text: string): number {
  let signs = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (isNoBreak(unit)) signs |= sign.noBreak;
    else if (isLead(unit)) signs |= sign.lead;
  }
  return signs;
}

export function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

/** Whether there is nothing but digits. */
function isDigits(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (!isDigit(text.charCodeAt(at))) return false;
  return true;
}

function isNoBreak(unit: number): boolean {
  return unit === 0xa0 || unit === 0x2007 || unit === 0x202f;
}

function isLead(unit: number): boolean {
  return (unit >= 0xc2 && unit <= 0xdf) || unit === 0xe2 || unit === 0xef;
}

const plus = 0x2b;
const minus = 0x2d;

function mayBeSpace(unit: number): boolean {
  return unit <= 0x20 || unit === 0xa0 || unit >= 0x1680;
}

/** By the first unit: those of NULL, N/A, (null), #REF!, Err:502, a dash and their like. */
const isStandIn = new Uint8Array(0x10000);
for (const first of "Nnu(<\\#-–—E") isStandIn[first.charCodeAt(0)] = sign.standIn;
