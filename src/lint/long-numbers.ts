import type { CellRuleMaker } from "../model/finding.ts";
import { sign } from "./glance.ts";
import { cells, createSightings } from "./sightings.ts";

/**
 * Numbers of more than 15 digits that end in zeros from the sixteenth on: spreadsheet programs keep no
 * more. A long number may end so by chance, so most long ones of the column have to.
 */
export const longNumbers: CellRuleMaker = ({ column }) => {
  const seen = createSightings();
  let long = 0;
  let zeroed = 0;
  return {
    signs: sign.digits | sign.number,
    see(cell, place, isSent) {
      if (cell.length < shortest || cell.length > longest || !digits.test(cell)) return;
      long++;
      if (!cutOff.test(cell)) return;
      zeroed++;
      if (isSent) seen.add(place, cell);
    },
    found() {
      const { count, first } = seen;
      if (count === 0 || zeroed * 2 <= long) return [];
      const message = `${cells(count, "holds a long number", "hold long numbers")} with nothing but zeros after its first 15 digits, which are all that spreadsheet programs keep: the others seem to be lost. Get the column from where the file came from, as text`;
      return [{ kind: "long_numbers", column, count, first, message }];
    },
  };
};

const shortest = 16;
const longest = 40;
const digits = /^[+-]?\d{16,}$/;
const cutOff = /^[+-]?[1-9]\d{14}0+$/;
