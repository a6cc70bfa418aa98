import { feature } from "./cell-features.ts";
import { cells, firstValue, type Lint, together } from "./lint.ts";

/**
 * Dates of which nobody sees whether the day or the month comes first.
 *
 * The class of a date is what comes first, and its form: `d/yyyy`. What comes first is `?` in 03/04/2024, where either
 * may, and `=` in 05/05/2024 and 03.04.2024, where that is no question.
 */
export const dates: Lint = ({ asText }) => {
  if (!asText) return undefined;
  return {
    kind: "mixed_date_order",
    isDamage: true,
    features: feature.number | feature.edgeSpace,
    classOf(given, features) {
      const cell = (features & feature.edgeSpace) === 0 ? given : given.trim();
      const mayBeDate = isSeparator(cell.charCodeAt(1)) || isSeparator(cell.charCodeAt(2));
      const parts = mayBeDate ? numericDate.exec(cell) : null;
      if (parts === null) return undefined;
      const [, first, separator = "", second, year = "", time = ""] = parts;
      const [one, two] = [Number(first), Number(second)];
      const isDate = one > 0 && two > 0 && Math.max(one, two) <= 31 && Math.min(one, two) <= 12;
      if (!isDate) return undefined;
      const isDecided = one === two || separator === ".";
      const order = one > 12 ? "d" : two > 12 ? "M" : isDecided ? "=" : "?";
      return `${order}${separator}${"y".repeat(year.length)}${time === "" ? "" : " time"}`;
    },
    judge(_, classes) {
      const forms = new Set([...classes.keys()].map((name) => String(name).slice(1)));
      const ofOrder = (order: string) =>
        [...classes.values()].filter(({ name }) => String(name).startsWith(order));
      const [dayFirst, monthFirst, open] = [ofOrder("d"), ofOrder("M"), ofOrder("?")];
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
      if (dayFirst.length > 0 || monthFirst.length > 0 || open.length === 0) return undefined;
      const found = together(open);
      const message = `${cells(found, "is a date", "are dates")} in which day or month may come first, as in ${firstValue(found)}, and no cell of the column shows which: give the format in the mapping, or write 2024-12-31`;
      const [form = "", ...others] = forms;
      const format = others.length === 0 ? /^(.)yyyy$/.exec(form)?.[1] : undefined;
      const memberKeys = format && { type: "date", format: `d${format}M${format}yyyy` };
      const verdict = { kind: "ambiguous_date_order", isDamage: false, ...found, message };
      return memberKeys ? { ...verdict, memberKeys } : verdict;
    },
  };
};

const numericDate = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d\d)((?:,? \d{1,2}:\d\d.{0,10})?)$/;

/** A point, a slash or a minus. */
function isSeparator(unit: number): boolean {
  return unit >= 0x2d && unit <= 0x2f;
}
