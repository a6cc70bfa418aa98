import { sum } from "../model/quantities.ts";
import { type CellRuleMaker, feature } from "./cell-rule.ts";
import { cells, createOccurrences, maxPlaces, type Occurrences } from "./occurrences.ts";
import { suggestMember } from "./suggestion.ts";

/**
 * Codes that have lost their leading zeros: they are shorter than nearly all codes that begin with a
 * zero. If no code begins with a zero, numbers of different lengths are normal, unless the name of the
 * column says that they are postal codes. A few cells of another length change nothing.
 */
export const lostLeadingZeros: CellRuleMaker = (use, accepts) => {
  if (!use.asText || use.isPadded) return undefined;
  const postal = postalCodeColumn(use.column);
  const tallies = Array.from(
    { length: maxChars + 1 },
    (): LengthTally => ({ all: 0, withZero: 0, withoutZero: createOccurrences() }),
  );
  let zipPlusFourCount = 0;
  /** Postal codes such as 1012 AB and 00-950, which are of other countries than those of five digits. */
  let foreignCount = 0;

  /** The code of a cell that is not all digits. */
  const codeIn = (cell: string): string | undefined => {
    const text = cell.trim();
    if (onlyDigits.test(text)) return text;
    if (postal === undefined) return undefined;
    if (!zipPlusFour.test(text)) {
      foreignCount++;
      return undefined;
    }
    zipPlusFourCount++;
    return text.slice(0, -5);
  };

  const line = ({ length, because }: FullLength) => {
    if (because === "perhaps_postal") return {};
    const hasZipPlusFour =
      postal !== undefined && (zipPlusFourCount > 0 || (tallies[9]?.all ?? 0) > 0);
    const pattern = hasZipPlusFour && length === 5 ? "^\\d{5}(-?\\d{4})?$" : `^\\d{${length}}$`;
    return suggestMember(use, { pattern }, accepts);
  };

  return {
    // ZIP+4 with a minus begins like a number.
    features: feature.digits | feature.edgeSpace | (postal === undefined ? 0 : feature.number),
    see(cell, place, isSent, features) {
      if (cell.length > maxChars) return;
      const code = (features & feature.digits) === 0 ? codeIn(cell) : cell;
      if (code === undefined) return;
      const tally = tallies[code.length];
      if (tally === undefined) return;
      tally.all++;
      if (code.length > 1 && code.startsWith("0")) {
        // 00000 is as often a missing value as a code.
        if (onlyZeros.test(code)) return;
        tally.withZero++;
        tally.example ??= code;
      } else if (isSent) tally.withoutZero.add(place, cell);
    },
    found() {
      const full = findFullLength(tallies, postal, foreignCount);
      if (full === undefined) return [];
      const shorter = tallies.slice(0, full.length);
      const count = countWithoutZero(shorter);
      if (count === 0) return [];
      const first = shorter
        .flatMap(({ withoutZero }) => withoutZero.first)
        .toSorted((a, b) => a.row - b.row)
        .slice(0, maxPlaces);
      const message = `${cells(count, "has", "have")} fewer digits than the ${full.length} of ${others(full, tallies)}: leading zeros seem to be lost, as spreadsheet programs do${doubt(full)}. Get the codes from the source of the file`;
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

const maxChars = 20;
const onlyDigits = /^\d+$/;
const onlyZeros = /^0+$/;
const zipPlusFour = /^\d{4,5}-\d{4}$/;

/** The codes of one length. */
interface LengthTally {
  all: number;
  /** Those that begin with a zero, without those that are all zeros. */
  withZero: number;
  /** The first of these. */
  example?: string;
  /** Those that begin with another digit and are sent. */
  readonly withoutZero: Occurrences;
}

/** The length that all codes of a column should have. */
interface FullLength {
  readonly length: number;
  /** Why shorter codes seem to have lost zeros. */
  readonly because: "zeros" | "postal" | "perhaps_postal";
}

function findFullLength(
  tallies: readonly LengthTally[],
  postal: PostalCodeColumn,
  foreignCount: number,
): FullLength | undefined {
  const all = sum(tallies.map((tally) => tally.all));
  const withZeros = sum(tallies.map(({ withZero }) => withZero));
  const length = tallies.reduce(
    (best, { withZero }, at) => (withZero > (tallies[best]?.withZero ?? 0) ? at : best),
    0,
  );
  const { all: here = 0, withZero = 0 } = tallies[length] ?? {};
  const shorter = countWithoutZero(tallies.slice(0, length));
  const longer = sum(tallies.slice(length + 1).map((tally) => tally.all));
  const isMostFrequent = tallies.every((tally) => tally.all <= here);
  const five = tallies[5]?.all ?? 0;
  const four = tallies[4]?.all ?? 0;
  const nine = tallies[9]?.all ?? 0;
  // Where zeros are kept, many shorter codes are of other countries.
  const keepsZeros =
    postal !== undefined &&
    five >= minCodesOfMany &&
    (tallies[5]?.withZero ?? 0) >= five * some &&
    shorter > withZero;
  if (keepsZeros || foreignCount > all * some) return undefined;
  // One odd cell that begins with a zero does not make codes of ordinary numbers, which differ in length.
  const isEvidence = shorter <= withZero * (isMostFrequent ? 100 : 10);
  if (withZero >= withZeros * nearlyAll && longer <= here && isEvidence)
    return { length, because: "zeros" };

  const elsewhere = withZeros - (tallies[5]?.withZero ?? 0);
  if (postal === undefined || elsewhere > all * hardlyAny) return undefined;
  if ((five + nine) * 2 > all) return { length: 5, because: "postal" };
  const isMixed = five > 0 && five >= four * hardlyAny && four + five + nine >= all * nearlyAll;
  return postal === "any_country" && isMixed && all >= minMixedCodes
    ? { length: 5, because: "perhaps_postal" }
    : undefined;
}

const minCodesOfMany = 20;
const some = 0.05;
/** Of fewer, one of another length shows nothing. */
const minMixedCodes = 5;

/** How many are sent and begin with a digit other than zero. */
function countWithoutZero(tallies: readonly LengthTally[]): number {
  return sum(tallies.map(({ withoutZero }) => withoutZero.count));
}

const nearlyAll = 0.9;
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

/** Codes such as `00172` that the mapping turns into numbers. 00000 is as often a missing value as a code. */
export const droppedLeadingZeros: CellRuleMaker = (use, accepts) => {
  if (use.asNumber === undefined) return undefined;
  const occurrences = createOccurrences();
  return {
    features: feature.digits | feature.edgeSpace,
    see(cell, place, isSent, features) {
      if (!isSent || cell.length > maxNumberChars) return;
      const code = (features & feature.edgeSpace) === 0 ? cell : cell.trim();
      if (code.charCodeAt(0) === zero && leadingZeros.test(code)) occurrences.add(place, cell);
    },
    found() {
      const { count, first } = occurrences;
      if (count === 0) return [];
      const code = first[0]?.value?.trim() ?? "";
      const becomes = `${code} becomes ${code.replace(/^0+/, "")}`;
      const message = `${cells(count, "begins", "begin")} with a zero, which the number made of ${count === 1 ? "it" : "them"} does not keep: ${becomes}. If it is a code, map it as text`;
      const { column, member } = use;
      const isNumber = member?.spec.type !== undefined && member.spec.type !== "string";
      return [
        {
          ...{ kind: "dropped_leading_zeros" as const, column, count, first, message },
          ...(isNumber ? suggestMember(use, { type: "string" }, accepts) : {}),
        },
      ];
    },
  };
};

const maxNumberChars = 40;
const zero = 0x30;
const leadingZeros = /^0+[1-9]\d*$/;
