import { isIsoDate, mayBeNumericDate } from "./date-shape.ts";
import type { CellRuleMaker, Finding } from "./finding.ts";
import { sign } from "./glance.ts";
import { cells, createSightings } from "./sightings.ts";
import { suggestMember } from "./suggest-line.ts";

/**
 * Dates as 03/04/2024, of which nobody knows whether the day or the month comes first unless another
 * cell of the column tells; and columns in which dates are written in more than one way, as when a
 * spreadsheet program has rewritten some. With points between, the day comes first everywhere.
 */
export const dateOrder: CellRuleMaker = (use, accepts) => {
  if (!use.asText) return undefined;
  const open = createSightings();
  const dayFirst = createSightings();
  const monthFirst = createSightings();
  const iso = createSightings();
  const numeric = createSightings(); // those with the year at the end, whatever their order
  const samples = { day: false, month: false, iso: false, numeric: false };
  let form:
    | { readonly separator: string; readonly year: string; readonly isDate: boolean }
    | undefined;

  return {
    signs: sign.number,
    see(cell, place, isSent) {
      if (cell.length < 6 || cell.length > 30) return;
      if (isIsoDate(cell)) {
        samples.iso = true;
        if (isSent) iso.add(place, cell);
        return;
      }
      if (!mayBeNumericDate(cell)) return;
      const [, first, separator = "", second, year = "", time = ""] = numericDate.exec(cell) ?? [];
      if (first === undefined || Number(first) === 0 || Number(second) === 0) return;
      const [one, two] = [Number(first), Number(second)];
      if (Math.max(one, two) > 31 || Math.min(one, two) > 12) return;
      samples.numeric = true;
      if (isSent) numeric.add(place, cell);
      form ??= { separator, year, isDate: time === "" };
      if (one > 12) {
        samples.day = true;
        if (isSent) dayFirst.add(place, cell);
      } else if (two > 12) {
        samples.month = true;
        if (isSent) monthFirst.add(place, cell);
      } else if (one !== two && separator !== "." && isSent) open.add(place, cell);
    },
    found() {
      const { column } = use;
      const findings: Finding[] = [];
      const fewer = dayFirst.count <= monthFirst.count ? dayFirst : monthFirst;
      if (samples.day && samples.month && dayFirst.count + monthFirst.count > 0) {
        const { count, first } = fewer.count > 0 ? fewer : other(fewer, dayFirst, monthFirst);
        const where = dayFirst.count === count ? "the day" : "the month";
        const message = `${cells(count, "has", "have")} ${where} first, as in ${shown(first)}, and others do not: put them in one order`;
        findings.push({ kind: "mixed_date_order", column, count, first, message });
      } else if (!samples.day && !samples.month && open.count > 0) {
        const { count, first } = open;
        const message = `${cells(count, "is a date", "are dates")} of which the day or the month may come first, as in ${shown(first)}, and no cell of the column decides it: say it in the mapping, or write 2024-12-31`;
        findings.push({ kind: "ambiguous_date_order", column, count, first, message, ...line() });
      }
      if (samples.iso && samples.numeric && iso.count + numeric.count > 0) {
        const rarer = iso.count <= numeric.count ? iso : numeric;
        const { count, first } = rarer.count > 0 ? rarer : other(rarer, iso, numeric);
        const message = `${cells(count, "holds a date", "hold dates")} in another form than the rest, as in ${shown(first)}: a spreadsheet program may have rewritten them; write them all alike`;
        findings.push({ kind: "mixed_date_forms", column, count, first, message });
      }
      return findings;
    },
  };

  function line(): { readonly suggestion?: string } {
    if (form === undefined || !form.isDate) return {};
    const { separator, year } = form;
    const format = ["d", "M", year.length === 2 ? "yy" : "yyyy"].join(separator);
    return suggestMember(use, { type: "date", format }, accepts);
  }
};

function other<Thing>(one: Thing, first: Thing, second: Thing): Thing {
  return one === first ? second : first;
}

function shown(first: Finding["first"]): string {
  return first[0]?.value ?? "";
}

const numericDate = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d\d)((?:,? \d{1,2}:\d\d.{0,10})?)$/;
