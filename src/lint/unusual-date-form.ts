import { type DateForm, namedForm, partForm, serialForm, yearFirstForms } from "./date-forms.ts";
import { isDigit } from "./glance.ts";

/** The form of a date that is neither 2024-12-31 nor 31/12/2024, if it is one. */
export function unusualDateForm(cell: string): DateForm | undefined {
  if (isBetween(cell.charCodeAt(4))) {
    const [, separator] = yearFirst.exec(cell) ?? [];
    if (separator !== undefined) return yearFirstForms[separator];
  }
  if (isSerial(cell)) return serialForm;
  if (isDigit(cell.charCodeAt(0))) {
    if (!hasLetterSoon(cell)) return undefined;
    const [, month = "", year] = dayAndMonth.exec(cell) ?? [];
    if (!isMonth(month)) return undefined;
    return year === undefined ? partForm : namedForm;
  }
  if (!isBetween(cell.charCodeAt(cell.length - 3))) return undefined;
  const [, month = ""] = monthAndYear.exec(cell) ?? [];
  return isMonth(month) ? partForm : undefined;
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

/** Whether a letter stands where the name of a month would, after a day. */
function hasLetterSoon(cell: string): boolean {
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
