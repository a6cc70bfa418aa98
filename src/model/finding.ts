import { describePlace, type Place } from "./place.ts";
import { quote } from "./row.ts";

/** Something in the rows that is not an error, but may be a mistake. */
export interface Finding {
  readonly kind: FindingKind;
  /** Absent where it is about whole rows. */
  readonly column?: string;
  /** How many cells or rows it is about. */
  readonly count: number;
  /** The first of them. */
  readonly first: readonly Occurrence[];
  /** What was found and what to do, for people. */
  readonly message: string;
  /** A line for the mapping file that may be what is wanted. */
  readonly suggestion?: string;
}

export type FindingKind =
  | "ambiguous_date_order"
  | "ambiguous_thousands"
  | "double_encoding"
  | "dropped_leading_zeros"
  | "duplicate_keys"
  | "duplicate_rows"
  | "duplicates_not_searched"
  | "long_numbers"
  | "lost_leading_zeros"
  | "mixed_date_forms"
  | "mixed_date_order"
  | "mixed_notations"
  | "non_breaking_spaces"
  | "null_values"
  | "scientific_numbers"
  | "spreadsheet_errors"
  | "surrounding_spaces"
  | "two_digit_years";

/** A row that a finding is about, and its cell. */
export interface Occurrence extends Place {
  readonly value?: string;
}

/** Whether the mapping file may have this line. */
export type AcceptsLine = (line: string, place: "member" | "file") => boolean;

/** For people: what was found, in which column, and where first; without the suggestion. */
export function describeFinding({ column, count, first, message }: Finding): string {
  const where = column === undefined ? "" : `column ${quote(column)}: `;
  const places = first.map((place) => {
    const shown = place.value === undefined ? "" : ` ${quote(place.value)}`;
    return describePlace(place) + shown;
  });
  const more = count > first.length ? " and others" : "";
  return `${where}${message}. Seen in ${places.join(", ")}${more}.`;
}
