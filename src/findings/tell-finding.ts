import { describePlace, quote } from "../domain/row.ts";
import type { Finding } from "./finding.ts";

/** For people: what was found, in which column, and where first; without the suggestion. */
export function tellFinding({ column, count, first, message }: Finding): string {
  const where = column === undefined ? "" : `column ${quote(column)}: `;
  const places = first.map(({ value, ...place }) => {
    const shown = value === undefined ? "" : ` ${quote(value)}`;
    return `${describePlace(place)}${shown}`;
  });
  const more = count > first.length ? " and others" : "";
  return `${where}${message}. Seen in ${places.join(", ")}${more}.`;
}
