import { createRequire } from "node:module";
import { dayMs } from "../model/clock.ts";
import { quote } from "../model/row.ts";

/** Luxon, loaded when a mapping first needs it: few do, and it takes as long as the rest of the mapping's code. */
export function luxon(): typeof import("luxon") {
  return createRequire(import.meta.url)("luxon");
}

/** A date and time as it is written; with the offset if the text has one. */
export interface CivilTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  /** Milliseconds since midnight; a whole day if the time is rounded up to the next midnight. */
  readonly timeMs: number;
  /** Further decimals of the second, behind the third. */
  readonly beyondMs?: string;
  /** Minutes east of UTC. */
  readonly offset?: number;
}

/** Reads a date in one format; undefined if the text has another form. */
export type DateReader = (text: string) => CivilTime | undefined;

/** Formats of digits are read without luxon, which takes ten times as long. */
export function compileDateFormat(format: string, pivotYear = 2060): DateReader {
  switch (format) {
    case "iso":
      return readIso;
    case "excel_serial":
      return readExcelSerial;
    case "X":
      return (text) => (/^-?\d{1,12}$/.test(text) ? ofInstant(Number(text) * 1000) : undefined);
    case "x":
      return (text) => (/^-?\d{1,15}$/.test(text) ? ofInstant(Number(text)) : undefined);
    default:
      return digitsReader(format) ?? luxonReader(format, pivotYear);
  }
}

const isoDate =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d(?::?\d\d)?)?)?$/;

/** The common forms of ISO 8601, also with a space for the T as databases have it. */
function readIso(text: string): CivilTime | undefined {
  if (text.length === "2024-05-31".length) return readIsoDay?.(text);
  const match = isoDate.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour = "0", minute = "0", second = "0", fraction = "", zone] = match;
  const ms = fraction.padEnd(3, "0").slice(0, 3);
  const toMs = civilTime([year, month, day, hour, minute, second, ms].map(Number));
  const civil = toMs && { ...toMs, ...beyondMsOf(fraction) };
  if (civil === undefined || zone === undefined) return civil;
  const offset = zone === "Z" ? 0 : minutesEast(zone.slice(0, 3), zone.slice(3).replace(":", ""));
  return offset === undefined ? undefined : { ...civil, offset };
}

/** What milliseconds cannot hold of the decimals of a second. */
function beyondMsOf(fraction: string): Pick<CivilTime, "beyondMs"> {
  const beyondMs = fraction.slice(3).replace(/(?<!0)0+$/, "");
  return beyondMs === "" ? {} : { beyondMs };
}

const maxOffsetMinutes = 14 * 60;

/** Minutes east of UTC; undefined if no place is that far. */
function minutesEast(signedHours: string, minutesText = ""): number | undefined {
  const minutes = Number(minutesText);
  const size = Number(signedHours.slice(1)) * 60 + minutes;
  if (size > maxOffsetMinutes || minutes > 59) return undefined;
  return signedHours.startsWith("-") ? -size : size;
}

/** Earlier years are slips and placeholders, such as 0000, 0001 and 0024. */
export const firstYear = 1000;

const maxExcelDay = 2_958_465; // 31 December 9999

/**
 * Days since 1900 as Excel counts them, with the time as a fraction. Excel has a 29 February 1900, its
 * day 60, which did not exist. The day stays the same if the time is rounded up to midnight. A sheet
 * has no time zones, so its times have no offset.
 */
function readExcelSerial(text: string): CivilTime | undefined {
  if (!/^\d{1,7}(?:\.\d+)?$/.test(text)) return undefined;
  const serial = Number(text);
  const day = Math.floor(serial);
  if (day < 1 || day === 60 || day > maxExcelDay) return undefined;
  const daysSince1970 = day - 25_569 + (day < 60 ? 1 : 0);
  const date = new Date(daysSince1970 * dayMs);
  const seconds = Math.round((serial - day) * 86_400);
  const maxSeconds = day === maxExcelDay ? 86_399 : 86_400;
  const timeMs = Math.min(seconds, maxSeconds) * 1000;
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    timeMs,
  };
}

function ofInstant(epochMs: number): CivilTime | undefined {
  const date = new Date(epochMs);
  const year = date.getUTCFullYear();
  if (!(year >= firstYear && year <= 9999)) return undefined;
  const timeMs = epochMs - Math.floor(epochMs / dayMs) * dayMs;
  return { year, month: date.getUTCMonth() + 1, day: date.getUTCDate(), timeMs, offset: 0 };
}

/** The place of a field in the numbers of {@link civilTime}, and its fewest and most digits. */
const digitFields: Readonly<Record<string, readonly [place: number, least: number, most: number]>> =
  {
    yyyy: [0, 4, 4],
    MM: [1, 2, 2],
    M: [1, 1, 2],
    dd: [2, 2, 2],
    d: [2, 1, 2],
    HH: [3, 2, 2],
    H: [3, 1, 2],
    mm: [4, 2, 2],
    m: [4, 1, 2],
    ss: [5, 2, 2],
    s: [5, 1, 2],
    SSS: [6, 3, 3],
  };

/**
 * A reader for a format that has only digits; undefined for other formats, and where a field of one or two digits
 * stands before a digit.
 */
function digitsReader(format: string): DateReader | undefined {
  /** Fields, and single characters between them. */
  const parts: (string | (typeof digitFields)[string])[] = [];
  for (const [part, letters, quoted] of format.matchAll(/([A-Za-z])\1*|'([^']*)'|[^A-Za-z']/gu)) {
    const field = digitFields[part];
    if (letters === undefined) parts.push(...(quoted ?? part).split(""));
    else if (field === undefined) return undefined;
    else parts.push(field);
  }
  const isUnclear = parts.some((part, at) => {
    const next = parts[at + 1];
    const isBeforeDigit = typeof next === "object" || /^\d/.test(next ?? "");
    return typeof part === "object" && part[1] < part[2] && isBeforeDigit;
  });
  if (isUnclear) return undefined;
  const numbers = [0, 0, 0, 0, 0, 0, 0];
  return (text) => {
    let at = 0;
    for (const part of parts) {
      if (typeof part === "string") {
        const sign = text[at++];
        if (sign !== part && sign?.toLowerCase() !== part.toLowerCase()) return undefined;
        continue;
      }
      const [place, least, most] = part;
      const from = at;
      let number = 0;
      for (; at < from + most; at++) {
        const digit = text.charCodeAt(at) - 0x30;
        if (!(digit >= 0 && digit <= 9)) break;
        number = number * 10 + digit;
      }
      if (at - from < least) return undefined;
      numbers[place] = number;
    }
    return at === text.length ? civilTime(numbers) : undefined;
  };
}

/** Most dates have no time of day: reading only the day takes a fifth of the time. */
const readIsoDay = digitsReader("yyyy-MM-dd");

const parsing = { locale: "en", numberingSystem: "latn", zone: "UTC", setZone: true } as const;

/**
 * Luxon moves a time that its zone skipped, and accepts 13:30 AM and +02:75. So it reads the fields as
 * UTC, and this reads offset and half-day hours from the text itself.
 */
function luxonReader(format: string, pivotYear: number): DateReader {
  const { DateTime } = luxon();
  const { tokens, regex } = DateTime.fromFormatExplain("", format, parsing);
  if (regex === undefined) throw new Error(`luxon does not read ${format}`);
  const parser = DateTime.buildFormatParser(format, parsing);
  return (text) => {
    const match = regex.exec(text);
    if (match === null) return undefined;
    let inUtc = "";
    let group = 1;
    let offset: number | undefined;
    let fraction = "";
    for (const { literal, val } of tokens) {
      const written = match[group++] ?? "";
      const letter = literal ? "" : val.charAt(0);
      if (letter === "h" && !(Number(written) >= 1 && Number(written) <= 12)) return undefined;
      // Luxon accepts two to four digits for yy.
      if (letter === "y" && written.length !== val.length) return undefined;
      if (letter === "y" && written.length === 2) {
        const yearsBefore = (pivotYear - Number(written)) % 100;
        inUtc += Math.floor((pivotYear - yearsBefore) / 100);
      }
      if (letter === "u") fraction = written;
      if (letter === "Z") {
        // Luxon has groups for the hours and the minutes too.
        offset = minutesEast(match[group++] ?? "", match[group++]);
        if (offset === undefined) return undefined;
        inUtc += "+00";
      } else inUtc += written;
    }
    const date = DateTime.fromFormatParser(inUtc, parser, parsing);
    if (!date.isValid || date.year < firstYear || date.year > 9999) return undefined;
    const { year, month, day, hour, minute, second, millisecond } = date;
    const timeMs = ((hour * 60 + minute) * 60 + second) * 1000 + millisecond;
    const civil = { year, month, day, timeMs, ...beyondMsOf(fraction) };
    return offset === undefined ? civil : { ...civil, offset };
  };
}

const daysInMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Undefined if there is no such day or time. @param numbers year, month, day, hour, minute, second, millisecond */
function civilTime(numbers: readonly number[]): CivilTime | undefined {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, millisecond = 0] = numbers;
  if (year < firstYear) return undefined;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && isLeap ? 29 : (daysInMonth[month - 1] ?? 0);
  if (day < 1 || day > days || hour > 23 || minute > 59 || second > 59) return undefined;
  const timeMs = ((hour * 60 + minute) * 60 + second) * 1000 + millisecond;
  return { year, month, day, timeMs };
}

const namedDateFormats = ["iso", "excel_serial", "X", "x"] as const;

/** Luxon's fields, without those that are ambiguous or cannot be parsed. */
const isField = /^(?:y{4}|yy|M{1,4}|d{1,2}|E{3,4}|H{1,2}|h{1,2}|m{1,2}|s{1,2}|SSS|u|a|Z{1,3})$/;
const meaningOfToken: Readonly<Record<string, string>> = {
  E: "day of the week",
  H: "hour",
  M: "month",
  S: "milliseconds",
  Z: "offset",
  a: "half of the day",
  d: "day",
  h: "hour",
  m: "minute",
  s: "second",
  u: "fraction of a second",
  y: "year",
};
export function hasTwoDigitYear(format: string): boolean {
  return /(?<!y)yy(?!y)/.test(format.replaceAll(/'[^']*'/g, " "));
}

/** Longer than any real format. Luxon builds a regular expression from it. */
const maxFormatCharacters = 200;

/**
 * What is wrong with a date format, and the one that is meant; undefined if it is valid: it has year, month and
 * day, no field twice, no unknown letter, and minutes only after hours.
 */
export function describeDateFormatProblem(format: string): string | undefined {
  if (format.length > maxFormatCharacters) {
    return `is longer than ${maxFormatCharacters} characters: shorten it`;
  }
  const problem = findProblem(format);
  if (problem === undefined) return undefined;
  const meant = formatMeant(format);
  return `${problem.why}: ${findProblem(meant) === undefined ? `write ${meant}` : problem.hint}`;
}

function findProblem(format: string): { readonly why: string; readonly hint: string } | undefined {
  if (namedDateFormats.some((name) => name === format)) return undefined;
  const unquoted = format.replaceAll(/'[^']*'/g, " ");
  if (unquoted.includes("'"))
    return { why: "opens a quote (') that is never closed", hint: "close it" };
  const runs: readonly string[] = unquoted.match(/([A-Za-z])\1*/g) ?? [];
  const [unknown, ...more] = runs.filter((run) => !isField.test(run));
  if (unknown !== undefined) {
    const are = more.length === 0 ? "is no part" : "are no parts";
    const why = `has ${[...new Set([unknown, ...more])].join(", ")}, which ${are} of a date`;
    const hint = unknown.startsWith("z")
      ? "names of time zones are not read; use ZZ for an offset, or the key timezone"
      : `for letters that mean themselves, write '${unknown}'`;
    return { why, hint };
  }
  const first = (letter: string) => runs.findIndex((run) => run.startsWith(letter));
  // A repeated field could be matched in endless ways.
  const again = runs.find((run, at) => first(run.charAt(0)) < at);
  if (again !== undefined) {
    const both = `${runs[first(again.charAt(0))]} and ${again}`;
    const why = `has ${both}, both for the ${meaningOfToken[again.charAt(0)]}`;
    return { why, hint: "keep one (MM is the month, mm are minutes)" };
  }
  // In `dd/mm/yyyy HH:MM` they have changed places with the month.
  const minutes = first("m");
  const isAfterHours = /^h/i.test(runs[minutes - 1] ?? "");
  if (minutes >= 0 && !isAfterHours) {
    const why = "has minutes (mm) that do not follow the hours";
    return { why, hint: "the month is MM; minutes stand after HH" };
  }
  const missing = ["y", "M", "d"].find((letter) => first(letter) < 0);
  if (missing !== undefined) {
    const hint = `add ${missing === "y" ? "yyyy" : missing.repeat(2)}`;
    return { why: `has no ${meaningOfToken[missing]}`, hint };
  }
  const [hasHalf, hasHour, hasHourOfHalf] = ["a", "H", "h"].map((letter) => first(letter) >= 0);
  if (hasHalf === hasHourOfHalf && !(hasHalf && hasHour)) return undefined;
  const why = "mixes the hours of a day (HH) with those of half a day (hh and a)";
  return { why, hint: "use HH, or hh with a" };
}

/** A format with the letters that are meant: `DD.MM.YYYY` with small ones, and MM and mm in each other's place. */
function formatMeant(format: string): string {
  let before = "";
  return format.replaceAll(/'[^']*'|([A-Za-z])\1*/g, (run, letter?: string) => {
    if (letter === undefined) return run;
    const isAfterHours = /h/i.test(before);
    before = letter;
    if (/m/i.test(letter)) return isAfterHours ? run.toLowerCase() : run.toUpperCase();
    return /[dy]/i.test(letter) ? run.toLowerCase() : run;
  });
}

/**
 * Which of several formats reads a date that is written in another one as a different day; undefined if none does.
 * `X` and `x` are recognised by the size of the number, so they never clash.
 */
export function describeFormatClash(formats: readonly string[], pivotYear: number) {
  // Each of its parts may be the day, the month or a year of two digits.
  const probe = luxon().DateTime.utc(2012, 11, 10, { locale: "en", numberingSystem: "latn" });
  const readers = formats.map((format) => compileDateFormat(format, pivotYear));
  for (const format of formats) {
    if (format !== "iso" && namedDateFormats.some((name) => name === format)) continue;
    const text = probe.toFormat(format === "iso" ? "yyyy-MM-dd" : format);
    const days = readers.map((read) => {
      const date = read(text);
      return date && `${date.year}-${date.month}-${date.day}`;
    });
    const day = days[formats.indexOf(format)];
    const other = formats[days.findIndex((one) => one !== undefined && one !== day)];
    if (other !== undefined)
      return `${quote(format)} and ${quote(other)} read ${text} as different days: keep one`;
  }
  return undefined;
}

/** A format with day and month in the other order; undefined if it shows which is which. */
export function inOtherOrder(format: string): string | undefined {
  const swapped = format.replace(/^(dd?|MM?)([/.-])(dd?|MM?)(?=\2)/, "$3$2$1");
  return swapped === format ? undefined : swapped;
}
