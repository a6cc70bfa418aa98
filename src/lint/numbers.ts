import { feature } from "./cell-features.ts";
import { cells, type Lint } from "./lint.ts";

/**
 * `1.23457E+15`: how spreadsheet programs write long numbers. A code such as 12E5 has no sign in its
 * exponent. If there are fewer decimals than a large exponent says, digits are lost, and a mapping to a number
 * would only hide that. If the column is mapped to a number, or a function may make one of it, only cells
 * with lost digits are reported: a small measured value such as 1.5E-7 is right as it is.
 */
export const scientificNumbers: Lint = (use) => {
  const isText = use.asText && use.byFunction === undefined;
  return {
    kind: "scientific_numbers",
    isDamage: true,
    features: feature.number | feature.edgeSpace,
    classOf(cell) {
      if (!hasExponent(cell)) return undefined;
      const [, decimals = "", exponent] = scientific.exec(cell) ?? [];
      if (exponent === undefined) return undefined;
      if (Number(exponent) > Math.max(decimals.length, maxShownExponent)) return "lost";
      return isText ? "shown" : undefined;
    },
    judge(found, classes) {
      const isLost = (classes.get("lost")?.count ?? 0) > 0;
      const what = cells(found, "holds a number", "hold numbers");
      const message = `${what} with an exponent, which is how spreadsheet programs write ${isLost ? "long ones: the digits that are not shown are lost. Get the column from the source of the file, as text" : "very small or large ones: export the column again as text, or send it as a number if it is one"}`;
      return isText && !isLost ? { message, memberKeys: { type: "number" } } : { message };
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
export const longNumbers: Lint = () => ({
  kind: "long_numbers",
  isDamage: true,
  features: feature.digits | feature.number,
  classOf(cell) {
    if (cell.length < minLongChars || cell.length > maxLongChars) return undefined;
    if (!longDigits.test(cell)) return undefined;
    return cutOff.test(cell) ? "cut" : "whole";
  },
  judge(_, classes) {
    const cut = classes.get("cut");
    if (cut === undefined || cut.all <= (classes.get("whole")?.all ?? 0)) return undefined;
    const message = `${cells(cut, "holds a long number", "hold long numbers")} with nothing but zeros after its first 15 digits, which are all that spreadsheet programs keep: the others seem to be lost. Get the column from the source of the file, as text`;
    return { ...cut, message };
  },
});

const minLongChars = 16;
const maxLongChars = 40;
const longDigits = /^[+-]?\d{16,}$/;
/** A number with zeros before the sixteenth digit too is a round one. */
const cutOff = /^[+-]?[1-9]\d{9}(?!00000)\d{5}0+$/;
