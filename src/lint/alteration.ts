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
  return isDate ? { parts, time } : undefined;
}

/** 3/4 and 1-2 are not dates, and neither is the gene MARCH1. */
function hasBecomeDate(was: string, is: string): boolean {
  const isNone = dateOf(was)?.parts.length === 2 && (!/\p{L}/u.test(was) || /\p{L}\d/u.test(was));
  return isNone && dateOf(is)?.parts.includes("month") === true && isSameDate(was, is);
}

/** Whether all parts of one date are in the other, in any order; one part may be missing. */
function isSameDate(was: string, is: string): boolean {
  const [a, b] = [dateOf(was), dateOf(is)];
  if (isSerialOf(is, a) || isSerialOf(was, b)) return true;
  if (a === undefined || b === undefined) return false;
  if (a.time !== undefined && b.time !== undefined && a.time !== b.time) return false;
  const [fewer, more] = a.parts.length <= b.parts.length ? [a, b] : [b, a];
  if (more.parts.length - fewer.parts.length > 1) return false;
  const left = [...more.parts];
  // The year, the day and a month as a number first: any other number may be the month that is a word.
  return fewer.parts
    .toSorted((one) => (one === "month" ? 1 : -1))
    .every((part) => {
      const exact = left.findIndex((other) => isSamePart(part, other));
      const at = exact >= 0 ? exact : left.findIndex((other) => isMonthOf(part, other));
      if (at >= 0) left.splice(at, 1);
      return at >= 0;
    });
}

type Part = WrittenDate["parts"][number];

function isSamePart(one: Part, other: Part): boolean {
  return one === other || (one !== "month" && other !== "month" && one % 100 === other % 100);
}

/** Any word may be the month of a number: programs write months in the language of the user. */
function isMonthOf(one: Part, other: Part): boolean {
  const number = one === "month" ? other : one;
  return (one === "month") !== (other === "month") && Number(number) >= 1 && Number(number) <= 12;
}

/** Whether a text is the number of that day in a spreadsheet program. */
function isSerialOf(text: string, date: WrittenDate | undefined): boolean {
  if (date === undefined || !/^[1-7]\d{4}$/.test(text)) return false;
  const [first = 0, second = 0, third = 0] = date.parts.map(Number);
  const [year, one, two] = first > 31 ? [first, second, third] : [third, first, second];
  const days = [Date.UTC(year, one - 1, two), Date.UTC(year, two - 1, one)];
  return days.some((time) => time / dayMs + dayOf1970 === Number(text));
}

const dayMs = 24 * 60 * 60 * 1000;
const dayOf1970 = 25_569;

/** Whether letters were read in a wrong encoding, or replaced because the encoding does not have them. */
function isGarbled(was: string, is: string): boolean {
  if (!beyondAscii.test(was)) return false;
  if (undoDoubleEncoding(is) === was) return true;
  const [letters, lettersNow] = [[...was], [...is]];
  return (
    letters.length === lettersNow.length &&
    letters.every((letter, at) => {
      const now = lettersNow[at];
      return letter === now || (beyondAscii.test(letter) && (now === "?" || now === "\ufffd"));
    })
  );
}

const beyondAscii = /\P{ASCII}/u;
