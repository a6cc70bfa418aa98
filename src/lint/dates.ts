import type { ColumnUse } from "../model/column-use.ts";
import type { AcceptsLine, CellRuleMaker, Finding, Sighting } from "../model/finding.ts";
import { grouped } from "../model/quantities.ts";
import {
  createDateForms,
  type DateForm,
  type FormTally,
  isIsoDate,
  isoForm,
  isSerialDay,
  mayBeNumericDate,
  numericForm,
  type Padding,
  serialForm,
  unusualDateForm,
} from "./date-forms.ts";
import { sign } from "./glance.ts";
import { cells, createSightings, suggestMember } from "./sightings.ts";

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
        const reported = fewer.count > 0 ? fewer : fewer === dayFirst ? monthFirst : dayFirst;
        const { count, first } = reported;
        const where = reported === dayFirst ? "the day" : "the month";
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

/** What is known of the dates of a column besides their forms. */
export interface DatesKnown {
  /** Which comes first where the year is last; `mixed` where that differs. */
  readonly order: "day" | "month" | "unknown" | "mixed";
  /** Whether some have a time after them. */
  readonly haveTime: boolean;
  /** Cells that are all digits and no days. */
  readonly otherNumbers: number;
}

/** Reports a column in which dates are written in several ways. */
function findMixedForms(
  use: ColumnUse,
  tallies: readonly FormTally[],
  known: DatesKnown,
  accepts: AcceptsLine,
): readonly Finding[] {
  const ways = datesWritten(tallies, known.otherNumbers);
  const rarer = ways.slice(1);
  const count = rarer.reduce((sum, way) => sum + way.count, 0);
  if (count === 0) return [];
  const first = rarer
    .flatMap((way) => way.first)
    .toSorted((a, b) => a.row - b.row)
    .slice(0, 5);
  const listing = ways.map((way) => `${grouped(way.all)} as ${exampleOf(way)}`);
  const isPart = ways.some(({ tallies }) => tallies.some(({ form }) => isPartOf(form)));
  const lost = isPart ? ". If a part of a date is missing, get it from the source of the file" : "";
  const message = `${cells(count, "holds a date", "hold dates")} in another form than the rest (${listing.join(", ")}): a spreadsheet program may have rewritten them; write them all alike${lost}`;
  return [
    {
      ...{ kind: "mixed_date_forms" as const, column: use.column, count, first, message },
      ...suggestion(use, ways, known, accepts),
    },
  ];
}

/** What shows the way best: not `13/12/2024` where it is about zeros before days and months. */
function exampleOf({ tallies }: DateWay): string {
  const shown = tallies.find(
    ({ form }) => form.kind !== "numeric" || form.padding.some((one) => one !== "neither"),
  );
  return (shown ?? tallies[0])?.example.trim() ?? "";
}

function isPartOf(form: DateForm): boolean {
  return form.kind === "named" && form.isPart;
}

function suggestion(
  use: ColumnUse,
  ways: readonly DateWay[],
  { order, haveTime }: DatesKnown,
  accepts: AcceptsLine,
): { readonly suggestion?: string } {
  if (haveTime || order === "mixed") return {};
  const dayAndMonth = order === "month" ? ["M", "d"] : ["d", "M"];
  const formats = ways.flatMap(({ tallies }) =>
    tallies.map(({ form }) => formatOf(form, dayAndMonth)),
  );
  if (formats.includes(undefined)) return {};
  const [only, ...others] = new Set(formats);
  return suggestMember(
    use,
    { type: "date", format: others.length === 0 ? only : [only, ...others] },
    accepts,
  );
}

function formatOf(form: DateForm, dayAndMonth: readonly string[]): string | undefined {
  switch (form.kind) {
    case "iso":
      return "yyyy-MM-dd";
    case "year_first":
      return ["yyyy", "M", "d"].join(form.separator);
    case "numeric":
      return [
        ...(form.separator === "." ? ["d", "M"] : dayAndMonth),
        form.hasCentury ? "yyyy" : "yy",
      ].join(form.separator);
    case "serial":
      return "excel_serial";
    case "named":
      return undefined;
    default:
      return form satisfies never;
  }
}

/** One of several ways in which the dates of a column are written. */
export interface DateWay {
  readonly tallies: readonly FormTally[];
  readonly all: number;
  /** Of those that would be sent, how many and which first. */
  readonly count: number;
  readonly first: readonly Sighting[];
}

/**
 * The ways in which the dates of a column are written, the most frequent first. What may be a date and
 * may be a number or a code is one only beside those that are dates for certain.
 *
 * @param otherNumbers cells that are all digits and no days
 */
function datesWritten(tallies: readonly FormTally[], otherNumbers: number): readonly DateWay[] {
  const certain = countAll(tallies.filter(isCertain));
  if (certain === 0) return [];
  const serials = countAll(tallies.filter(({ form }) => form.kind === "serial"));
  const areSerialsDays = certain * 4 >= serials && otherNumbers * 10 <= serials;
  const groups = new Map<string, FormTally[]>();
  for (const tally of tallies) {
    const { form } = tally;
    if (form.kind === "serial" && !areSerialsDays) continue;
    const key =
      form.kind === "numeric" ? `${form.separator}${form.hasCentury}` : JSON.stringify(form);
    groups.set(key, [...(groups.get(key) ?? []), tally]);
  }
  return [...groups.values()]
    .flatMap(splitByPadding)
    .map(toWay)
    .toSorted((a, b) => b.all - a.all || a.count - b.count);
}

/** `1-2-24` and `1.2.24` may be a part number or a version. */
function isCertain({ form }: FormTally): boolean {
  switch (form.kind) {
    case "iso":
    case "year_first":
      return true;
    case "numeric":
      return form.hasCentury || form.separator === "/";
    case "named":
      return !form.isPart;
    case "serial":
      return false;
    default:
      return form satisfies never;
  }
}

/** Dates with and without zeros before days (or months) below ten; those without need go with most. */
function splitByPadding(tallies: readonly FormTally[]): readonly (readonly FormTally[])[] {
  const padding = (tally: FormTally, at: 0 | 1): Padding =>
    tally.form.kind === "numeric" ? tally.form.padding[at] : "neither";
  const has = (at: 0 | 1, wanted: Padding) =>
    tallies.some((tally) => padding(tally, at) === wanted);
  const mixed = ([0, 1] as const).filter((at) => has(at, "padded") && has(at, "bare"));
  if (mixed.length === 0) return [tallies];
  const are = (wanted: Padding) => (tally: FormTally) =>
    mixed.some((at) => padding(tally, at) === wanted);
  const bare = tallies.filter(are("bare"));
  const padded = tallies.filter((tally) => !bare.includes(tally) && are("padded")(tally));
  if (padded.length === 0) return [tallies];
  const either = tallies.filter((tally) => !bare.includes(tally) && !padded.includes(tally));
  return countAll(bare) > countAll(padded)
    ? [[...bare, ...either], padded]
    : [[...padded, ...either], bare];
}

function toWay(tallies: readonly FormTally[]): DateWay {
  const first = tallies.flatMap(({ sent }) => sent.first).toSorted((a, b) => a.row - b.row);
  const count = tallies.reduce((sum, { sent }) => sum + sent.count, 0);
  return { tallies, all: countAll(tallies), count, first };
}

function countAll(tallies: readonly FormTally[]): number {
  return tallies.reduce((sum, { all }) => sum + all, 0);
}
