import type { ColumnUse, Finding, Occurrence } from "../model/finding.ts";
import { type Place, placeOf } from "../model/place.ts";
import { count, sum } from "../model/quantities.ts";

/** A mistake that the cells of a column show: it sorts them into a few classes, and judges these at the end. */
export interface Lint {
  /** In snake_case, such as `null_values`. */
  readonly kind: string;
  /** Whether it is damage by a program or by the mapping: an import looks for this too. */
  readonly isDamage?: true;
  /** The lint sees only cells that have one of these features. */
  readonly features: number;
  /** Whether a column can have the mistake. */
  suits(column: LintedColumn): boolean;
  /** The class of a cell that is not empty; undefined if nothing depends on the cell. */
  classOf(cell: string, column: LintedColumn): CellClass | undefined;
  /** What is wrong with the column; undefined if nothing is, as where no cell is counted. */
  judge(found: Classified, column: LintedColumn): Verdict | undefined;
}

/** A column with what its names say. */
export interface LintedColumn extends ColumnUse {
  readonly subjects: readonly Subject[];
  /** The year of the run, after which nobody is born. */
  readonly thisYear: number;
}

export type Subject = "phone" | "postal_code" | "age" | "birthday";
export type CellClass = string | number;

/** The cells of all classes. */
export interface Classified extends Seen {
  readonly classes: ReadonlyMap<CellClass, Tally>;
  /** How many cells of the column are not blank, of any class or none. */
  readonly filled: number;
}

/** Unless it says otherwise, it is of the cells of all classes, and kind and damage are those of the lint. */
export interface Verdict extends Partial<Pick<Lint, "kind">> {
  readonly isDamage?: boolean;
  readonly of?: Seen;
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

const maxPlaces = 5;

/** Several classes or findings as one. */
export function together(parts: Iterable<Seen>): Seen {
  const all = [...parts];
  const first = all.flatMap((part) => part.first).toSorted((a, b) => a.row - b.row);
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
