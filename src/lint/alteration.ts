import { plainDecimal } from "../model/decimal.ts";
import { undoDoubleEncoding } from "./lints.ts";

/** How a program changes cells without being asked. */
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
  ["error", (was, is) => errorText.test(is) && !errorText.test(was)],
  ["exponent", isExponentOf],
  ["formula", (was, is) => was.startsWith("=") && (plainNumber(is) ?? truthOf(is)) !== undefined],
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
  const isLong = Math.max(was.length, is.length) > maxChars;
  return signs.slice(0, isLong ? 2 : signs.length).find(([, isSo]) => isSo(was, is))?.[0];
}

/** What a program would have done to a cell that has not changed. */
export function alterationLikelyFor(cell: string): Alteration | undefined {
  const text = cell.length > maxChars ? "" : cell.trim();
  if (truthOf(text) !== undefined) return "number";
  if (!mayBeAltered.test(text) || text.endsWith("%")) return undefined;
  if (zeroPadded.test(text)) return "zeros";
  const value = plainNumber(text);
  if (value !== undefined) return value === text ? undefined : "number";
  return dateOf(text) === undefined ? undefined : "date";
}

/** Whether a spreadsheet program that opens a CSV file would write this cell in another way. */
export function isRewritten(cell: string): boolean {
  return alterationLikelyFor(cell) !== undefined || /^\s*(?:\d{12,}|[=+-].+)$/s.test(cell);
}

const maxChars = 40;
/** `#NAME?`, `#DIV/0!`, `#N/A` and what a cell that is too narrow shows, in the languages of the programs: `#NV`, `#¡VALOR!`. */
const errorText = /^(?:#(?:[¡¿]?[\p{Lu}\d/]+[!?]|N\/?[A-Z]|#+)|Err:\d{3})$/u;
/** Rules out names, addresses and the like at once. */
const mayBeAltered = /^\s*[\d+.,-]|\d\s*$/i;
/** What programs write for true and false, in the languages of the people. */
const [wordsForTrue, wordsForFalse] = [
  "true wahr vrai verdadero vero verdadeiro waar prawda sant sand sann pravda igaz doğru истина",
  "false falsch faux falso onwaar fałsz falskt falsk usann nepravda hamis yanlış ложь",
].map((words) => new Set(words.split(" ")));
const zeroPadded = /^0\d+$/;
const scientific = /^[+-]?\d+(?:[.,](\d+))?e[+-]?\d{1,3}$/i;

/** The same text for the same number, which may have a decimal comma, or be a percentage. */
function plainNumber(text: string): string | undefined {
  const number = text.replace(",", ".");
  const [, sign = "", whole = "", fraction = ""] = percentage.exec(number) ?? [];
  if (whole + fraction === "") return plainDecimal(number);
  const digits = whole.padStart(2, "0");
  return plainDecimal(`${sign}${digits.slice(0, -2)}.${digits.slice(-2)}${fraction}`);
}

const percentage = /^([+-]?)(\d*)\.?(\d*)\s?%$/;

/** Only a person puts zeros back. */
function isSameNumber(was: string, is: string): boolean {
  const value = plainNumber(was);
  return value !== undefined && value === plainNumber(is) && !zeroPadded.test(is);
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
  const [value, now] = [plainNumber(was), plainNumber(is)];
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

/** The parts of a date in their order in the text; a month may be a word, which is `month`. */
interface WrittenDate {
  readonly parts: readonly (number | "month")[];
  readonly hasPoints: boolean;
  /** In minutes of half a day, as it may be a 12-hour time. */
  readonly time: number | undefined;
}

const dateAndTime =
  /^([\d\p{L}\-/., ]*?)(?:(?:^|[T ,] ?)(\d{1,2}):(\d\d)(?::\d\d(?:[.,]\d+)?)?(?: ?[ap]\.?m\.?)?(?:Z|[+-]\d\d:?\d\d)?)?$/iu;

/** Reads a text as a date whatever the order of its parts, as a part of a date, or as a time. */
function dateOf(text: string): WrittenDate | undefined {
  const [, day = "", hours, minutes] = dateAndTime.exec(text) ?? [];
  const time = hours === undefined ? undefined : (Number(hours) % 12) * 60 + Number(minutes);
  const words = day.match(/\d+|\p{L}+/gu) ?? [];
  const parts = words.map((part) => (/^\d/.test(part) ? Number(part) : "month"));
  const isDate =
    (words.length === 0 ? time !== undefined : words.length === 2 || words.length === 3) &&
    words.every((part) => /^(?:\d{1,4}|\p{L}{3,10})$/u.test(part)) &&
    parts.filter((part) => part === "month").length <= 1 &&
    parts.filter((part) => part !== "month" && part > 31).length <= 1;
  return isDate ? { parts, hasPoints: day.includes("."), time } : undefined;
}

/** 3/4 and 1-2 are not dates, and neither is the gene MARCH1. */
function hasBecomeDate(was: string, is: string): boolean {
  const isNone = dateOf(was)?.parts.length === 2 && (!/\p{L}/u.test(was) || /\p{L}\d/u.test(was));
  return isNone && dateOf(is)?.parts.includes("month") === true && isSameDate(was, is);
}

/** What a date may mean. Its month is undefined if it is a word, which may be that of any month. */
interface Reading {
  readonly year?: number;
  readonly month?: number | undefined;
  readonly day?: number;
}

type DatePart = keyof Reading;

/** In which orders people and programs write a date. */
const orders: readonly (readonly DatePart[])[] = [
  ["year", "month", "day"],
  ["day", "month", "year"],
  ["month", "day", "year"],
  ["year", "month"],
  ["month", "year"],
  ["month", "day"],
  ["day", "month"],
  [],
];

/** What a date may mean: `2024-02-03` one day, `2/3/24` two and more. Where dates have points, no month stands first. */
function readingsOf({ parts, hasPoints }: WrittenDate): Reading[] {
  const fits = (part: DatePart, at: number) => {
    const number = parts[at];
    if (number === "month") return part === "month";
    if (number === undefined) return false;
    return part === "year" || (number >= 1 && number <= (part === "month" ? 12 : 31));
  };
  return orders.flatMap((order) => {
    const isAmerican = order[0] === "month" && order[1] === "day";
    if (order.length !== parts.length || !order.every(fits)) return [];
    if (isAmerican && hasPoints && !parts.includes("month")) return [];
    const read = order.map((part, at) => [part, parts[at] === "month" ? undefined : parts[at]]);
    return [Object.fromEntries(read) as Reading];
  });
}

/** Whether two texts may be the same date, or one of them a part of it. */
function isSameDate(was: string, is: string): boolean {
  const [a, b] = [dateOf(was), dateOf(is)];
  if (isSerialOf(is, a) || isSerialOf(was, b)) return true;
  if (a === undefined || b === undefined) return false;
  if (a.time !== undefined && b.time !== undefined && a.time !== b.time) return false;
  const [fewer, more] = a.parts.length <= b.parts.length ? [a, b] : [b, a];
  if (more.parts.length - fewer.parts.length > 1) return false;
  const others = readingsOf(more);
  return readingsOf(fewer).some((one) => others.some((other) => isPartOf(one, other)));
}

/** Programs write months in the language of the user, and may cut a year to two digits, but keep the century of one. */
function isPartOf(one: Reading, other: Reading): boolean {
  return (Object.keys(one) as DatePart[]).every((part) => {
    const [mine, its] = [one[part], other[part]];
    if (!(part in other)) return false;
    if (mine === undefined || its === undefined || mine === its) return true;
    return part === "year" && mine % 100 === its % 100 && Math.min(mine, its) < 100;
  });
}

/** Whether a text is the number of that day in a spreadsheet program. */
function isSerialOf(text: string, date: WrittenDate | undefined): boolean {
  if (date === undefined || !/^[1-7]\d{4}$/.test(text)) return false;
  return readingsOf(date).some(({ year = Number.NaN, month = Number.NaN, day = Number.NaN }) => {
    return Date.UTC(year, month - 1, day) / dayMs + dayOf1970 === Number(text);
  });
}

const dayMs = 24 * 60 * 60 * 1000;
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
