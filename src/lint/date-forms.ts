import type { Place } from "../model/place.ts";
import { isDigit } from "./cell-rule.ts";
import { createOccurrences, type Occurrences } from "./occurrences.ts";

/** How a date is written, apart from the order of day and month. */
export type DateForm =
  /** `2024-12-31`; of a day and a month above nine nobody sees whether zeros are written. */
  | { readonly kind: "iso"; readonly hasZero: boolean }
  | { readonly kind: "year_first"; readonly separator: string }
  | {
      readonly kind: "numeric";
      readonly separator: string;
      readonly hasCentury: boolean;
      /** Whether its first two numbers have a leading zero. */
      readonly padding: readonly [Padding, Padding];
    }
  /** `45325`: the number of a day in a spreadsheet program. */
  | { readonly kind: "serial" }
  /** `3-Feb-24`; partial if year or day is lost: `3-Feb`, `Feb-24`. */
  | { readonly kind: "named"; readonly isPartial: boolean; readonly hasCentury: boolean };

/** `03` is padded, `3` is bare, `13` is neither. */
export type Padding = "padded" | "bare" | "neither";

/** The dates of one form in a column. */
export interface FormTally {
  readonly form: DateForm;
  all: number;
  readonly example: string;
  /** Those in rows that are sent. */
  readonly sent: Occurrences;
}

export interface DateForms {
  add(form: DateForm, cell: string, place: Place, isSent: boolean): void;
  /** In the order of their first dates. */
  readonly tallies: readonly FormTally[];
}

export function createDateForms(): DateForms {
  const byForm = new Map<DateForm, FormTally>();
  const tallies: FormTally[] = [];
  let last: FormTally | undefined;

  const tallyOf = (form: DateForm, cell: string): FormTally => {
    const known = byForm.get(form);
    if (known !== undefined) return known;
    const created = { form, all: 0, example: cell, sent: createOccurrences() };
    byForm.set(form, created);
    tallies.push(created);
    return created;
  };

  return {
    tallies,
    add(form, cell, place, isSent) {
      // Most dates have the form of the one before.
      if (last?.form !== form) last = tallyOf(form, cell);
      last.all++;
      if (isSent) last.sent.add(place, cell);
    },
  };
}

/** Each form is one object, so that forms can be compared by identity. */
const numericForms = ["/", ".", "-"].map((separator) =>
  [true, false].map((hasCentury) =>
    paddings().map((first) =>
      paddings().map((second) => ({
        ...{ kind: "numeric" as const, separator, hasCentury },
        padding: [first, second] as const,
      })),
    ),
  ),
);

function paddings(): readonly Padding[] {
  return ["neither", "padded", "bare"];
}

/** The form of `first/second/year`. */
export function numericForm(
  separator: string,
  first: string,
  second: string,
  year: string,
): DateForm {
  const ofSeparator = numericForms[separator === "/" ? 0 : separator === "." ? 1 : 2];
  const ofYear = ofSeparator?.[year.length === 4 ? 0 : 1];
  return ofYear?.[paddingOf(first)]?.[paddingOf(second)] as DateForm;
}

function paddingOf(digits: string): number {
  if (digits.length === 1) return 2;
  return digits.startsWith("0") ? 1 : 0;
}

const isoForm: DateForm = { kind: "iso", hasZero: true };
const isoFormWithoutZero: DateForm = { kind: "iso", hasZero: false };
export const serialForm: DateForm = { kind: "serial" };
const namedForm: DateForm = { kind: "named", isPartial: false, hasCentury: true };
const namedShortForm: DateForm = { kind: "named", isPartial: false, hasCentury: false };
const partialForm: DateForm = { kind: "named", isPartial: true, hasCentury: false };
const yearFirstForms: Readonly<Record<string, DateForm>> = {
  "/": { kind: "year_first", separator: "/" },
  ".": { kind: "year_first", separator: "." },
  "-": { kind: "year_first", separator: "-" },
};

/** The form of a date such as `2024-12-31`. */
export function formOfIsoDate(cell: string): DateForm {
  return cell.charCodeAt(5) === zero || cell.charCodeAt(8) === zero ? isoForm : isoFormWithoutZero;
}

const zero = 0x30;

/** `2024-12-31`, alone or with a time after it. */
export function isIsoDate(cell: string): boolean {
  if (!hasShape(cell, 0, "0000-00-00")) return false;
  if (cell.length === 10) return true;
  const between = cell[10];
  return (between === "T" || between === " ") && hasShape(cell, 11, "00:00");
}

const anyDigit = zero;

/** Whether the text at `from` has this shape, in which 0 stands for any digit. */
function hasShape(cell: string, from: number, shape: string): boolean {
  if (cell.length < from + shape.length) return false;
  for (let at = 0; at < shape.length; at++) {
    const unit = cell.charCodeAt(from + at);
    const wanted = shape.charCodeAt(at);
    const fits = wanted === anyDigit ? isDigit(unit) : unit === wanted;
    if (!fits) return false;
  }
  return true;
}

/** Whether the second or third character is a separator, as in a date such as 3/4/2024. */
export function mayBeNumericDate(cell: string): boolean {
  return isSeparator(cell.charCodeAt(1)) || isSeparator(cell.charCodeAt(2));
}

/** A point, a slash or a minus. */
function isSeparator(unit: number): boolean {
  return unit >= 0x2d && unit <= 0x2f;
}

/** The form of a date that is neither like 2024-12-31 nor like 31/12/2024; undefined if it is no date. */
export function unusualDateForm(cell: string): DateForm | undefined {
  if (isBetween(cell.charCodeAt(4))) {
    const [, separator] = yearFirst.exec(cell) ?? [];
    if (separator !== undefined) return yearFirstForms[separator];
  }
  if (isSerial(cell)) return serialForm;
  if (isDigit(cell.charCodeAt(0))) {
    if (!hasLetterAfterDay(cell)) return undefined;
    const [, month = "", year] = dayAndMonth.exec(cell) ?? [];
    if (!isMonth(month)) return undefined;
    if (year === undefined) return partialForm;
    return year.length === 4 ? namedForm : namedShortForm;
  }
  if (!isBetween(cell.charCodeAt(cell.length - 3))) return undefined;
  const [, month = ""] = monthAndYear.exec(cell) ?? [];
  return isMonth(month) ? partialForm : undefined;
}

/** Whether digits are the number of a day from 1927 to 2118. */
export function isSerialDay(digits: string): boolean {
  const first = digits.charCodeAt(0);
  return digits.length === 5 && first >= 0x31 && first <= 0x37;
}

function isSerial(cell: string): boolean {
  const isShaped = cell.length === 5 || isBetween(cell.charCodeAt(5));
  return isShaped && isDigit(cell.charCodeAt(2)) && serial.test(cell);
}

/** A minus, a point, a slash, or a comma. */
function isBetween(unit: number): boolean {
  return unit >= 0x2c && unit <= 0x2f;
}

/** Whether there is a letter where the name of a month would begin, after a day. */
function hasLetterAfterDay(cell: string): boolean {
  for (let at = 2; at <= 4; at++) if (cell.charCodeAt(at) > 0x39) return true;
  return false;
}

function isMonth(name: string): boolean {
  return months.has(name.slice(0, 3).toLowerCase());
}

const yearFirst = /^(?:19|20)\d\d([/.-])\d{1,2}\1\d{1,2}(?:$|[ T,])/;
const serial = /^[1-7]\d{4}(?:[.,]\d+)?$/;
const dayAndMonth = /^\d{1,2}(?:\. ?|[ -])(\p{L}{3,9})\.?(?:[ -](\d{4}|\d\d))?$/u;
const monthAndYear = /^(\p{L}{3,9})\.?-\d\d$/u;

/** How months begin in English, German, French, Spanish, Italian, Dutch and Portuguese. */
const months: ReadonlySet<string> = new Set([
  ...["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
  ...["mär", "mai", "okt", "dez", "fév", "avr", "jui", "aoû", "déc", "ene", "abr", "ago", "dic"],
  ...["gen", "mag", "giu", "lug", "set", "ott", "mrt", "mei", "fev", "out"],
]);
