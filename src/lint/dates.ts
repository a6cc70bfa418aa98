import { sum } from "../model/quantities.ts";
import { feature, isDigit } from "./cell-features.ts";
import { cells, firstValue, type Lint, type Tally, together, type Verdict } from "./lint.ts";

/**
 * Dates of which nobody sees whether the day or the month comes first, or the century.
 *
 * The class of a date is its format. Day and month are `?` in 03/04/2024, where either may come first, and
 * `=` in 05/05/2024 and 03.04.2024, where that is no question.
 */
export const dates: Lint = ({ asText }) => {
  if (!asText) return undefined;
  let hasTimes = false;
  const formatKeys = (dates: readonly Tally[], order: "day" | "month" | "unknown") => {
    const [format, ...others] = formatsOf(dates, order === "month" ? ["M", "d"] : ["d", "M"]);
    const isKnown = order !== "unknown" && others.length === 0;
    return isKnown && !hasTimes ? { memberKeys: { type: "date", format } } : {};
  };

  return {
    kind: "mixed_date_order",
    isDamage: true,
    features: feature.digits | feature.number | feature.edgeSpace,
    classOf(given, features) {
      if ((features & feature.digits) !== 0) return other;
      const cell = (features & feature.edgeSpace) === 0 ? given : given.trim();
      if (!isDigit(cell.charCodeAt(0))) {
        return (features & feature.number) === 0 ? undefined : other;
      }
      if (cell.length < 5 || cell.length > 30) return other;
      const mayBe = isSeparator(cell.charCodeAt(1)) || isSeparator(cell.charCodeAt(2));
      const parts = mayBe ? numericDate.exec(cell) : null;
      if (parts === null) return other;
      const [, first, separator = "", second, year = "", time = ""] = parts;
      const [one, two] = [Number(first), Number(second)];
      const isDate = one > 0 && two > 0 && Math.max(one, two) <= 31 && Math.min(one, two) <= 12;
      if (!isDate) return other;
      hasTimes ||= time !== "";
      const isDecided = one === two || separator === ".";
      const order = one > 12 ? "dM" : two > 12 ? "Md" : isDecided ? "==" : "??";
      return `${order[0]}${separator}${order[1]}${separator}${year.length === 2 ? "yy" : "yyyy"}`;
    },
    judge(_, classes) {
      const dates = [...classes.values()].filter(({ name }) => name !== other);
      const order = orderIn(dates);
      if (order === "mixed") return judgeOrder(dates);
      const ambiguous = select(dates, /^\?/);
      if (order === "unknown" && ambiguous.length > 0) {
        const found = together(ambiguous);
        const message = `${cells(found, "is a date", "are dates")} in which day or month may come first, as in ${firstValue(found)}, and no cell of the column shows which: give the format in the mapping, or write 2024-12-31`;
        const kind = "ambiguous_date_order";
        return { kind, isDamage: false, ...found, message, ...formatKeys(ambiguous, "day") };
      }
      const areFew = countAll(dates) < countAll(classes.values()) * nearlyAll;
      if (areFew || select(dates, /yyyy/).length > 0) return undefined;
      // Without an order `1-2-24` may be a part number; with the month first `12.30.24` may be a time.
      const mayBeOther = { day: /^never/, month: /^.\./, unknown: /^.[.-]/ };
      if (select(dates, mayBeOther[order]).length > 0) return undefined;
      const found = together(dates);
      const message = `${cells(found, "has", "have")} a year of two digits, as in ${firstValue(found)}, which does not say the century: write four digits, or give the format in the mapping`;
      return {
        ...{ kind: "two_digit_years", isDamage: false, ...found, message },
        ...formatKeys(dates, order),
      };
    },
  };
};

/** Cells that are no such dates. */
const other = "other";
const numericDate = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d\d)((?:,? \d{1,2}:\d\d.{0,10})?)$/;

/** A point, a slash or a minus. */
function isSeparator(unit: number): boolean {
  return unit >= 0x2d && unit <= 0x2f;
}

function select(dates: readonly Tally[], format: RegExp): readonly Tally[] {
  return dates.filter(({ name }) => format.test(String(name)));
}

function countAll(tallies: Iterable<Tally>): number {
  return sum([...tallies].map(({ all }) => all));
}

const nearlyAll = 0.9;

/** What comes first. */
function orderIn(dates: readonly Tally[]): "day" | "month" | "mixed" | "unknown" {
  const hasMonthFirst = select(dates, monthFirst).length > 0;
  if (select(dates, dayFirst).length > 0) return hasMonthFirst ? "mixed" : "day";
  return hasMonthFirst ? "month" : "unknown";
}

const dayFirst = /^d/;
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
  return { ...found, message };
}
