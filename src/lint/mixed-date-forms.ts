import type { ColumnUse } from "../model/column-use.ts";
import type { AcceptsLine, Finding } from "../model/finding.ts";
import { grouped } from "../model/quantities.ts";
import type { DateForm, FormTally } from "./date-forms.ts";
import { type DateWay, datesWritten } from "./date-ways.ts";
import { cells } from "./sightings.ts";
import { suggestMember } from "./suggest-line.ts";

/** What is known of the dates of a column besides their forms. */
export interface DatesKnown {
  /** Which comes first where the year is last; `mixed` where that differs. */
  readonly order: "day" | "month" | "unknown" | "mixed";
  /** Whether some have a time after them. */
  readonly haveTime: boolean;
  /** Cells that are all digits and no days. */
  readonly otherNumbers: number;
}

/** Tells of a column in which dates are written in several ways. */
export function findMixedForms(
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
  const lost = isPart
    ? ". Where a part of a date is gone, get it from where the file came from"
    : "";
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
