import type { ColumnUse } from "../model/column-use.ts";
import type { AcceptsLine, Finding, Occurrence } from "../model/finding.ts";
import { grouped } from "../model/quantities.ts";
import { type CellRuleMaker, feature } from "./cell-rule.ts";
import {
  createDateForms,
  type DateForm,
  type FormTally,
  formOfIsoDate,
  isIsoDate,
  isSerialDay,
  mayBeNumericDate,
  numericForm,
  type Padding,
  serialForm,
  unusualDateForm,
} from "./date-forms.ts";
import { cells, createOccurrences, maxPlaces } from "./occurrences.ts";
import { type Suggestion, suggestMember } from "./suggestion.ts";

/**
 * Dates such as 03/04/2024 in a column where no cell shows whether the day or the month comes first, and
 * columns with dates in several forms, as if a spreadsheet program had rewritten some. In 03.04.2024 the
 * day comes first everywhere.
 */
export const dates: CellRuleMaker = (use, accepts) => {
  if (!use.asText) return undefined;
  const ambiguous = createOccurrences();
  const dayFirst = createOccurrences();
  const monthFirst = createOccurrences();
  const forms = createDateForms();
  const seen = { dayFirst: false, monthFirst: false, time: false };
  let otherNumbers = 0;
  /** Cells that begin like a date and are none. */
  let otherTexts = 0;
  /** The first numeric date. */
  let sample:
    | { readonly separator: string; readonly year: string; readonly hasTime: boolean }
    | undefined;

  return {
    features: feature.digits | feature.number | feature.monthYear | feature.edgeSpace,
    see(given, place, isSent, features) {
      if ((features & feature.digits) !== 0) {
        if (isSerialDay(given)) forms.add(serialForm, given, place, isSent);
        else otherNumbers++;
        return;
      }
      const cell = (features & feature.edgeSpace) === 0 ? given : given.trim();
      const beginsLikeDate = (features & feature.number) !== 0;
      if (cell.length < 5 || cell.length > 30) {
        if (beginsLikeDate) otherTexts++;
        return;
      }
      if (isIsoDate(cell)) {
        if (cell.length > 10) seen.time = true;
        forms.add(formOfIsoDate(cell), given, place, isSent);
        return;
      }
      const parts = cell.length > 5 && mayBeNumericDate(cell) ? numericDate.exec(cell) : undefined;
      if (parts == null) {
        const unusual = unusualDateForm(cell);
        if (unusual !== undefined) forms.add(unusual, given, place, isSent);
        else if (beginsLikeDate) otherTexts++;
        return;
      }
      const [, first = "", separator = "", second = "", year = "", time = ""] = parts;
      const [one, two] = [Number(first), Number(second)];
      const isDate = one > 0 && two > 0 && Math.max(one, two) <= 31 && Math.min(one, two) <= 12;
      if (!isDate) {
        if (beginsLikeDate) otherTexts++;
        return;
      }
      if (time !== "") seen.time = true;
      forms.add(numericForm(separator, first, second, year), given, place, isSent);
      sample ??= { separator, year, hasTime: time !== "" };
      if (one > 12) {
        seen.dayFirst = true;
        if (isSent) dayFirst.add(place, given);
      } else if (two > 12) {
        seen.monthFirst = true;
        if (isSent) monthFirst.add(place, given);
      } else if (one !== two && separator !== "." && isSent) ambiguous.add(place, given);
    },
    found() {
      const { column } = use;
      const findings: Finding[] = [];
      const fewer = dayFirst.count <= monthFirst.count ? dayFirst : monthFirst;
      if (seen.dayFirst && seen.monthFirst && dayFirst.count + monthFirst.count > 0) {
        const reported = fewer.count > 0 ? fewer : fewer === dayFirst ? monthFirst : dayFirst;
        const { count, first } = reported;
        const where = reported === dayFirst ? "the day" : "the month";
        const message = `${cells(count, "has", "have")} ${where} first, as in ${firstValue(first)}, and others do not: write them all in one order`;
        findings.push({ kind: "mixed_date_order", column, count, first, message });
      } else if (!seen.dayFirst && !seen.monthFirst && ambiguous.count > 0) {
        const { count, first } = ambiguous;
        const message = `${cells(count, "is a date", "are dates")} in which day or month may come first, as in ${firstValue(first)}, and no cell of the column shows which: give the format in the mapping, or write 2024-12-31`;
        findings.push({ kind: "ambiguous_date_order", column, count, first, message, ...line() });
      }
      const dateColumn = { order: order(), hasTimes: seen.time, otherNumbers };
      findings.push(...findMixedForms(use, forms.tallies, dateColumn, accepts));
      if (findings.length > 0) return findings;
      return findTwoDigitYears(use, forms.tallies, { ...dateColumn, otherTexts }, accepts);
    },
  };

  function order(): DateColumn["order"] {
    if (seen.dayFirst && seen.monthFirst) return "mixed";
    if (seen.dayFirst) return "day";
    return seen.monthFirst ? "month" : "unknown";
  }

  function line(): Suggestion {
    if (sample === undefined || sample.hasTime) return {};
    const { separator, year } = sample;
    const format = ["d", "M", year.length === 2 ? "yy" : "yyyy"].join(separator);
    return suggestMember(use, { type: "date", format }, accepts);
  }
};

function firstValue(first: Finding["first"]): string {
  return first[0]?.value?.trim() ?? "";
}

const numericDate = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d\d)((?:,? \d{1,2}:\d\d.{0,10})?)$/;

/** What a column shows besides the forms of its dates. */
interface DateColumn {
  /** What comes first in dates that end with the year. */
  readonly order: "day" | "month" | "unknown" | "mixed";
  readonly hasTimes: boolean;
  /** Cells that are all digits but not the number of a day. */
  readonly otherNumbers: number;
}

/** Reports a column with dates in several forms. */
function findMixedForms(
  use: ColumnUse,
  tallies: readonly FormTally[],
  column: DateColumn,
  accepts: AcceptsLine,
): readonly Finding[] {
  const groups = groupDates(tallies, column.otherNumbers);
  const rarer = groups.slice(1);
  const count = rarer.reduce((sum, group) => sum + group.count, 0);
  if (count === 0) return [];
  const first = rarer
    .flatMap((group) => group.first)
    .toSorted((a, b) => a.row - b.row)
    .slice(0, maxPlaces);
  const listing = groups.map((group) => `${grouped(group.all)} as ${exampleOf(group)}`);
  const hasPartialDates = groups.some(({ tallies }) => tallies.some(({ form }) => isPartial(form)));
  const lost = hasPartialDates
    ? ". If a part of a date is missing, get it from the source of the file"
    : "";
  const message = `${cells(count, "holds a date", "hold dates")} in another form than the rest (${listing.join(", ")}): a spreadsheet program may have rewritten them; write them all alike${lost}`;
  return [
    {
      ...{ kind: "mixed_date_forms" as const, column: use.column, count, first, message },
      ...suggestFormats(use, groups, column, accepts),
    },
  ];
}

/**
 * Reports years of two digits, of which nobody can say the century. `1-2-24` and `1.2.24` count as dates
 * only in a column of dates in which some day is above twelve.
 */
function findTwoDigitYears(
  use: ColumnUse,
  tallies: readonly FormTally[],
  column: DateColumn & { readonly otherTexts: number },
  accepts: AcceptsLine,
): readonly Finding[] {
  const { order, otherNumbers, otherTexts } = column;
  const short = tallies.filter(({ form }) => hasTwoDigitYear(form));
  const isColumnOfDates = otherNumbers + otherTexts <= countAll(tallies) * maxOthers;
  const areDates = short.every((tally) => {
    const { form } = tally;
    if (form.kind !== "numeric" || form.separator === "/") return true;
    return order === "day" || (order === "month" && form.separator === "-");
  });
  const { count, first } = toGroup(short);
  if (count === 0 || !isColumnOfDates || !areDates) return [];
  const message = `${cells(count, "has", "have")} a year of two digits, as in ${firstValue(first)}, which does not say the century: write four digits, or give the format in the mapping`;
  return [
    {
      ...{
        kind: "two_digit_years" as const,
        column: use.column,
        count,
        first: first.slice(0, maxPlaces),
        message,
      },
      ...(order === "unknown" ? {} : suggestFormats(use, [toGroup(tallies)], column, accepts)),
    },
  ];
}

const maxOthers = 0.1;

function hasTwoDigitYear(form: DateForm): boolean {
  switch (form.kind) {
    case "numeric":
      return !form.hasCentury;
    case "named":
      return !form.isPartial && !form.hasCentury;
    case "iso":
    case "year_first":
    case "serial":
      return false;
    default:
      return form satisfies never;
  }
}

/** An example that shows whether days and months have leading zeros, which `13/12/2024` does not. */
function exampleOf({ tallies }: DateGroup): string {
  const best = tallies.find(
    ({ form }) => form.kind !== "numeric" || form.padding.some((one) => one !== "neither"),
  );
  return (best ?? tallies[0])?.example.trim() ?? "";
}

function isPartial(form: DateForm): boolean {
  return form.kind === "named" && form.isPartial;
}

function suggestFormats(
  use: ColumnUse,
  groups: readonly DateGroup[],
  { order, hasTimes }: DateColumn,
  accepts: AcceptsLine,
): Suggestion {
  if (hasTimes || order === "mixed") return {};
  const dayAndMonth = order === "month" ? ["M", "d"] : ["d", "M"];
  const formats = groups.flatMap(({ tallies }) =>
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

/** Dates of a column that are written alike, in one form or in forms that fit together. */
interface DateGroup {
  readonly tallies: readonly FormTally[];
  readonly all: number;
  /** How many are sent, and the first of these. */
  readonly count: number;
  readonly first: readonly Occurrence[];
}

/**
 * Groups the dates of a column, the largest group first. What may be a date, a number or a code counts
 * as a date only if the column has cells that are certainly dates.
 */
function groupDates(tallies: readonly FormTally[], otherNumbers: number): readonly DateGroup[] {
  const certain = countAll(tallies.filter(isCertain));
  if (certain === 0) return [];
  const serials = countAll(tallies.filter(({ form }) => form.kind === "serial"));
  const areSerialsDays = certain * 4 >= serials && otherNumbers * 10 <= serials;
  const hasIsoZero = tallies.some(({ form }) => form.kind === "iso" && form.hasZero);
  const byKey = new Map<string, FormTally[]>();
  for (const tally of tallies) {
    const { form } = tally;
    if (form.kind === "serial" && !areSerialsDays) continue;
    const key = groupOf(form, hasIsoZero);
    byKey.set(key, [...(byKey.get(key) ?? []), tally]);
  }
  return [...byKey.values()]
    .flatMap(splitByPadding)
    .map(toGroup)
    .toSorted((a, b) => b.all - a.all || a.count - b.count);
}

/** What forms that fit together have in common: 2024-12-31 fits 2024-1-5 where no zeros are written. */
function groupOf(form: DateForm, hasIsoZero: boolean): string {
  if (form.kind === "numeric") return `${form.separator}${form.hasCentury}`;
  if (form.kind === "iso") return hasIsoZero ? "iso" : "year first -";
  return form.kind === "year_first" ? `year first ${form.separator}` : JSON.stringify(form);
}

/** `1-2-24` and `1.2.24` may be part numbers or versions. */
function isCertain({ form }: FormTally): boolean {
  switch (form.kind) {
    case "iso":
    case "year_first":
      return true;
    case "numeric":
      return form.hasCentury || form.separator === "/";
    case "named":
      return !form.isPartial;
    case "serial":
      return false;
    default:
      return form satisfies never;
  }
}

/**
 * Splits dates with leading zeros in days or months below ten from those without. Dates that need no
 * zeros go with the larger group.
 */
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

function toGroup(tallies: readonly FormTally[]): DateGroup {
  const first = tallies.flatMap(({ sent }) => sent.first).toSorted((a, b) => a.row - b.row);
  const count = tallies.reduce((sum, { sent }) => sum + sent.count, 0);
  return { tallies, all: countAll(tallies), count, first };
}

function countAll(tallies: readonly FormTally[]): number {
  return tallies.reduce((sum, { all }) => sum + all, 0);
}
