import type { CellRuleMaker } from "../model/finding.ts";
import { sign } from "./glance.ts";
import {
  countWithoutZero,
  type FullLength,
  fullLength,
  type LengthTally,
} from "./lengths-of-codes.ts";
import { postalName } from "./postal-name.ts";
import { cells, createSightings } from "./sightings.ts";
import { suggestMember } from "./suggest-line.ts";

/**
 * Codes that have lost their leading zeros: shorter than nearly all of those that begin with a zero.
 * Without one that begins so, short and long numbers are nothing strange, unless the column is called
 * a postal code. A few cells of yet another length change nothing.
 */
export const leadingZeros: CellRuleMaker = (use, accepts) => {
  if (!use.asText) return undefined;
  const postal = postalName(use.column);
  const tallies = Array.from(
    { length: longest + 1 },
    (): LengthTally => ({ all: 0, withZero: 0, withoutZero: createSightings() }),
  );
  let dashed = 0;

  /** The code of a cell that is not all digits. */
  const codeIn = (cell: string): string | undefined => {
    const text = cell.trim();
    if (onlyDigits.test(text)) return text;
    if (postal === undefined || !zipPlusFour.test(text)) return undefined;
    dashed++;
    return text.slice(0, -5);
  };

  const line = ({ length, because }: FullLength) => {
    if (because === "perhaps_postal") return {};
    const mayGoOn = postal !== undefined && (dashed > 0 || (tallies[9]?.all ?? 0) > 0);
    const pattern = mayGoOn && length === 5 ? "^\\d{5}(-?\\d{4})?$" : `^\\d{${length}}$`;
    return suggestMember(use, { pattern }, accepts);
  };

  return {
    // With a minus between, ZIP+4 begins as a number does.
    signs: sign.digits | sign.edge | (postal === undefined ? 0 : sign.number),
    see(cell, place, isSent, shown) {
      if (cell.length > longest) return;
      const code = (shown & sign.digits) === 0 ? codeIn(cell) : cell;
      if (code === undefined) return;
      const tally = tallies[code.length];
      if (tally === undefined) return;
      tally.all++;
      if (code.length > 1 && code.startsWith("0")) {
        // Nothing but zeros stands for nothing as often as for a code.
        if (onlyZeros.test(code)) return;
        tally.withZero++;
        tally.example ??= code;
      } else if (isSent) tally.withoutZero.add(place, cell);
    },
    found() {
      const full = fullLength(tallies, postal);
      if (full === undefined) return [];
      const shorter = tallies.slice(0, full.length);
      const count = countWithoutZero(shorter);
      if (count === 0) return [];
      const first = shorter
        .flatMap(({ withoutZero }) => withoutZero.first)
        .toSorted((a, b) => a.row - b.row)
        .slice(0, 5);
      const message = `${cells(count, "has", "have")} fewer digits than the ${full.length} of ${others(full, tallies)}: leading zeros seem to be lost, as spreadsheet programs do${doubt(full)}. Put them back from where the file came from`;
      const { column } = use;
      return [{ kind: "lost_leading_zeros", column, count, first, message, ...line(full) }];
    },
  };
};

function others({ length, because }: FullLength, tallies: readonly LengthTally[]): string {
  const example = tallies[length]?.example;
  if (example !== undefined) return `others such as ${example}`;
  return because === "postal" ? "most others" : "others";
}

function doubt({ because }: FullLength): string {
  return because === "perhaps_postal" ? ", unless they are of a country with shorter codes" : "";
}

const longest = 20;
const onlyDigits = /^\d+$/;
const onlyZeros = /^0+$/;
const zipPlusFour = /^\d{4,5}-\d{4}$/;
