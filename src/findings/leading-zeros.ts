import type { CellRuleMaker } from "./finding.ts";
import { sign } from "./glance.ts";
import { cells, createSightings, type Sightings } from "./sightings.ts";
import { suggestMember } from "./suggest-line.ts";

/**
 * Codes that have lost their leading zeros: shorter than the others of the column, of which some
 * begin with a zero and all of those are as long as any. Without one that begins with a zero, short
 * and long numbers are nothing strange, unless the column is called a postal code and at least half
 * of them have five digits.
 */
export const leadingZeros: CellRuleMaker = (use, accepts) => {
  if (!use.asText) return undefined;
  const isPostalCode = postal.test(use.column);
  const byLength = Array.from(
    { length: longest + 1 },
    (): Lengths => ({
      all: 0,
      withZero: 0,
      withoutZero: createSightings(),
    }),
  );
  let example = "";

  const expectedLength = (): number | undefined => {
    const used = byLength.flatMap(({ all }, length) => (all > 0 ? [length] : []));
    const zeroed = used.filter((length) => (byLength[length]?.withZero ?? 0) > 0);
    const [length] = zeroed;
    if (zeroed.length === 1 && length !== undefined && length === used.at(-1)) return length;
    if (zeroed.length > 0 || !isPostalCode || used.at(-1) !== 5) return undefined;
    const total = byLength.reduce((sum, { all }) => sum + all, 0);
    return (byLength[5]?.all ?? 0) * 2 >= total ? 5 : undefined;
  };

  return {
    signs: sign.digits,
    see(cell, place, isSent) {
      const { length } = cell;
      if (length > longest) return;
      const entry = byLength[length];
      if (entry === undefined) return;
      entry.all++;
      if (length > 1 && cell.startsWith("0")) {
        entry.withZero++;
        example ||= cell;
      } else if (isSent) entry.withoutZero.add(place, cell);
    },
    found() {
      const length = expectedLength();
      if (length === undefined) return [];
      const shorter = byLength.slice(0, length).map(({ withoutZero }) => withoutZero);
      const count = shorter.reduce((sum, seen) => sum + seen.count, 0);
      if (count === 0) return [];
      const first = shorter
        .flatMap((seen) => seen.first)
        .toSorted((a, b) => a.row - b.row)
        .slice(0, 5);
      const others =
        example === ""
          ? `the ${length} of most others`
          : `the ${length} of others such as ${example}`;
      const message = `${cells(count, "has", "have")} fewer digits than ${others}: leading zeros seem to be lost, as spreadsheet programs do. Put them back from where the file came from`;
      const pattern = `^\\d{${length}}$`;
      return [
        {
          kind: "lost_leading_zeros",
          column: use.column,
          count,
          first,
          message,
          ...suggestMember(use, { pattern }, accepts),
        },
      ];
    },
  };
};

interface Lengths {
  all: number;
  withZero: number;
  readonly withoutZero: Sightings;
}

const longest = 20;
const postal =
  /(?:^|[^a-z])(?:zip|postal|postcode|post ?code|plz|postleitzahl|cap)(?:[^a-z]|$)|zip ?code/i;
