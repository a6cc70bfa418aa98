import { grouped, sum } from "../model/quantities.ts";
import { feature, isDigit } from "./cell-features.ts";
import {
  type CellClass,
  cells,
  firstValue,
  type Lint,
  type Tally,
  together,
  type Verdict,
} from "./lint.ts";

/**
 * Dates of which nobody sees whether the day or the month comes first, or the century, and dates that are
 * not written like the others of their column, as if a spreadsheet program had rewritten them.
 *
 * The class of a date is its format. Day and month are `?` in 03/04/2024, where either may come first, and
 * `=` in 05/05/2024 and 03.04.2024, where that is no question.
 */
export const dates: Lint = ({ asText }) => {
  if (!asText) return undefined;
  let hasTimes = false;
  const formatKeys = (dates: readonly Tally[], order: "day" | "month" | "unknown") => {
    const [format, ...others] = formatsOf(dates, order === "month" ? ["M", "d"] : ["d", "M"]);
    const isKnown = order !== "unknown" && others.length === 0 && !format?.includes("MMM");
    return isKnown && !hasTimes ? { memberKeys: { type: "date", format } } : {};
  };

  return {
    kind: "mixed_date_forms",
    isDamage: true,
    features: feature.digits | feature.number | feature.edgeSpace,
    classOf(given, features) {
      if ((features & feature.digits) !== 0) return isSerialDay(given) ? serial : stray;
      const cell = (features & feature.edgeSpace) === 0 ? given : given.trim();
      if (!isDigit(cell.charCodeAt(0))) {
        return (features & feature.number) === 0 ? undefined : stray;
      }
      if (cell.length < 5 || cell.length > 30) return stray;
      if (isSeparator(cell.charCodeAt(4)) && yearFirst.test(cell)) {
        hasTimes ||= cell.length > 10;
        return yearFirstFormats[cell[4] as "-"];
      }
      const isNumeric = isSeparator(cell.charCodeAt(1)) || isSeparator(cell.charCodeAt(2));
      const parts = isNumeric ? numericDate.exec(cell) : null;
      if (parts === null) return formatWithoutMonthNumber(cell);
      const [, first, separator = "", second, year = "", time = ""] = parts;
      const [one, two] = [Number(first), Number(second)];
      const isDate = one > 0 && two > 0 && Math.max(one, two) <= 31 && Math.min(one, two) <= 12;
      if (!isDate) return stray;
      hasTimes ||= time !== "";
      const isDecided = one === two || separator === ".";
      const order = one > 12 ? "dM" : two > 12 ? "Md" : isDecided ? "==" : "??";
      return `${order[0]}${separator}${order[1]}${separator}${year.length === 2 ? "yy" : "yyyy"}`;
    },
    judge(_, classes) {
      const dates = [...classes.values()].filter(({ name }) => name !== stray);
      const order = orderIn(dates);
      if (order === "mixed") return judgeOrder(dates);
      const areNearlyAll = countAll(dates) >= countAll(classes.values()) * nearlyAll;
      const odd = areNearlyAll ? judgeForms(dates) : undefined;
      if (odd !== undefined) return odd;
      const ambiguous = select(dates, /^\?/);
      if (order === "unknown" && ambiguous.length > 0) {
        const found = together(ambiguous);
        const message = `${cells(found, "is a date", "are dates")} in which day or month may come first, as in ${firstValue(found)}, and no cell of the column shows which: give the format in the mapping, or write 2024-12-31`;
        const kind = "ambiguous_date_order";
        return { kind, isDamage: false, ...found, message, ...formatKeys(ambiguous, "day") };
      }
      if (!areNearlyAll || select(dates, /yyyy|d-MMM$|excel/).length > 0) return undefined;
      // Without an order `1-2-24` may be a part number; with the month first `12.30.24` may be a time.
      const mayBeOther = { day: /^never/, month: /^.\./, unknown: /^.[.-][^M]/ };
      if (select(dates, mayBeOther[order]).length > 0) return undefined;
      const found = together(dates);
      const message = `${cells(found, "has", "have")} a year of two digits, as in ${firstValue(found)}, which does not say the century: write four digits, or give the format in the mapping`;
      return { kind: "two_digit_years", isDamage: false, message, ...formatKeys(dates, order) };
    },
  };
};

const serial = "excel_serial";
/** Cells that begin like a date and are none. */
const stray = "stray";
const yearFirst = /^(?:\d{4}-\d\d-\d\d|(?:19|20)\d\d([/.-])\d{1,2}\1\d{1,2})(?:$|[ T,])/;
const yearFirstFormats = { "-": "yyyy-MM-dd", "/": "yyyy/M/d", ".": "yyyy.M.d" } as const;
const numericDate = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d\d)((?:,? \d{1,2}:\d\d.{0,10})?)$/;
/** `45325`, with a time `45325.25`: the day from 1927 to 2118 in a spreadsheet program. */
const serialNumber = /^[1-7]\d{4}(?:[.,]\d+)?$/;
/** `3-Feb-24`; `3-Feb` has lost its year. */
const namedMonth = /^\d{1,2}(?:\. ?|[ -])(\p{L}{3,9})\.?(?:[ -](\d{4}|\d\d))?$/u;

function isSerialDay(digits: string): boolean {
  const first = digits.charCodeAt(0);
  return digits.length === 5 && first >= 0x31 && first <= 0x37;
}

/** A point, a slash or a minus. */
function isSeparator(unit: number): boolean {
  return unit >= 0x2d && unit <= 0x2f;
}

function formatWithoutMonthNumber(cell: string): CellClass {
  if (isDigit(cell.charCodeAt(cell.length - 1)) && serialNumber.test(cell)) return serial;
  const [, month = "", year] = namedMonth.exec(cell) ?? [];
  if (!months.has(month.slice(0, 3).toLowerCase())) return stray;
  return year === undefined ? "d-MMM" : year.length === 2 ? "d-MMM-yy" : "d-MMM-yyyy";
}

/** How months begin in English, German, French, Spanish, Italian, Dutch and Portuguese. */
const months: ReadonlySet<string> = new Set([
  ...["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
  ...["mär", "mai", "okt", "dez", "fév", "avr", "jui", "aoû", "déc", "ene", "abr", "ago", "dic"],
  ...["gen", "mag", "giu", "lug", "set", "ott", "mrt", "mei", "fev", "out"],
]);

function select(dates: readonly Tally[], format: RegExp): readonly Tally[] {
  return dates.filter(({ name }) => format.test(String(name)));
}

function countAll(tallies: Iterable<Tally>): number {
  return sum([...tallies].map(({ all }) => all));
}

const nearlyAll = 0.9;

/** What comes first in dates that end with the year. */
function orderIn(dates: readonly Tally[]): "day" | "month" | "mixed" | "unknown" {
  const hasMonthFirst = select(dates, monthFirst).length > 0;
  if (select(dates, dayFirst).length > 0) return hasMonthFirst ? "mixed" : "day";
  return hasMonthFirst ? "month" : "unknown";
}

const dayFirst = /^d.M[^M]/;
const monthFirst = /^M/;

/** The formats of dates in which the parts of this name come first where no cell shows it. */
function formatsOf(dates: readonly Tally[], [one, two]: readonly [string, string]): Set<string> {
  return new Set(dates.map(({ name }) => String(name).replace(/^[?=](.)[?=]/, `${one}$1${two}`)));
}

function judgeOrder(dates: readonly Tally[]): Verdict | undefined {
  const sides = [
    { ...together(select(dates, dayFirst)), what: "day" },
    { ...together(select(dates, monthFirst)), what: "month" },
  ];
  const [fewer] = sides.filter(({ count }) => count > 0).toSorted((a, b) => a.count - b.count);
  if (fewer === undefined) return undefined;
  const { what, ...found } = fewer;
  const message = `${cells(found, "has", "have")} the ${what} first, as in ${firstValue(found)}, and others do not: write them all in one order`;
  return { kind: "mixed_date_order", ...found, message };
}

/** Dates that are not written like most of a column that certainly has dates. */
function judgeForms(dates: readonly Tally[]): Verdict | undefined {
  const certain = countAll(select(dates, certainDate));
  const serials = countAll(select(dates, /excel/));
  if (certain === 0 || certain * 4 < serials) return undefined;
  const forms = new Map<string, Tally[]>();
  for (const tally of dates) {
    const form = String(tally.name).replace(/^[dM?=](.)[dM?=]\1/, "$1");
    forms.set(form, [...(forms.get(form) ?? []), tally]);
  }
  const groups = [...forms.values()]
    .map((tallies) => ({ tallies, all: countAll(tallies), count: together(tallies).count }))
    .toSorted((a, b) => b.all - a.all || a.count - b.count);
  const found = together(groups.slice(1).flatMap(({ tallies }) => tallies));
  if (found.count === 0) return undefined;
  const listing = groups.map(({ all, tallies }) => `${grouped(all)} as ${tallies[0]?.example}`);
  const isPartLost = select(dates, /^d-MMM$/).length > 0;
  const lost = isPartLost
    ? ". If a part of a date is missing, get it from the source of the file"
    : "";
  const message = `${cells(found, "holds a date", "hold dates")} in another form than the rest (${listing.join(", ")}): a spreadsheet program may have rewritten them; write them all alike${lost}`;
  return { ...found, message };
}

/** `1-2-24` and `1.2.24` may be part numbers or versions, `45325` any number. */
const certainDate = /yyyy|^.\/|MMM-yy/;
