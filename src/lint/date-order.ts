import type { CellRuleMaker, Finding } from "../model/finding.ts";
import { createDateForms, isoForm, numericForm, serialForm } from "./date-forms.ts";
import { isIsoDate, mayBeNumericDate } from "./date-shape.ts";
import { sign } from "./glance.ts";
import { type DatesKnown, findMixedForms } from "./mixed-date-forms.ts";
import { cells, createSightings } from "./sightings.ts";
import { suggestMember } from "./suggest-line.ts";
import { isSerialDay, unusualDateForm } from "./unusual-date-form.ts";

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
  const forms = createDateForms();
  const samples = { day: false, month: false, time: false };
  let otherNumbers = 0;
  let form:
    | { readonly separator: string; readonly year: string; readonly isDate: boolean }
    | undefined;

  return {
    signs: sign.digits | sign.number | sign.monthYear | sign.edge,
    see(given, place, isSent, shown) {
      if ((shown & sign.digits) !== 0) {
        if (isSerialDay(given)) forms.add(serialForm, given, place, isSent);
        else otherNumbers++;
        return;
      }
      const cell = (shown & sign.edge) === 0 ? given : given.trim();
      if (cell.length < 5 || cell.length > 30) return;
      if (isIsoDate(cell)) {
        if (cell.length > 10) samples.time = true;
        forms.add(isoForm, given, place, isSent);
        return;
      }
      const parts = cell.length > 5 && mayBeNumericDate(cell) ? numericDate.exec(cell) : undefined;
      if (parts == null) {
        const unusual = unusualDateForm(cell);
        if (unusual !== undefined) forms.add(unusual, given, place, isSent);
        return;
      }
      const [, first = "", separator = "", second = "", year = "", time = ""] = parts;
      const [one, two] = [Number(first), Number(second)];
      if (one === 0 || two === 0) return;
      if (Math.max(one, two) > 31 || Math.min(one, two) > 12) return;
      if (time !== "") samples.time = true;
      forms.add(numericForm(separator, first, second, year), given, place, isSent);
      form ??= { separator, year, isDate: time === "" };
      if (one > 12) {
        samples.day = true;
        if (isSent) dayFirst.add(place, given);
      } else if (two > 12) {
        samples.month = true;
        if (isSent) monthFirst.add(place, given);
      } else if (one !== two && separator !== "." && isSent) open.add(place, given);
    },
    found() {
      const { column } = use;
      const findings: Finding[] = [];
      const fewer = dayFirst.count <= monthFirst.count ? dayFirst : monthFirst;
      if (samples.day && samples.month && dayFirst.count + monthFirst.count > 0) {
        const told = fewer.count > 0 ? fewer : fewer === dayFirst ? monthFirst : dayFirst;
        const { count, first } = told;
        const where = told === dayFirst ? "the day" : "the month";
        const message = `${cells(count, "has", "have")} ${where} first, as in ${shown(first)}, and others do not: put them in one order`;
        findings.push({ kind: "mixed_date_order", column, count, first, message });
      } else if (!samples.day && !samples.month && open.count > 0) {
        const { count, first } = open;
        const message = `${cells(count, "is a date", "are dates")} of which the day or the month may come first, as in ${shown(first)}, and no cell of the column decides it: say it in the mapping, or write 2024-12-31`;
        findings.push({ kind: "ambiguous_date_order", column, count, first, message, ...line() });
      }
      const known = { order: order(), haveTime: samples.time, otherNumbers };
      return [...findings, ...findMixedForms(use, forms.tallies, known, accepts)];
    },
  };

  function order(): DatesKnown["order"] {
    if (samples.day && samples.month) return "mixed";
    if (samples.day) return "day";
    return samples.month ? "month" : "unknown";
  }

  function line(): { readonly suggestion?: string } {
    if (form === undefined || !form.isDate) return {};
    const { separator, year } = form;
    const format = ["d", "M", year.length === 2 ? "yy" : "yyyy"].join(separator);
    return suggestMember(use, { type: "date", format }, accepts);
  }
};

function shown(first: Finding["first"]): string {
  return first[0]?.value?.trim() ?? "";
}

const numericDate = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d\d)((?:,? \d{1,2}:\d\d.{0,10})?)$/;
