import { sum } from "../model/quantities.ts";
import { feature, isDigit } from "./cell-features.ts";
import { cells, firstValue, type Lint, type Tally, together } from "./lint.ts";

/**
 * Dates of which nobody sees whether the day or the month comes first, or the century.
 *
 * The class of a date is its form, such as `d/yyyy`: what comes first, the separator, and the year. What comes first
 * is `?` in 03/04/2024, where either may, and `=` in 05/05/2024 and 03.04.2024, where that is no question.
 */
export const dates: Lint = ({ asText }) => {
  if (!asText) return undefined;
  let hasTimes = false;
  const formatKeys = (dates: readonly Tally[], first: "d" | "M" | undefined) => {
    const [one, two] = first === "M" ? ["M", "d"] : ["d", "M"];
    const formats = new Set(
      dates.map(({ name }) => String(name).replace(/^.(.)/, `${one}$1${two}$1`)),
    );
    const [format, ...others] = formats;
    const isKnown = first !== undefined && others.length === 0 && !hasTimes;
    return isKnown ? { memberKeys: { type: "date", format } } : {};
  };

  return {
    kind: "mixed_date_order",
    isDamage: true,
    features: feature.digits | feature.number | feature.edgeSpace,
    classOf(given, features) {
      if ((features & feature.digits) !== 0) return noDate;
      const cell = (features & feature.edgeSpace) === 0 ? given : given.trim();
      if (!isDigit(cell.charCodeAt(0))) return undefined;
      const mayBeDate = isSeparator(cell.charCodeAt(1)) || isSeparator(cell.charCodeAt(2));
      const parts = mayBeDate ? numericDate.exec(cell) : null;
      if (parts === null) return noDate;
      const [, first, separator = "", second, year = "", time = ""] = parts;
      const [one, two] = [Number(first), Number(second)];
      const isDate = one > 0 && two > 0 && Math.max(one, two) <= 31 && Math.min(one, two) <= 12;
      if (!isDate) return noDate;
      hasTimes ||= time !== "";
      const isDecided = one === two || separator === ".";
      const order = one > 12 ? "d" : two > 12 ? "M" : isDecided ? "=" : "?";
      return `${order}${separator}${year.length === 2 ? "yy" : "yyyy"}`;
    },
    judge(_, classes) {
      const dates = [...classes.values()].filter(({ name }) => name !== noDate);
      const select = (form: RegExp) => dates.filter(({ name }) => form.test(String(name)));
      const [dayFirst, monthFirst, open] = [select(/^d/), select(/^M/), select(/^\?/)];
      if (dayFirst.length > 0 && monthFirst.length > 0) {
        const [fewer] = [
          { ...together(dayFirst), what: "day" },
          { ...together(monthFirst), what: "month" },
        ]
          .filter(({ count }) => count > 0)
          .toSorted((a, b) => a.count - b.count);
        if (fewer === undefined) return undefined;
        const { what, ...found } = fewer;
        const message = `${cells(found, "has", "have")} the ${what} first, as in ${firstValue(found)}, and others do not: write them all in one order`;
        return { ...found, message };
      }
      const first = dayFirst.length > 0 ? "d" : monthFirst.length > 0 ? "M" : undefined;
      if (first === undefined && open.length > 0) {
        const found = together(open);
        const message = `${cells(found, "is a date", "are dates")} in which day or month may come first, as in ${firstValue(found)}, and no cell of the column shows which: give the format in the mapping, or write 2024-12-31`;
        const kind = "ambiguous_date_order";
        return { kind, isDamage: false, ...found, message, ...formatKeys(open, "d") };
      }
      const areNearlyAll = countAll(dates) >= countAll(classes.values()) * nearlyAll;
      // Without an order `1.2.24` may be a version; with the month first `12.30.24` may be a time.
      const mayBeOther = first === "d" ? [] : select(first === "M" ? /^.\./ : /^.[.-]/);
      if (!areNearlyAll || select(/yyyy/).length > 0 || mayBeOther.length > 0) return undefined;
      const found = together(dates);
      const message = `${cells(found, "has", "have")} a year of two digits, as in ${firstValue(found)}, which does not say the century: write four digits, or give the format in the mapping`;
      const kind = "two_digit_years";
      return { kind, isDamage: false, ...found, message, ...formatKeys(dates, first) };
    },
  };
};

/** Cells that begin with a digit and are no such dates. */
const noDate = "no date";
const numericDate = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d\d)((?:,? \d{1,2}:\d\d.{0,10})?)$/;
const nearlyAll = 0.9;

/** A point, a slash or a minus. */
function isSeparator(unit: number): boolean {
  return unit >= 0x2d && unit <= 0x2f;
}

function countAll(tallies: Iterable<Tally>): number {
  return sum([...tallies].map(({ all }) => all));
}
