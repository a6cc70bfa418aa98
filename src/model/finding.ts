import { describePlace, type Place } from "./place.ts";
import { quote } from "./row.ts";

/** Something in the rows that is not an error, but may be a mistake. */
export interface Finding {
  /** What was found, in snake_case, such as `null_values`. */
  readonly kind: string;
  /** Absent where the finding is about whole rows. */
  readonly column?: string;
  /** How many cells or rows it is about. */
  readonly count: number;
  readonly first: readonly Occurrence[];
  /** What was found and what to do, for people. */
  readonly message: string;
  /** A line for the mapping file that may be what is wanted. */
  readonly suggestion?: string;
}

export interface Occurrence extends Place {
  readonly value?: string;
}

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

/** What a mapping does with a column whose cells reach an event or decide its order. */
export interface ColumnUse {
  readonly column: string;
  readonly index: number;
  /** Whether the column's text is sent or compared as it is. */
  readonly asText: boolean;
  /** Whether space around a cell is sent anywhere; if not, whether it is part of the ordering key. */
  readonly keepsSpace: boolean | "in_key";
  /** Whether a function makes the events, so that nobody sees what becomes of the text. */
  readonly byFunction?: true;
  /** Whether the column's text becomes a number anywhere, which loses leading zeros. */
  readonly asNumber?: true;
  /** Whether the column's text is filled from the left wherever it is used: lost leading zeros come back. */
  readonly isPadded?: true;
  /** Cells that the mapping gives a meaning of their own, wherever it uses the column. */
  readonly knownCells: ReadonlySet<string>;
  /** A member that holds a cell of this column and nothing else, in its long form. */
  readonly member?: { readonly name: string; readonly spec: Readonly<Record<string, unknown>> };
}
