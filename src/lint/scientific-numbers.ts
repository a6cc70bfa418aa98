import type { CellRuleMaker } from "../model/finding.ts";
import { sign } from "./glance.ts";
import { cells, createSightings } from "./sightings.ts";
import { suggestMember } from "./suggest-line.ts";

/**
 * `1.23457E+15`: what spreadsheet programs make of long numbers. A code such as 12E5 has no sign in
 * its exponent. With fewer digits than its exponent has, the others are lost, and taking it for a
 * number would only hide that. Where the mapping makes a number of the cell, only those are told that are whole and
 * have fewer digits than they should: a small measured value is meant as it stands.
 */
export const scientificNumbers: CellRuleMaker = (use, accepts) => {
  const seen = createSightings();
  let hasLost = false;
  return {
    signs: sign.number | sign.edge,
    see(cell, place, isSent) {
      if (!isSent || !hasExponent(cell)) return;
      const [, decimals = "", exponent] = scientific.exec(cell) ?? [];
      if (exponent === undefined) return;
      const isShort = Number(exponent) > decimals.length;
      hasLost ||= isShort;
      if (use.asText || isShort) seen.add(place, cell);
    },
    found() {
      if (seen.count === 0) return [];
      const what = cells(seen.count, "holds a number", "hold numbers");
      const message = `${what} with an exponent, which is how spreadsheet programs write ${hasLost ? "long ones: digits that it does not show are lost, and have to be got from where the file came from. Export the column again as text" : "small ones: export the column again as text, or send it as a number if it is one"}`;
      return [
        {
          kind: "scientific_numbers",
          column: use.column,
          count: seen.count,
          first: seen.first,
          message,
          ...(use.asText && !hasLost ? suggestMember(use, { type: "number" }, accepts) : {}),
        },
      ];
    },
  };
};

/** Whether there is an E where that of an exponent stands: most numbers have none. */
function hasExponent(cell: string): boolean {
  const text = cell.trimEnd();
  for (let back = 3; back <= 5; back++) {
    if ((text.charCodeAt(text.length - back) | 0x20) === 0x65) return true;
  }
  return false;
}

const scientific = /^\s*[+-]?\d+(?:[.,](\d+))?e([+-]\d{1,3})\s*$/i;
