import type { PostalName } from "./postal-name.ts";
import type { Sightings } from "./sightings.ts";

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

/** The length that the shorter codes of a column should have, where it can be told. */
export function fullLength(
  tallies: readonly LengthTally[],
  postal: PostalName,
): FullLength | undefined {
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
export function countWithoutZero(tallies: readonly LengthTally[]): number {
  return sum(tallies.map(({ withoutZero }) => withoutZero.count));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

const most = 0.9;
const few = 0.01;
