/*
 * Our own, and not `numfmt` (tried in 4.0.1): that gives what a screen shows, and an import needs what the cell holds.
 * It shows 1.5 in `00000` as 00002, 1234.5678 in `#,##0.00` as 1,234.57, 0.125 in `0%` as 13%, and a date as 1/2/24.
 */

import { dayMs } from "../../model/clock.ts";
import { withoutExponent } from "../../model/decimal.ts";
import type { CellValue } from "./sheet.ts";

/** How a number format shows a number, as far as it changes what the number means. */
export type NumberDisplay =
  | { readonly kind: "plain" }
  /** A point in time; `hasDay` where the format shows a day, `hasTime` where it shows a time of day. */
  | { readonly kind: "moment"; readonly hasDay: boolean; readonly hasTime: boolean }
  /** Hours, minutes or seconds that count beyond a day. */
  | { readonly kind: "duration" }
  /** Digits that are always there, such as `00000`, with what stands between them. */
  | DigitsForm
  /** A form for some numbers, and another for others. */
  | { readonly kind: "choice"; readonly formFor: (number: number) => NumberDisplay };

interface DigitsForm {
  readonly kind: "digits";
  readonly pattern: DigitPattern;
  readonly decimals: number;
}

/** Literals, and places of digits with what is there if the number has none: `0` or nothing. */
type DigitPattern = readonly (string | { readonly otherwise: string })[];

export const plainDisplay: NumberDisplay = { kind: "plain" };

export type DateSystem = "1900" | "1904";

/**
 * A number of a cell as text: a date or time as ISO 8601, a number that is shown with leading zeros
 * as it is shown, any other as it is stored, without exponent. One that is shown as a date but is
 * none has no value: as a number it would mean something else.
 *
 * @param stored as the workbook has it
 * @returns undefined if it is no number
 */
export function readNumber(
  stored: string,
  form: NumberDisplay,
  system: DateSystem,
): CellValue | undefined {
  const digits = plainDigits(stored);
  if (digits === undefined) return undefined;
  switch (form.kind) {
    case "plain":
      return { text: digits };
    case "moment": {
      const text = momentText(Number(stored), form, system);
      return text === undefined
        ? { text: digits, flaw: noSuchDate(Number(stored), system) }
        : { text };
    }
    case "duration":
      return { text: durationText(Number(stored)) };
    case "choice":
      return readNumber(stored, form.formFor(Number(stored)), system);
    case "digits":
      return { text: fillDigits(form, digits) ?? digits };
    default:
      return form satisfies never;
  }
}

function noSuchDate(serial: number, system: DateSystem): string {
  const stands = isLeapDay1900(serial, system)
    ? "1900-02-29, which never existed"
    : `none from ${system}-01-01 to 9999-12-31`;
  return `has the format of a date, and stands for ${stands}: enter the date as text, such as 1850-05-06, or give the cell a number format, and save the file again`;
}

/** Digits that a spreadsheet program shows of a number; what is stored beyond them is rounding. */
const shownDigits = 15;

/** A number without exponent. A whole one keeps all its digits, any other 15: 0.1 + 0.2 is 0.30000000000000004. */
function plainDigits(stored: string): string | undefined {
  const text = stored.trim();
  if (/^(0|-?[1-9]\d*)$/.test(text)) return text;
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i.test(text)) return undefined;
  const value = Number(text);
  if (!Number.isFinite(value)) return undefined;
  if (value === 0) return "0";
  if (Number.isSafeInteger(value)) return withoutExponent(value);
  const shown = Number(value.toPrecision(shownDigits));
  return withoutExponent(Number.isFinite(shown) ? shown : value);
}

const lastMs = Date.UTC(10000, 0, 1) - 1;
/** 1900-02-29 never was: Lotus 1-2-3 took 1900 for a leap year, and all programs since have copied that. */
const leapDay1900 = 60;

function isLeapDay1900(serial: number, system: DateSystem): boolean {
  return system === "1900" && Math.floor(serial) === leapDay1900;
}

function momentText(
  serial: number,
  { hasDay, hasTime }: { readonly hasDay: boolean; readonly hasTime: boolean },
  system: DateSystem,
): string | undefined {
  if (serial < 0) return undefined;
  const firstDay = system === "1904" ? 0 : 1;
  if (serial < 1 && hasTime && (!hasDay || system === "1900")) {
    return durationText(Math.round(serial * dayMs) / dayMs);
  }
  if (serial < firstDay) return undefined;
  if (isLeapDay1900(serial, system)) return undefined;
  const ms = dayZero(serial, system) + Math.round(serial * dayMs);
  return ms > lastMs ? undefined : isoMomentText(new Date(ms).toISOString());
}

function dayZero(serial: number, system: DateSystem): number {
  if (system === "1904") return Date.UTC(1904, 0, 1);
  return serial < leapDay1900 ? Date.UTC(1899, 11, 31) : Date.UTC(1899, 11, 30);
}

/** A moment of ISO 8601 without zone, midnight and zero fraction; undefined if there is no such day. */
export function isoMomentText(stored: string): string | undefined {
  const form =
    /^(\d{4,5}-\d\d-\d\d)(?:T((?:[01]\d|2[0-3]):[0-5]\d)(?::([0-5]\d)(?:\.(\d+))?)?Z?)?$/;
  const found = form.exec(stored);
  if (found === null) return undefined;
  const [year = 0, month = 0, day = 0] = (found[1] ?? "").split("-").map(Number);
  if (new Date(Date.UTC(year, month - 1, day)).getUTCDate() !== day || month > 12) return undefined;
  const [, date = "", minutes = "00:00", seconds = "00", fraction = ""] = found;
  const ms = fraction.slice(0, 3).padEnd(3, "0");
  const time = `${minutes}:${seconds}${ms === "000" ? "" : `.${ms}`}`;
  return time === "00:00:00" ? date : `${date}T${time}`;
}

/** `36:00:00` for a day and a half. */
export function durationText(days: number): string {
  const total = Math.round(Math.abs(days) * dayMs);
  const two = (count: number) => String(Math.floor(count)).padStart(2, "0");
  const ms = String(total % 1000).padStart(3, "0");
  const text = `${two(total / 3_600_000)}:${two((total / 60_000) % 60)}:${two((total / 1000) % 60)}`;
  return `${days < 0 ? "-" : ""}${text}${ms === "000" ? "" : `.${ms}`}`;
}

/** Blanks at the ends of a pattern are room for a bracket or a sign that other numbers have. */
export function patternForm(pattern: DigitPattern, decimals: number): NumberDisplay {
  const hasInk = (part: DigitPattern[number]) => typeof part !== "string" || part.trim() !== "";
  const inked = pattern.slice(pattern.findIndex(hasInk), pattern.findLastIndex(hasInk) + 1);
  if (inked.filter((part) => typeof part !== "string").length < 2) return plainDisplay;
  const trimmed = inked.map((part, at) => {
    if (typeof part !== "string") return part;
    const begun = at === 0 ? part.trimStart() : part;
    return at === inked.length - 1 ? begun.trimEnd() : begun;
  });
  return { kind: "digits", pattern: trimmed, decimals };
}

/**
 * A number as its zeros show it: `172` in `00000` is `00172`. Undefined if that would not show the
 * whole of it, such as a fraction in a format without decimals.
 */
function fillDigits(form: DigitsForm, digits: string): string | undefined {
  if (!digits.startsWith("-")) return fillPattern(form, digits);
  const filled = fillPattern(form, digits.slice(1));
  return filled === undefined ? undefined : `-${filled}`;
}

function fillPattern({ pattern, decimals }: DigitsForm, digits: string): string | undefined {
  const [whole = "", fraction = ""] = digits.split(".");
  if (fraction.length > decimals) return undefined;
  let at = whole.length - pattern.filter((part) => typeof part !== "string").length;
  let shown = "";
  let isFirst = true;
  for (const part of pattern) {
    if (typeof part === "string") {
      shown += part;
      continue;
    }
    // Digits beyond the pattern stand before it.
    shown += at < 0 ? part.otherwise : whole.slice(isFirst ? 0 : at, at + 1);
    isFirst = false;
    at++;
  }
  return decimals === 0 ? shown : `${shown}.${fraction.padEnd(decimals, "0")}`;
}
