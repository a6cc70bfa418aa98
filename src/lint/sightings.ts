import type { Sighting } from "../model/finding.ts";
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
