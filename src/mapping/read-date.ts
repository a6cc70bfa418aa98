import { DateTime } from "luxon";

/** A date with its time as it is written; the offset is there where the text says it. */
export interface CivilTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  /** Milliseconds since midnight. */
  readonly timeMs: number;
  /** Minutes east of UTC. */
  readonly offset?: number;
}

/** Reads a date in one format; nothing where the text is none. */
export type DateReader = (text: string) => CivilTime | undefined;

/** Compiles a format of dates. Formats of digits only are read without luxon, which takes ten times as long. */
export function compileDateFormat(format: string): DateReader {
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
      return digitsReader(format) ?? luxonReader(format);
  }
}

const isoDate =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d(?::?\d\d)?)?)?$/;

/** The common forms of ISO 8601, also with a space for the T as databases have it. */
function readIso(text: string): CivilTime | undefined {
  const match = isoDate.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour = "0", minute = "0", second = "0", fraction = "", zone] = match;
  const civil = civilTime(
    Number(year),
    Number(month),
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
    Number(fraction.padEnd(3, "0").slice(0, 3)),
  );
  if (civil === undefined || zone === undefined) return civil;
  const offset = offsetOf(zone);
  return offset === undefined ? undefined : { ...civil, offset };
}

function offsetOf(zone: string): number | undefined {
  if (zone === "Z") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(":", "") || "0");
  if (hours > 14 || minutes > 59) return undefined;
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes);
}

const dayMs = 86_400_000;
const latestExcelDay = 2_958_465; // 31 December 9999

/**
 * Days since 1900 as Excel counts them, with the time as a fraction. Excel has a 29 February 1900, its
 * day 60, which never was.
 */
function readExcelSerial(text: string): CivilTime | undefined {
  if (!/^\d{1,7}(?:\.\d+)?$/.test(text)) return undefined;
  const serial = Number(text);
  const day = Math.floor(serial);
  if (day < 1 || day === 60 || day > latestExcelDay) return undefined;
  const daysSince1970 = day - 25_569 + (day < 60 ? 1 : 0);
  return ofInstant(daysSince1970 * dayMs + Math.round((serial - day) * 86_400) * 1000);
}

function ofInstant(epochMs: number): CivilTime | undefined {
  const date = new Date(epochMs);
  const year = date.getUTCFullYear();
  if (!(year >= 0 && year <= 9999)) return undefined;
  const timeMs = epochMs - Math.floor(epochMs / dayMs) * dayMs;
  return { year, month: date.getUTCMonth() + 1, day: date.getUTCDate(), timeMs, offset: 0 };
}

type Field = "year" | "month" | "day" | "hour" | "minute" | "second" | "millisecond";

const digitFields: Readonly<Record<string, readonly [Field, string]>> = {
  yyyy: ["year", "(\\d{4})"],
  MM: ["month", "(\\d\\d)"],
  M: ["month", "(\\d{1,2})"],
  dd: ["day", "(\\d\\d)"],
  d: ["day", "(\\d{1,2})"],
  HH: ["hour", "(\\d\\d)"],
  H: ["hour", "(\\d{1,2})"],
  mm: ["minute", "(\\d\\d)"],
  m: ["minute", "(\\d{1,2})"],
  ss: ["second", "(\\d\\d)"],
  s: ["second", "(\\d{1,2})"],
  SSS: ["millisecond", "(\\d{3})"],
};

/** A reader for a format of fields that are digits; nothing where it has others. */
function digitsReader(format: string): DateReader | undefined {
  const places: Partial<Record<Field, number>> = {};
  let source = "";
  let groups = 0;
  for (const [part, letters, quoted] of format.matchAll(/([A-Za-z])\1*|'([^']*)'|[^A-Za-z']/gu)) {
    if (letters === undefined) {
      source += (quoted ?? part).replaceAll(
        /[^\p{L}\p{N}]/gu,
        (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`,
      );
      continue;
    }
    const field = digitFields[part];
    if (field === undefined || places[field[0]] !== undefined) return undefined;
    source += field[1];
    places[field[0]] = ++groups;
  }
  const whole = new RegExp(`^${source}$`, "iu");
  const { year = 0, month = 0, day = 0, hour, minute, second, millisecond } = places;
  const at = (match: RegExpExecArray, place: number | undefined) =>
    place === undefined ? 0 : Number(match[place]);
  return (text) => {
    const match = whole.exec(text);
    if (match === null) return undefined;
    return civilTime(
      ...([at(match, year), at(match, month), at(match, day)] as const),
      ...([at(match, hour), at(match, minute), at(match, second), at(match, millisecond)] as const),
    );
  };
}

const parsing = { locale: "en", numberingSystem: "latn", zone: "UTC", setZone: true } as const;

function luxonReader(format: string): DateReader {
  const hasZone = /^(?:'[^']*'|[^'])*?[Zz]/.test(format);
  const parser = DateTime.buildFormatParser(format, parsing);
  return (text) => {
    const date = DateTime.fromFormatParser(text, parser, parsing);
    if (!date.isValid || date.year < 0 || date.year > 9999) return undefined;
    const { year, month, day, hour, minute, second, millisecond, offset } = date;
    const timeMs = ((hour * 60 + minute) * 60 + second) * 1000 + millisecond;
    return { year, month, day, timeMs, ...(hasZone ? { offset } : {}) };
  };
}

const daysInMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Nothing where there is no such day or time. */
function civilTime(
  ...[year, month, day, hour, minute, second, millisecond]: [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ]
): CivilTime | undefined {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && isLeap ? 29 : (daysInMonth[month - 1] ?? 0);
  if (day < 1 || day > days || hour > 23 || minute > 59 || second > 59) return undefined;
  const timeMs = ((hour * 60 + minute) * 60 + second) * 1000 + millisecond;
  return { year, month, day, timeMs };
}
