import { dayMs } from "../model/clock.ts";
import { plainDecimal, withoutExponent } from "../model/decimal.ts";
import { undoDoubleEncoding } from "./lints.ts";

export type Alteration =
  | "zeros"
  | "exponent"
  | "becameDate"
  | "letters"
  | "error"
  | "formula"
  // A person may make these changes too.
  | "digits"
  | "number"
  | "date";

/** What shows that a program has done it; the first that is true says what it was, the first two of any length. */
const signs: readonly (readonly [Alteration, (was: string, is: string) => boolean])[] = [
  ["letters", isGarbled],
  ["error", (was, is) => spreadsheetError.test(is) && !spreadsheetError.test(was)],
  ["exponent", isExponentOf],
  ["formula", (was, is) => was.startsWith("=") && (numberAsText(is) ?? truthOf(is)) !== undefined],
  ["zeros", (was, is) => zeroPadded.test(was) && isSameNumber(was, is)],
  ["number", (was, is) => isSameNumber(was, is) || isSameTruth(was, is)],
  ["digits", hasLostDigits],
  ["becameDate", hasBecomeDate],
  ["date", isSameDate],
];

/** What a program has done to a cell; undefined if only a person would change it so. */
export function alterationOf(before: string, after: string): Alteration | undefined {
  const [was, is] = [before.trim(), after.trim()];
  if (was === is || was === "" || is === "") return undefined;
  // Numbers and dates are short.
  const isLong = Math.max(was.length, is.length) > maxAlteredChars;
  return signs.slice(0, isLong ? 2 : signs.length).find(([, isSo]) => isSo(was, is))?.[0];
}

/** What a program would have done to a cell that has not changed. */
export function alterationLikelyFor(cell: string): Alteration | undefined {
  const text = cell.length > maxAlteredChars ? "" : cell.trim();
  if (truthOf(text) !== undefined) return "number";
  if (!mayBeAltered.test(text) || text.endsWith("%")) return undefined;
  if (zeroPadded.test(text)) return "zeros";
  const value = numberAsText(text);
  if (value !== undefined) return value === text ? undefined : "number";
  return dateOf(text) === undefined ? undefined : "date";
}

const maxAlteredChars = 40;
/** `#NAME?`, `#DIV/0!`, `#N/A` and what a cell that is too narrow shows, in the languages of the programs: `#NV`, `#¡VALOR!`. */
const spreadsheetError = /^(?:#(?:[¡¿]?[\p{Lu}\d/]+[!?]|N\/?[A-Z]|#+)|Err:\d{3})$/u;
/** Rules out names, addresses and the like at once. */
const mayBeAltered = /^\s*[\d+.,-]|\d\s*$/i;
/** What programs write for true and false, in the languages of the people. */
const [wordsForTrue, wordsForFalse] = [
  "true wahr vrai verdadero vero verdadeiro waar prawda sant sand sann pravda igaz doğru истина",
  "false falsch faux falso onwaar fałsz falskt falsk usann nepravda hamis yanlış ложь",
].map((words) => new Set(words.split(" ")));
const zeroPadded = /^0\d+$/;
const scientific = /^[+-]?\d+(?:[.,](\d+))?e[+-]?\d{1,3}$/i;

/** Equal for equal numbers; one may have a decimal comma, or be a percentage. */
function numberAsText(text: string): string | undefined {
  const number = text.replace(",", ".");
  if (scientific.test(text)) return withoutExponent(Number(number));
  const [, sign = "", whole = "", fraction = ""] = percentage.exec(number) ?? [];
  if (whole + fraction === "") return plainDecimal(number);
  const digits = whole.padStart(2, "0");
  return plainDecimal(`${sign}${digits.slice(0, -2)}.${digits.slice(-2)}${fraction}`);
}

const percentage = /^([+-]?)(\d*)\.?(\d*)\s?%$/;

/** Only a person puts zeros back. */
function isSameNumber(was: string, is: string): boolean {
  const value = numberAsText(was);
  return value !== undefined && value === numberAsText(is) && !zeroPadded.test(is);
}

function truthOf(text: string): boolean | undefined {
  const word = text.toLowerCase();
  return wordsForTrue?.has(word) ? true : wordsForFalse?.has(word) ? false : undefined;
}

function isSameTruth(was: string, is: string): boolean {
  const truth = truthOf(was);
  return truth !== undefined && truth === truthOf(is);
}

/** Whether a number was shortened to one with an exponent, such as 1234567890123456 to 1.23E+15. */
function isExponentOf(was: string, is: string): boolean {
  const [, decimals = ""] = scientific.exec(is) ?? ["", undefined];
  const [before, after] = [was, is].map((text) => Number(text.replace(",", ".")));
  const shown = (number = Number.NaN) => number.toExponential(decimals.length);
  return scientific.test(is) && shown(before) === shown(after);
}

/** Programs keep 15 or 17 digits, and show fewer decimals. */
function hasLostDigits(was: string, is: string): boolean {
  const [value, now] = [numberAsText(was), numberAsText(is)];
  if (value === undefined || now === undefined || value === now) return false;
  if (/^[+-]?\d+$/.test(value)) {
    const [digits, kept] = [value, now].map((one) => one.replace("-", "")) as [string, string];
    if (digits.length < 16 || digits.length !== kept.length) return false;
    const isCutOff = digits.slice(0, 15) === kept.slice(0, 15) && /^0+$/.test(kept.slice(15));
    return isCutOff || BigInt(Number(digits)).toString() === kept;
  }
  const decimals = now.split(".")[1]?.length ?? 0;
  return now.length >= 9 && Number(value).toFixed(decimals) === Number(now).toFixed(decimals);
}

interface WrittenDate {
  /** What the date may mean: year, month and day, by their first letters. A month may be a word. */
  readonly readings: readonly ReadonlyMap<string, string>[];
  /** In minutes of half a day, as it may be a 12-hour time. */
  readonly time: number | undefined;
}

/** In which order people and programs write year, month and day, or two of them. */
const orders = ["ymd", "dmy", "mdy", "ym", "my", "md", "dm", ""];
const datePartForms: Readonly<Record<string, RegExp>> = {
  y: /^\d{1,4}$/,
  m: /^(?:0?\d|1[0-2]|\p{L}{3,10})$/u,
  d: /^(?:[0-2]?\d|3[01])$/,
};

const dateAndTime =
  /^([\d\p{L}\-/., ]*?)(?:(?:^|[T ,] ?)(\d{1,2}):(\d\d)(?::\d\d(?:[.,]\d+)?)?(?: ?[ap]\.?m\.?)?(?:Z|[+-]\d\d:?\d\d)?)?$/iu;

/** Reads a text as a date, as a part of a date, or as a time. */
function dateOf(text: string): WrittenDate | undefined {
  const [, day = "", hours, minutes] = dateAndTime.exec(text) ?? [];
  const time = hours === undefined ? undefined : (Number(hours) % 12) * 60 + Number(minutes);
  const words = day.match(/\d+|\p{L}+/gu) ?? [];
  if (words.length === 0 && time === undefined) return undefined;
  // Where numbers have points between them, the month is never first.
  const isMonthBehind = day.includes(".") && !words.some(beginsWithLetter);
  const readings = orders
    .filter((order) => order.length === words.length && !(isMonthBehind && order.startsWith("md")))
    .filter((order) => words.every((word, at) => datePartForms[order.charAt(at)]?.test(word)))
    .map((order) => new Map(words.map((word, at) => [order.charAt(at), word])));
  return readings.length === 0 ? undefined : { readings, time };
}

function beginsWithLetter(part = ""): boolean {
  return /^\p{L}/u.test(part);
}

/** 3/4 and 1-2 are not dates, and neither is the gene MARCH1. */
function hasBecomeDate(was: string, is: string): boolean {
  const isNone = partsInDate(dateOf(was)) === 2 && (!/\p{L}/u.test(was) || /\p{L}\d/u.test(was));
  const hasMonth = dateOf(is)?.readings.some((reading) => beginsWithLetter(reading.get("m")));
  return isNone && hasMonth === true && isSameDate(was, is);
}

function partsInDate(date: WrittenDate | undefined): number {
  return date?.readings[0]?.size ?? 0;
}

/** Whether two texts may be the same date, or one of them without a part of it. */
function isSameDate(was: string, is: string): boolean {
  const [a, b] = [dateOf(was), dateOf(is)];
  if (isSerialOf(is, a) || isSerialOf(was, b)) return true;
  if (a === undefined || b === undefined) return false;
  if (a.time !== undefined && b.time !== undefined && a.time !== b.time) return false;
  const [fewer, more] = partsInDate(a) <= partsInDate(b) ? [a, b] : [b, a];
  if (partsInDate(more) - partsInDate(fewer) > 1) return false;
  return fewer.readings.some((one) =>
    more.readings.some((other) =>
      [...one].every(([name, part]) => isSamePart(name, part, other.get(name))),
    ),
  );
}

/** Programs cut a year to two digits, and write months in the language of the user: any word may be the month. */
function isSamePart(name: string, one: string, other: string | undefined): boolean {
  if (other === undefined) return false;
  if (beginsWithLetter(one) || beginsWithLetter(other)) return true;
  const [a, b] = [Number(one), Number(other)];
  return a === b || (name === "y" && a % 100 === b % 100 && Math.min(a, b) < 100);
}

/** Whether a text is the number of that day in a spreadsheet program. */
function isSerialOf(text: string, date: WrittenDate | undefined): boolean {
  if (date === undefined || !/^[1-7]\d{4}$/.test(text)) return false;
  return date.readings.some((reading) => {
    const [year = 0, month = 0, day = 0] = ["y", "m", "d"].map((name) => Number(reading.get(name)));
    return Date.UTC(year, month - 1, day) / dayMs + dayOf1970 === Number(text);
  });
}

const dayOf1970 = 25_569;

/** Whether letters were read in a wrong encoding, or replaced because the encoding does not have them. */
function isGarbled(was: string, is: string): boolean {
  if (!beyondAscii.test(was)) return false;
  if (undoDoubleEncoding(is) === was) return true;
  const bytes = Buffer.from(was);
  if (otherEncodings.some((encoding) => encoding.decode(bytes) === is)) return true;
  const [letters, lettersNow] = [[...was], [...is]];
  return (
    letters.length === lettersNow.length &&
    letters.every((letter, at) => {
      const now = lettersNow[at];
      return letter === now || (beyondAscii.test(letter) && (now === "?" || now === "\ufffd"));
    })
  );
}

/** Of programs, beside windows-1252. */
const otherEncodings = ["windows-1250", "windows-1251", "windows-1253", "macintosh"].map(
  (label) => new TextDecoder(label),
);
const beyondAscii = /\P{ASCII}/u;
