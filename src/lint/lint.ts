import type { ColumnUse, Finding, Occurrence } from "../model/finding.ts";
import { type Place, placeOf } from "../model/place.ts";
import { sum } from "../model/quantities.ts";
import { type FindingKind, worded } from "./words.ts";

/** A mistake that the cells of a column show: it sorts them into a few classes, and judges these at the end. */
export interface Lint {
  readonly kind: FindingKind;
  readonly features: number;
  /** Whether a column can have the mistake; without it, any can. */
  suits?(column: LintedColumn): boolean;
  /** The class of a cell that is not empty; undefined if nothing depends on the cell. */
  classOf(cell: string, column: LintedColumn): CellClass | undefined;
  /** What is wrong with the column; undefined if nothing is. Without it, each cell that has a class is wrong. */
  judge?(found: Classified, column: LintedColumn): Notice | undefined;
}

export interface LintedColumn extends ColumnUse {
  readonly subjects: readonly Subject[];
  /** The year of the run, after which nobody is born. */
  readonly thisYear: number;
}

export type Subject = "phone" | "postal_code" | "birthday";
export type CellClass = string | number;

export interface Classified extends Seen {
  readonly classes: ReadonlyMap<CellClass, CellTally>;
  /** How many cells of the column are not blank, of any class or none. */
  readonly filled: number;
}

/** What a lint says of a column; unless it says otherwise, of the cells of all classes. */
export interface Notice extends Partial<Pick<Lint, "kind">> {
  readonly of?: Seen;
  readonly values?: Readonly<Record<string, string | number>>;
  /** What helps, as keys of the member that holds the column. */
  readonly memberKeys?: Readonly<Record<string, unknown>> | undefined;
  /** What means that there is no value. All columns have one finding of these. */
  readonly nullWords?: readonly string[];
  /** Whether the column has such texts too that are values in it, which no line for the whole file may clear. */
  readonly hasOthers?: boolean;
}

/** How many cells or rows, and the first of them. */
export type Seen = Pick<Finding, "count" | "first">;

/** Counts, and keeps the first few places. */
export class CellTally implements Seen {
  count = 0;
  readonly first: Occurrence[] = [];
  /** How many there are; `count` and `first` are those in rows that are sent. */
  all = 0;

  constructor(
    readonly name: CellClass = "",
    readonly example = "",
  ) {}

  add(place: Place, value?: string): void {
    this.count++;
    if (this.first.length >= maxFirstCells) return;
    this.first.push({ ...placeOf(place), ...(value === undefined ? {} : { value }) });
  }
}

const maxFirstCells = 5;

export function mergeSeen(parts: Iterable<Seen>): Seen {
  const all = [...parts];
  const first = all.flatMap((part) => part.first).toSorted((a, b) => a.row - b.row);
  return { count: sum(all.map(({ count }) => count)), first: first.slice(0, maxFirstCells) };
}

export function exampleOf({ first }: Seen): string {
  return first[0]?.value?.trim() ?? "";
}

export function ofRows(kind: FindingKind, rows: Seen, values?: Notice["values"]): Finding[] {
  const { count, first } = rows;
  return count === 0 ? [] : [{ kind, count, first, message: worded(kind, count, values) }];
}
