import { sum } from "../model/quantities.ts";
import { feature } from "./cell-features.ts";
import { type Classes, cells, firstValue, type Lint, type Seen, together } from "./lint.ts";

/**
 * Codes that have lost their leading zeros: they are shorter than nearly all codes that begin with a
 * zero. If no code begins with a zero, numbers of different lengths are normal, unless the name of the
 * column says that they are postal codes. A few cells of another length change nothing.
 *
 * The class of a code is its length, below zero if the code begins with a zero.
 */
export const lostLeadingZeros: Lint = ({ asText, isPadded, column }) => {
  if (!asText || isPadded) return undefined;
  const postal = postalCodeColumn(column);
  let hasZipPlusFour = false;

  return {
    kind: "lost_leading_zeros",
    isDamage: true,
    // ZIP+4 with a minus begins like a number.
    features: feature.digits | feature.edgeSpace | (postal === undefined ? 0 : feature.number),
    classOf(cell, features) {
      if (cell.length > maxChars) return undefined;
      let code = cell;
      if ((features & feature.digits) === 0) {
        code = cell.trim();
        if (postal !== undefined && zipPlusFour.test(code)) {
          hasZipPlusFour = true;
          code = code.slice(0, -5);
        } else if (!onlyDigits.test(code)) {
          return postal !== undefined && beginsLikeNumber.test(code) ? foreign : undefined;
        }
      }
      if (code.length === 1 || code.charCodeAt(0) !== zero) return code.length;
      return onlyZeros.test(code) ? allZeros : -code.length;
    },
    judge(_, classes) {
      const full = findFullLength(classes, postal);
      if (full === undefined) return undefined;
      const { length, because } = full;
      const found = shorterThan(length, classes);
      const example = classes.get(-length)?.example;
      const most = because === "postal" ? "most others" : "others";
      const others = example === undefined ? most : `others such as ${example}`;
      const isInDoubt = because === "perhaps_postal";
      const doubt = isInDoubt ? ", unless they are of a country with shorter codes" : "";
      const message = `${cells(found, "has", "have")} fewer digits than the ${length} of ${others}: leading zeros seem to be lost, as spreadsheet programs do${doubt}. Get the codes from the source of the file`;
      if (isInDoubt) return { ...found, message };
      const isLonger = postal !== undefined && (hasZipPlusFour || countOf(classes, 9) > 0);
      const pattern = isLonger && length === 5 ? "^\\d{5}(-?\\d{4})?$" : `^\\d{${length}}$`;
      return { ...found, message, memberKeys: { pattern } };
    },
  };
};

const maxChars = 20;
const onlyDigits = /^\d+$/;
const beginsLikeNumber = /^[\d+-]/;
const onlyZeros = /^0+$/;
const zipPlusFour = /^\d{4,5}-\d{4}$/;
/** Postal codes such as 1012 AB and 00-950, which are of other countries than those of five digits. */
const foreign = "foreign";
/** 00000 is as often a missing value as a code. */
const allZeros = "zeros";

/** Codes that begin with another digit than zero. */
function shorterThan(length: number, classes: Classes): Seen {
  const lengths = Array.from({ length }, (_, shorter) => classes.get(shorter));
  return together(lengths.filter((tally) => tally !== undefined));
}

/** How many codes have this length, with and without a zero. */
function countOf(classes: Classes, length: number): number {
  return (classes.get(length)?.all ?? 0) + (classes.get(-length)?.all ?? 0);
}

/** The length that all codes of a column should have. */
interface FullLength {
  readonly length: number;
  /** Why shorter codes seem to have lost zeros. */
  readonly because: "zeros" | "postal" | "perhaps_postal";
}

function findFullLength(classes: Classes, postal: PostalCodeColumn): FullLength | undefined {
  const lengths = Array.from({ length: maxChars + 1 }, (_, length) => countOf(classes, length));
  const withZero = lengths.map((_, length) => (length && classes.get(-length)?.all) || 0);
  const all = sum(lengths);
  const zeros = Math.max(...withZero);
  const length = withZero.indexOf(zeros);
  const shorter = shorterThan(length, classes).count;
  const [four = 0, five = 0, nine = 0] = [4, 5, 9].map((one) => lengths[one]);
  const fiveWithZero = withZero[5] ?? 0;
  // Where zeros are kept, many shorter codes are of other countries.
  const keepsZeros =
    postal !== undefined &&
    five >= minCodesOfMany &&
    fiveWithZero >= five * some &&
    shorter > zeros;
  if (keepsZeros || (classes.get(foreign)?.all ?? 0) > all * some) return undefined;
  const here = lengths[length] ?? 0;
  const longer = sum(lengths.slice(length + 1));
  // One odd cell that begins with a zero does not make codes of ordinary numbers, which differ in length.
  const isEvidence = shorter <= zeros * (here === Math.max(...lengths) ? 100 : 10);
  if (zeros >= sum(withZero) * nearlyAll && longer <= here && isEvidence)
    return { length, because: "zeros" };

  const zerosElsewhere = sum(withZero) - fiveWithZero;
  if (postal === undefined || zerosElsewhere > all * hardlyAny) return undefined;
  if ((five + nine) * 2 > all) return { length: 5, because: "postal" };
  const isMixed = five > 0 && five >= four * hardlyAny && four + five + nine >= all * nearlyAll;
  return postal === "any_country" && isMixed && all >= minMixedCodes
    ? { length: 5, because: "perhaps_postal" }
    : undefined;
}

const minCodesOfMany = 20;
/** Of fewer, one of another length shows nothing. */
const minMixedCodes = 5;
const nearlyAll = 0.9;
const some = 0.05;
const hardlyAny = 0.01;

/** Whether the name of a column says that it has postal codes, of any country or of a certain one. */
type PostalCodeColumn = "any_country" | "one_country" | undefined;

/** Recognizes `Zip`, `postal_code`, `MailingPostalCode`, `code postal`, `PLZ` and the like. */
function postalCodeColumn(column: string): PostalCodeColumn {
  if (anyCountry.test(column) || zipAfterWord.test(column)) return "any_country";
  return oneCountry.test(column) ? "one_country" : undefined;
}

const anyCountry = /(?:^|[^a-z])zip(?:[^a-z]|$)|zip[ _-]?code|postal|post[ _-]?code/i;
const zipAfterWord = /[a-z]Z(?:ip|IP)(?![a-z])/;
const oneCountry = /(?:^|[^a-z])(?:plz|postleitzahl|cap)(?:[^a-z]|$)/i;

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
