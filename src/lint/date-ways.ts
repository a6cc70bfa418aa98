import type { Sighting } from "../model/finding.ts";
import type { FormTally, Padding } from "./date-forms.ts";

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
export function datesWritten(
  tallies: readonly FormTally[],
  otherNumbers: number,
): readonly DateWay[] {
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
