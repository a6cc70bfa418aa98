import { sum } from "../model/quantities.ts";
import { feature } from "./cell-features.ts";
import {
  type CellClass,
  type Classes,
  cells,
  firstValue,
  type Lint,
  type Seen,
  together,
} from "./lint.ts";

/**
 * Codes that have lost their leading zeros: they are shorter than nearly all codes that begin with a
 * zero. If no code begins with a zero, numbers of different lengths are normal, unless the name of the
 * column says that they are postal codes, and most have five digits. A few cells of another length change
 * nothing.
 *
 * The class of a code is its length, below zero if the code begins with a zero.
 */
export const lostLeadingZeros: Lint = ({ asText, isPadded, column }) => {
  if (!asText || isPadded) return undefined;
  const isPostal = postalCodes.test(column);
  let hasZipPlusFour = false;

  return {
    kind: "lost_leading_zeros",
    isDamage: true,
    features: feature.digits | feature.edgeSpace | (isPostal ? feature.number : 0),
    classOf(cell, features) {
      if (cell.length > maxChars) return undefined;
      let code = cell;
      if ((features & feature.digits) === 0) {
        code = cell.trim();
        if (!onlyDigits.test(code)) {
          if (!isPostal) return undefined;
          const isZipPlusFour = zipPlusFour.test(code);
          hasZipPlusFour ||= isZipPlusFour;
          return isZipPlusFour || !beginsLikeNumber.test(code) ? undefined : foreign;
        }
      }
      if (code.length === 1 || code.charCodeAt(0) !== zero) return code.length;
      return onlyZeros.test(code) ? allZeros : -code.length;
    },
    judge(_, classes) {
      const length = findFullLength(classes, isPostal);
      if (length === undefined) return undefined;
      const found = shorterThan(length, classes);
      const example = classes.get(-length)?.example;
      const others = example === undefined ? "most others" : `others such as ${example}`;
      const message = `${cells(found, "has", "have")} fewer digits than the ${length} of ${others}: leading zeros seem to be lost, as spreadsheet programs do. Get the codes from the source of the file`;
      if (hasZipPlusFour) return { ...found, message };
      return { ...found, message, memberKeys: { pattern: `^\\d{${length}}$` } };
    },
  };
};

const maxChars = 20;
const onlyDigits = /^\d+$/;
const beginsLikeNumber = /^[\d+-]/;
const onlyZeros = /^0+$/;
const zipPlusFour = /^\d{5}-\d{4}$/;
/** Postal codes such as 1012 AB and 00-950, which are of other countries than those of five digits. */
const foreign = "foreign";
/** 00000 is as often a missing value as a code. */
const allZeros = "zeros";
/** `Zip`, `postal_code`, `MailingPostalCode`, `code postal`, `PLZ` and the like. */
const postalCodes =
  /(?:^|[^a-z])(?:zip|plz|cap)(?:[^a-z]|$)|zip[ _-]?code|postal|post[ _-]?code|postleitzahl|ingzip/i;

/** Codes that begin with another digit than zero. */
function shorterThan(length: number, classes: Classes): Seen {
  const lengths = Array.from({ length }, (_, shorter) => classes.get(shorter));
  return together(lengths.filter((tally) => tally !== undefined));
}

/** The length that all codes of a column should have. */
function findFullLength(classes: Classes, isPostal: boolean): number | undefined {
  const countOf = (name: CellClass) => classes.get(name)?.all ?? 0;
  const lengths = Array.from({ length: maxChars + 1 }, (_, length) => length);
  const withZero = lengths.map((length) => (length === 0 ? 0 : countOf(-length)));
  const counts = lengths.map((length) => countOf(length) + (withZero[length] ?? 0));
  const zeros = Math.max(...withZero);
  const length = withZero.indexOf(zeros);
  const shorter = shorterThan(length, classes).count;
  const [five = 0, fiveWithZero = 0] = [counts[5], withZero[5]];
  const isAbroad = countOf(foreign) > sum(counts) * some;
  // Where postal codes keep their zeros, many shorter ones are of other countries.
  const keepsZeros = five >= minCodes && fiveWithZero >= five * some && shorter > zeros;
  if (isPostal && (isAbroad || keepsZeros)) return undefined;
  const here = counts[length] ?? 0;
  const longer = sum(counts.slice(length + 1));
  // One odd cell that begins with a zero does not make codes of ordinary numbers, which differ in length.
  const isEvidence = shorter <= zeros * (here === Math.max(...counts) ? 100 : 10);
  if (zeros >= sum(withZero) * nearlyAll && longer <= here && isEvidence) return length;
  const mayBeOther = sum(withZero) - fiveWithZero > sum(counts) * hardlyAny;
  return isPostal && !mayBeOther && five * 2 > sum(counts) ? 5 : undefined;
}

const minCodes = 20;
const nearlyAll = 0.9;
const some = 0.05;
const hardlyAny = 0.01;

/** Codes such as `00172` that the mapping turns into numbers. */
export const droppedLeadingZeros: Lint = ({ asNumber, member }) => {
  if (asNumber === undefined) return undefined;
  const isNumber = member?.spec.type !== undefined && member.spec.type !== "string";
  return {
    kind: "dropped_leading_zeros",
    isDamage: true,
    features: feature.digits | feature.edgeSpace,
    classOf(cell, features) {
      if (cell.length > maxNumberChars) return undefined;
      const code = (features & feature.edgeSpace) === 0 ? cell : cell.trim();
      return code.charCodeAt(0) === zero && paddedNumber.test(code) ? "padded" : undefined;
    },
    judge(found) {
      const code = firstValue(found);
      const becomes = `${code} becomes ${code.replace(/^0+/, "")}`;
      const message = `${cells(found, "begins", "begin")} with a zero, which the number made of ${found.count === 1 ? "it" : "them"} does not keep: ${becomes}. If it is a code, map it as text`;
      return { message, ...(isNumber ? { memberKeys: { type: "string" } } : {}) };
    },
  };
};

const maxNumberChars = 40;
const zero = 0x30;
const paddedNumber = /^0+[1-9]\d*$/;
