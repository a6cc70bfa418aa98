import type { ColumnUse, Finding, Occurrence } from "../model/finding.ts";
import { type Place, placeOf } from "../model/place.ts";
import { count, sum } from "../model/quantities.ts";

/** Looks for a mistake in the cells of a column, in a year; undefined if the column cannot have it. */
export type Lint = (use: ColumnUse, thisYear: number) => ColumnLint | undefined;

/** It sorts the cells of a column into a few classes, and judges the column by their numbers at the end. */
export interface ColumnLint {
  /** In snake_case, such as `null_values`. */
  readonly kind: string;
  /** Whether it is damage by a program or by the mapping: an import looks for this too. */
  readonly isDamage?: boolean;
  /** The lint sees only cells that have one of these features. */
  readonly features: number;
  /** The class of a cell that is not empty; undefined if nothing depends on the cell. */
  classOf(cell: string): CellClass | undefined;
  /**
   * @param found the cells of all classes
   * @param filled how many cells of the column are not blank, of any class or none
   * @returns what is wrong with the column; undefined if nothing is, as where no cell is counted
   */
  judge(found: Seen, classes: Classes, filled: number): Verdict | undefined;
}

export type CellClass = string | number;
export type Classes = ReadonlyMap<CellClass, Tally>;

/** Count and places are those of all classes, and kind and damage those of the lint, unless it says otherwise. */
export interface Verdict extends Partial<Seen & Pick<ColumnLint, "kind" | "isDamage">> {
  /** What was found and what to do, without column and places. */
  readonly message: string;
  /** What helps, as keys of the member that holds the column. */
  readonly memberKeys?: Readonly<Record<string, unknown>>;
  /** What means that there is no value. All columns have one finding of these. */
  readonly nullWords?: readonly string[];
}

/** How many cells or rows, and the first of them. */
export type Seen = Pick<Finding, "count" | "first">;

/** Counts, and keeps the first few places. */
export class Tally implements Seen {
  count = 0;
  readonly first: Occurrence[] = [];
  /** How many there are; `count` and `first` are those in rows that are sent. */
  all = 0;

  constructor(
    readonly name: CellClass = "",
    /** The first of all. */
    readonly example = "",
  ) {}

  add(place: Place, value?: string): void {
    this.count++;
    if (this.first.length >= maxPlaces) return;
    this.first.push({ ...placeOf(place), ...(value === undefined ? {} : { value }) });
  }
}

/** How many places a finding names. */
export const maxPlaces = 5;

/** Several classes as one. */
export function together(tallies: Iterable<Tally>): Seen {
  const all = [...tallies];
  const first = all.flatMap((tally) => tally.first).toSorted((a, b) => a.row - b.row);
  return { count: sum(all.map(({ count }) => count)), first: first.slice(0, maxPlaces) };
}

/** The first of the cells that are reported. */
export function firstValue({ first }: Seen): string {
  return first[0]?.value?.trim() ?? "";
}

/** `1 cell holds`, `1,312 cells hold`, or the same of another noun. */
export function cells(found: Seen, one: string, several: string, noun = "cell"): string {
  return `${count(found.count, noun)} ${found.count === 1 ? one : several}`;
}

type Words = readonly [one: string, several: string, rest: string];

/** A finding about whole rows, if there are any. */
export function ofRows(kind: string, rows: Seen, [one, several, rest]: Words): Finding[] {
  const { count, first } = rows;
  const message = `${cells(rows, one, several, "row")} ${rest}`;
  return count === 0 ? [] : [{ kind, count, first, message }];
}
