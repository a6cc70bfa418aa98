import type { Finding } from "./finding.ts";
import { describePlace } from "./place.ts";
import { quote } from "./row.ts";

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
