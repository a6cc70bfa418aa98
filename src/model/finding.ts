import type { ColumnUse } from "./column-use.ts";
import { describePlace, type Place } from "./place.ts";
import { quote } from "./row.ts";

/** Something in the rows that is no error and may yet not be meant. */
export interface Finding {
  readonly kind: FindingKind;
  /** Absent where it is about whole rows. */
  readonly column?: string;
  /** How many cells or rows it is about. */
  readonly count: number;
  /** The first of them. */
  readonly first: readonly Sighting[];
  /** What was found and what to do, for people. */
  readonly message: string;
  /** A line for the mapping file that may be what is wanted. */
  readonly suggestion?: string;
}

export type FindingKind =
  | "ambiguous_date_order"
  | "double_encoding"
  | "dropped_leading_zeros"
  | "duplicate_keys"
  | "duplicate_rows"
  | "long_numbers"
  | "lost_leading_zeros"
  | "mixed_date_forms"
  | "mixed_date_order"
  | "non_breaking_spaces"
  | "nothing_words"
  | "repeats_not_searched"
  | "scientific_numbers"
  | "spreadsheet_errors"
  | "surrounding_spaces";

/** A row in which it was seen. */
export interface Sighting extends Place {
  readonly value?: string;
}

/** Looks at the cells of one column, as they come. */
export interface CellRule {
  /** It is shown the cells with any of these signs (`glance.ts`). */
  readonly signs: number;
  /**
   * @param cell not empty
   * @param isSent whether the row would be sent, were it in order; else it is only compared with
   * @param shown the signs that it shows, of those that some rule of the column asks for
   */
  see(cell: string, place: Place, isSent: boolean, shown: number): void;
  found(): readonly Finding[];
}

/** Makes the rule for a column, where the rule has anything to say of such a one. */
export type CellRuleMaker = (use: ColumnUse, accepts: AcceptsLine) => CellRule | undefined;

/** Whether the mapping file may have this line. */
export type AcceptsLine = (line: string, place: "member" | "file") => boolean;

/** For people: what was found, in which column, and where first; without the suggestion. */
export function tellFinding({ column, count, first, message }: Finding): string {
  const where = column === undefined ? "" : `column ${quote(column)}: `;
  const places = first.map((place) => {
    const shown = place.value === undefined ? "" : ` ${quote(place.value)}`;
    return describePlace(place) + shown;
  });
  const more = count > first.length ? " and others" : "";
  return `${where}${message}. Seen in ${places.join(", ")}${more}.`;
}
