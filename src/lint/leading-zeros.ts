import type { CellRuleMaker } from "../model/finding.ts";
import { sign } from "./glance.ts";
import { cells, createSightings, type Sightings, suggestMember } from "./sightings.ts";

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

/** What is known of the codes of one length. */
export interface LengthTally {
  all: number;
  /** Those that begin with a zero, though they are more than zeros. */
  withZero: number;
  /** The first of these. */
  example?: string;
  /** Those that begin with another digit, and would be sent. */
  readonly withoutZero: Sightings;
}

/** A length that shorter codes fall short of. */
export interface FullLength {
  readonly length: number;
  /** What of this length makes believe that the shorter ones have lost something. */
  readonly because: "zeros" | "postal" | "perhaps_postal";
}

/** The length that the shorter codes of a column should have, if it is known. */
function fullLength(tallies: readonly LengthTally[], postal: PostalName): FullLength | undefined {
  const all = sum(tallies.map((tally) => tally.all));
  const zeroed = sum(tallies.map(({ withZero }) => withZero));
  const length = tallies.reduce(
    (best, { withZero }, at) => (withZero > (tallies[best]?.withZero ?? 0) ? at : best),
    0,
  );
  const { all: here = 0, withZero = 0 } = tallies[length] ?? {};
  const shorter = countWithoutZero(tallies.slice(0, length));
  const longer = sum(tallies.slice(length + 1).map((tally) => tally.all));
  const isMostFrequent = tallies.every((tally) => tally.all <= here);
  // Of ordinary numbers many are shorter: an odd one that begins with a zero makes no codes of them.
  const isEvidence = shorter <= withZero * (isMostFrequent ? 100 : 10);
  if (withZero >= zeroed * most && longer <= here && isEvidence)
    return { length, because: "zeros" };

  const elsewhere = zeroed - (tallies[5]?.withZero ?? 0);
  if (postal === undefined || elsewhere > all * few) return undefined;
  const five = tallies[5]?.all ?? 0;
  if (five * 2 >= all) return { length: 5, because: "postal" };
  const four = tallies[4]?.all ?? 0;
  const nine = tallies[9]?.all ?? 0;
  const isMixed = five > 0 && five >= four * few && four + five + nine >= all * most;
  return postal === "any_country" && isMixed ? { length: 5, because: "perhaps_postal" } : undefined;
}

/** How many would be sent and begin with another digit than zero. */
function countWithoutZero(tallies: readonly LengthTally[]): number {
  return sum(tallies.map(({ withoutZero }) => withoutZero.count));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

const most = 0.9;
const few = 0.01;

/** What the name of a column says of postal codes: of any country, or of one that it names. */
export type PostalName = "any_country" | "one_country" | undefined;

/** Knows `Zip`, `postal_code`, `MailingPostalCode`, `code postal`, `PLZ` and their like. */
function postalName(column: string): PostalName {
  if (anyCountry.test(column) || zipAfterWord.test(column)) return "any_country";
  return oneCountry.test(column) ? "one_country" : undefined;
}

const anyCountry = /(?:^|[^a-z])zip(?:[^a-z]|$)|zip[ _-]?code|postal|post[ _-]?code/i;
const zipAfterWord = /[a-z]Z(?:ip|IP)(?![a-z])/;
const oneCountry = /(?:^|[^a-z])(?:plz|postleitzahl|cap)(?:[^a-z]|$)/i;

/**
 * Codes with zeros in front that the mapping takes for numbers, as `00172`. Nothing but zeros stands for
 * nothing as often as for a code.
 */
export const droppedZeros: CellRuleMaker = (use, accepts) => {
  if (use.asNumber === undefined) return undefined;
  const seen = createSightings();
  return {
    signs: sign.digits | sign.edge,
    see(cell, place, isSent, shown) {
      if (!isSent || cell.length > longestNumber) return;
      const code = (shown & sign.edge) === 0 ? cell : cell.trim();
      if (code.charCodeAt(0) === zero && zerosBefore.test(code)) seen.add(place, cell);
    },
    found() {
      const { count, first } = seen;
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

const longestNumber = 40;
const zero = 0x30;
const zerosBefore = /^0+[1-9]\d*$/;
