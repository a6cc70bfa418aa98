import type { CellRuleMaker } from "../model/finding.ts";
import { sign } from "./glance.ts";
import { cells, createSightings, suggestMember } from "./sightings.ts";

/**
 * `1.23457E+15`: what spreadsheet programs make of long numbers. A code such as 12E5 has no sign in
 * its exponent. With fewer digits than its exponent has, the others are lost, and taking it for a
 * number would only hide that. Where the mapping makes a number of the cell, only those are reported that
 * are whole and have fewer digits than they should: a small measured value is meant as it stands.
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

/** What spreadsheet programs write where a formula failed, or a number did not fit in its column. */
export const spreadsheetErrors: CellRuleMaker = (use) => {
  if (!use.asText) return undefined;
  const seen = createSightings();
  const found = new Set<string>();
  return {
    signs: sign.standIn | sign.edge,
    see(cell, place, isSent) {
      if (!isSent || cell.length > longestError) return;
      const text = cell.trim();
      if (!failed.test(text) || use.knownCells.has(text)) return;
      seen.add(place, cell);
      found.add(text.startsWith("##") ? "####" : text);
    },
    found() {
      const { count, first } = seen;
      if (count === 0) return [];
      const message = `${cells(count, "holds", "hold")} what a spreadsheet program shows in place of a value (${[...found].join(", ")}): get the value from where the file came from`;
      return [{ kind: "spreadsheet_errors", column: use.column, count, first, message }];
    },
  };
};

const longestError = 255;
const failed =
  /^(?:#{3,}|#(?:NAME\?|REF!|VALUE!|DIV\/0!|NUM!|NULL!|SPILL!|CALC!|FIELD!|BLOCKED!|CONNECT!|UNKNOWN!|GETTING_DATA|ERROR!)|Err:5\d\d)$/;
