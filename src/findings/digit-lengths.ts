import type { CellRuleMaker } from "./finding.ts";
import { sign } from "./glance.ts";
import { cells, createSightings } from "./sightings.ts";

/**
 * Digits of several lengths that are sent as text, none with a zero before: so look codes and phone
 * numbers when a program has taken them for numbers. So do numbers that count something, so this is
 * worth telling only where there is reason to think that a program has changed the cells.
 */
export const digitLengths: CellRuleMaker = ({ column, asText }) => {
  if (!asText) return undefined;
  const seen = createSightings();
  let shortest = Number.POSITIVE_INFINITY;
  let longest = 0;
  let areOthers = false;
  return {
    signs: sign.digits | sign.number,
    see(cell, place, isSent) {
      const isCode = /^[1-9]\d*$/.test(cell);
      areOthers ||= !isCode;
      if (!isSent || areOthers) return;
      shortest = Math.min(shortest, cell.length);
      longest = Math.max(longest, cell.length);
      seen.add(place, cell);
    },
    found() {
      const { count, first } = seen;
      if (areOthers || shortest >= longest) return [];
      const message = `${cells(count, "holds", "hold")} ${shortest} to ${longest} digits and nothing else: if these are codes or phone numbers, a spreadsheet program may have taken off zeros or a plus before them; put back what is missing`;
      return [{ kind: "mixed_digit_lengths", column, count, first, message }];
    },
  };
};
