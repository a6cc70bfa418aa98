import type { Occurrence } from "../model/finding.ts";
import { type Place, placeOf } from "../model/place.ts";
import { grouped } from "../model/quantities.ts";

/** How often something occurs, and where first. */
export interface Occurrences {
  readonly count: number;
  readonly first: readonly Occurrence[];
  add(place: Place, value?: string): void;
}

/** How many places a finding names. */
export const maxPlaces = 5;

export function createOccurrences(): Occurrences {
  const first: Occurrence[] = [];
  let count = 0;
  return {
    first,
    get count() {
      return count;
    },
    add(place, value) {
      count++;
      if (first.length >= maxPlaces) return;
      first.push({ ...placeOf(place), ...(value === undefined ? {} : { value }) });
    },
  };
}

/** `1 cell holds`, `1,312 cells hold` */
export function cells(count: number, one: string, several: string): string {
  return count === 1 ? `1 cell ${one}` : `${grouped(count)} cells ${several}`;
}
