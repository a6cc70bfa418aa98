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

/** What a program has done to a cell; undefined if only a person would change it so. */
export function alterationOf(before: string, after: string): Alteration | undefined {
  const [was, is] = [before.trim(), after.trim()];
  if (was === is || was === "" || is === "") return undefined;
  if (isGarbled(was, is)) return "letters";
  if (errorText.test(is) && !errorText.test(was)) return "error";
  if (Math.max(was.length, is.length) > maxChars) return undefined;
  return numberAlteration(was, is) ?? dateAlteration(was, is);
}

/** What a program would have done to a cell that has not changed. */
export function alterationLikelyFor(cell: string): Alteration | undefined {
  const text = cell.length > maxChars ? "" : cell.trim();
  if (booleanOf(text) !== undefined) return "number";
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

/** Numbers and dates are short. */
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
const whole = /^[+-]?\d+$/;

function numberAlteration(was: string, is: string): Alteration | undefined {
  if (scientific.test(is)) return isExponentOf(was, is) ? "exponent" : undefined;
  if (was.startsWith("=")) return isComputed(is) ? "formula" : undefined;
  const truth = booleanOf(was);
  if (truth !== undefined) return booleanOf(is) === truth ? "number" : undefined;
  const [value, valueNow] = [plainNumber(was), plainNumber(is)];
  if (value === undefined || valueNow === undefined) return undefined;
  if (value !== valueNow) return hasLostDigits(value, valueNow) ? "digits" : undefined;
  // Only a person puts zeros back.
  if (zeroPadded.test(is)) return undefined;
  return zeroPadded.test(was) ? "zeros" : "number";
}

/** Whether a text is what a program makes of a formula. */
function isComputed(text: string): boolean {
  return plainNumber(text) !== undefined || booleanOf(text) !== undefined;
}

function booleanOf(text: string): boolean | undefined {
  const word = text.toLowerCase();
  return wordsForTrue?.has(word) ? true : wordsForFalse?.has(word) ? false : undefined;
}

/** Whether a number was shortened to one with an exponent, such as 1234567890123456 to 1.23E+15. */
function isExponentOf(was: string, is: string): boolean {
  const number = Number(was.replace(",", "."));
  const decimals = scientific.exec(is)?.[1]?.length ?? 0;
  return number.toExponential(decimals) === Number(is.replace(",", ".")).toExponential(decimals);
}

/** Programs keep 15 or 17 digits, and show fewer decimals. */
function hasLostDigits(value: string, now: string): boolean {
  if (whole.test(value)) {
    const [digits, kept] = [value, now].map((one) => one.replace("-", "")) as [string, string];
    if (digits.length < 16 || digits.length !== kept.length) return false;
    const isCutOff = digits.slice(0, 15) === kept.slice(0, 15) && /^0+$/.test(kept.slice(15));
    return isCutOff || BigInt(Number(digits)).toString() === kept;
  }
  const decimals = now.split(".")[1]?.length ?? 0;
  return now.length >= 9 && Number(value).toFixed(decimals) === Number(now).toFixed(decimals);
}

/** The same text for the same number, which may have a decimal comma, or be a percentage. */
function plainNumber(text: string): string | undefined {
  const number = text.replace(",", ".");
  const [, sign = "", whole = "", fraction = ""] = percentage.exec(number) ?? [];
  if (whole + fraction === "") return plainDecimal(number);
  const digits = whole.padStart(2, "0");
  return plainDecimal(`${sign}${digits.slice(0, -2)}.${digits.slice(-2)}${fraction}`);
}

const percentage = /^([+-]?)(\d*)\.?(\d*)\s?%$/;

/** The parts of a date in their order in the text; a month may be a word. */
interface WrittenDate {
  readonly parts: readonly (number | string)[];
  /** In minutes of half a day, as it may be a 12-hour time. */
  readonly time: number | undefined;
  readonly hasWord: boolean;
}

function dateAlteration(was: string, is: string): Alteration | undefined {
  const [a, b] = [dateOf(was), dateOf(is)];
  if (a !== undefined && isSerialOf(is, a)) return "date";
  if (b !== undefined && isSerialOf(was, b)) return "date";
  if (a === undefined || b === undefined || !isSameDate(a, b)) return undefined;
  // 3/4 and 1-2 are not dates, and neither is the gene MARCH1.
  const wasNoDate = a.parts.length === 2 && (!a.hasWord || /\p{L}\d/u.test(was));
  return wasNoDate && b.hasWord ? "becameDate" : "date";
}

const dateAndTime =
  /^(.*?)(?:(?:^|[T ,] ?)(\d{1,2}):(\d\d)(?::\d\d(?:[.,]\d+)?)?(?: ?[ap]\.?m\.?)?(?:Z|[+-]\d\d:?\d\d)?)?$/i;
const dayForm = /^[\d\p{L}\-/., ]*$/u;

/** Reads a text as a date whatever the order of its parts, as a part of a date, or as a time. */
function dateOf(text: string): WrittenDate | undefined {
  const [, day = "", hours, minutes] = dateAndTime.exec(text) ?? [];
  const time = hours === undefined ? undefined : (Number(hours) % 12) * 60 + Number(minutes);
  const parts = (day.match(/\d+|\p{L}+/gu) ?? []).map((part) =>
    /^\d/.test(part) ? (part.length > 4 ? Number.NaN : Number(part)) : part.toLowerCase(),
  );
  if (!dayForm.test(day) || parts.length === 1 || parts.length > 3) return undefined;
  if (parts.length === 0) return time === undefined ? undefined : { parts, time, hasWord: false };
  const words = parts.filter((part) => typeof part === "string");
  const large = parts.filter((part) => typeof part !== "string" && !(part <= 31));
  if (words.length > 1 || large.length > 1 || parts.some((part) => Number.isNaN(part))) {
    return undefined;
  }
  if (words.some(({ length }) => length < 3 || length > 10)) return undefined;
  return { parts, time, hasWord: words.length > 0 };
}

/** Whether all parts of one date are in the other, in any order; one part may be missing. */
function isSameDate(a: WrittenDate, b: WrittenDate): boolean {
  const isOtherTime = a.time !== undefined && b.time !== undefined && a.time !== b.time;
  if (isOtherTime || Math.abs(a.parts.length - b.parts.length) > 1) return false;
  const [fewer, more] =
    a.parts.length <= b.parts.length ? [a.parts, b.parts] : ([b.parts, a.parts] as const);
  const left = [...more];
  const numbersFirst = fewer.toSorted((one) => (typeof one === "string" ? 1 : -1));
  return numbersFirst.every((part) => {
    const exact = left.findIndex((other) => isSamePart(part, other));
    const at = exact >= 0 ? exact : left.findIndex((other) => isMonthOf(part, other));
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

function isSamePart(one: number | string, other: number | string): boolean {
  if (typeof one === "number" && typeof other === "number") return one % 100 === other % 100;
  return typeof one === "string" && typeof other === "string";
}

/** Any word may be the month of a number: programs write months in the language of the user. */
function isMonthOf(one: number | string, other: number | string): boolean {
  const number = typeof one === "number" ? one : other;
  return typeof one !== typeof other && typeof number === "number" && number >= 1 && number <= 12;
}

/** Whether a text is the number of that day in a spreadsheet program. */
function isSerialOf(text: string, { parts }: WrittenDate): boolean {
  if (!/^[1-7]\d{4}$/.test(text)) return false;
  const [first = 0, second = 0, third = 0] = parts.map(Number);
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
      const isLost =
        beyondAscii.test(letter) && (lettersNow[at] === "?" || lettersNow[at] === "\ufffd");
      return isLost || letter === lettersNow[at];
    })
  );
}

const beyondAscii = /\P{ASCII}/u;
