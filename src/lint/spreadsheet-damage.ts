import { type CellRuleMaker, feature } from "./cell-rule.ts";
import { cells, createOccurrences } from "./occurrences.ts";
import { suggestMember } from "./suggestion.ts";

/**
 * `1.23457E+15`: how spreadsheet programs write long numbers. A code such as 12E5 has no sign in its
 * exponent. If there are fewer decimals than a large exponent says, digits are lost, and a mapping to a number
 * would only hide that. If the column is mapped to a number, or a function may make one of it, only cells
 * with lost digits are reported: a small measured value such as 1.5E-7 is right as it is.
 */
export const scientificNumbers: CellRuleMaker = (use, accepts) => {
  const occurrences = createOccurrences();
  const isText = use.asText && use.byFunction === undefined;
  let hasLostDigits = false;
  return {
    features: feature.number | feature.edgeSpace,
    see(cell, place, isSent) {
      if (!isSent || !hasExponent(cell)) return;
      const [, decimals = "", exponent] = scientific.exec(cell) ?? [];
      if (exponent === undefined) return;
      const lacksDigits = Number(exponent) > Math.max(decimals.length, maxShownExponent);
      hasLostDigits ||= lacksDigits;
      if (isText || lacksDigits) occurrences.add(place, cell);
    },
    found() {
      const { count, first } = occurrences;
      if (count === 0) return [];
      const what = cells(count, "holds a number", "hold numbers");
      const message = `${what} with an exponent, which is how spreadsheet programs write ${hasLostDigits ? "long ones: the digits that are not shown are lost. Get the column from the source of the file, as text" : "very small or large ones: export the column again as text, or send it as a number if it is one"}`;
      const suggestion =
        isText && !hasLostDigits ? suggestMember(use, { type: "number" }, accepts) : {};
      return [
        { kind: "scientific_numbers", column: use.column, count, first, message, ...suggestion },
      ];
    },
  };
};

/** Whether there is an E where an exponent would have it. Most numbers have none. */
function hasExponent(cell: string): boolean {
  const text = cell.trimEnd();
  for (let back = 3; back <= 5; back++) {
    if ((text.charCodeAt(text.length - back) | 0x20) === 0x65) return true;
  }
  return false;
}

const scientific = /^\s*[+-]?\d+(?:[.,](\d+))?e([+-]\d{1,3})\s*$/i;
/** Spreadsheet programs show ten digits of a number in full; R writes 1e+05 for 100000. */
const maxShownExponent = 9;

/**
 * Numbers of more than 15 digits, all zeros from the sixteenth on: spreadsheet programs keep 15 digits.
 * One long number may end in zeros by chance, so more than half of the long ones in the column have to.
 */
export const longNumbers: CellRuleMaker = ({ column }) => {
  const occurrences = createOccurrences();
  let longCount = 0;
  let cutOffCount = 0;
  return {
    features: feature.digits | feature.number,
    see(cell, place, isSent) {
      if (cell.length < minChars || cell.length > maxChars || !digits.test(cell)) return;
      longCount++;
      if (!cutOff.test(cell)) return;
      cutOffCount++;
      if (isSent) occurrences.add(place, cell);
    },
    found() {
      const { count, first } = occurrences;
      if (count === 0 || cutOffCount * 2 <= longCount) return [];
      const message = `${cells(count, "holds a long number", "hold long numbers")} with nothing but zeros after its first 15 digits, which are all that spreadsheet programs keep: the others seem to be lost. Get the column from the source of the file, as text`;
      return [{ kind: "long_numbers", column, count, first, message }];
    },
  };
};

const minChars = 16;
const maxChars = 40;
const digits = /^[+-]?\d{16,}$/;
/** A number with zeros before the sixteenth digit too is a round one. */
const cutOff = /^[+-]?[1-9]\d{9}(?!00000)\d{5}0+$/;

/** What spreadsheet programs show if a formula failed, or a number is too wide for its column. */
export const spreadsheetErrors: CellRuleMaker = (use) => {
  if (!use.asText) return undefined;
  const occurrences = createOccurrences();
  const found = new Set<string>();
  return {
    features: feature.placeholder | feature.edgeSpace,
    see(cell, place, isSent) {
      if (!isSent || cell.length > maxErrorChars) return;
      const text = cell.trim();
      if (!errorValue.test(text) || use.knownCells.has(text)) return;
      occurrences.add(place, cell);
      found.add(text.startsWith("##") ? "####" : text);
    },
    found() {
      const { count, first } = occurrences;
      if (count === 0) return [];
      const message = `${cells(count, "holds", "hold")} what a spreadsheet program shows in place of a value (${[...found].join(", ")}): get the value from the source of the file`;
      return [{ kind: "spreadsheet_errors", column: use.column, count, first, message }];
    },
  };
};

const maxErrorChars = 255;
const errorValue =
  /^(?:#{3,}|#(?:NAME\?|REF!|VALUE!|DIV\/0!|NUM!|NULL!|SPILL!|CALC!|FIELD!|BLOCKED!|CONNECT!|UNKNOWN!|GETTING_DATA|ERROR!)|Err:5\d\d)$/;
