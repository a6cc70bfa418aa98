import { stringify } from "yaml";
import type { ColumnUse } from "../model/column-use.ts";
import type { AcceptsLine, Sighting } from "../model/finding.ts";
import { type Place, placeOf } from "../model/place.ts";
import { grouped } from "../model/quantities.ts";

/** How often something was seen, and where first. */
export interface Sightings {
  readonly count: number;
  readonly first: readonly Sighting[];
  add(place: Place, value?: string): void;
}

const mostKept = 5;

export function createSightings(): Sightings {
  const first: Sighting[] = [];
  let count = 0;
  return {
    first,
    get count() {
      return count;
    },
    add(place, value) {
      count++;
      if (first.length >= mostKept) return;
      first.push({ ...placeOf(place), ...(value === undefined ? {} : { value }) });
    },
  };
}

/** `1 cell holds`, `1,312 cells hold` */
export function cells(count: number, one: string, several: string): string {
  return count === 1 ? `1 cell ${one}` : `${grouped(count)} cells ${several}`;
}

/**
 * The line of the mapping that makes a member of a column, with something added to it; undefined if
 * there is no such member, or the mapping file cannot have such a line.
 */
export function suggestMember(
  { member }: ColumnUse,
  added: Readonly<Record<string, unknown>>,
  accepts: AcceptsLine,
): { readonly suggestion?: string } {
  if (member === undefined) return {};
  const line = toLine(member.name, { ...member.spec, ...added });
  return accepts(line, "member") ? { suggestion: line } : {};
}

/** The same of a line that is about the whole file. */
export function suggestKey(
  key: string,
  value: unknown,
  accepts: AcceptsLine,
): { readonly suggestion?: string } {
  const line = toLine(key, value);
  return accepts(line, "file") ? { suggestion: line } : {};
}

/** `plan: { column: Plan, transform: trim }` */
function toLine(key: string, value: unknown): string {
  const flow = stringify({ [key]: value }, { collectionStyle: "flow", lineWidth: 0 }).trim();
  return flow.replace(/^\{ /, "").replace(/ \}$/, "");
}
