import { grouped } from "../domain/quantities.ts";
import type { Row } from "../domain/row.ts";
import type { Finding } from "./finding.ts";
import { createSeenTexts } from "./seen-texts.ts";
import { createSightings } from "./sightings.ts";

/** Rows that are there twice, and keys of `order_by` that several rows share. */
export interface Repeats {
  /** Begins a row, which is only compared when it is ended. */
  begin(row: Row): void;
  /** The cells of the row, one after another. @returns the bits that any unit of the cell has */
  add(cell: string): number;
  /** Ends a row that is sent. */
  end(row: Row, orderKey: string | undefined): void;
  found(): readonly Finding[];
}

/** Hashes of so many rows, and of so many keys, are kept: they take 8 MB each at most. */
const usualMost = 1_000_000;

/** @param most how many rows and how many keys are remembered */
export function createRepeats(most = usualMost): Repeats {
  const rowsSeen = createSeenTexts(most);
  const keysSeen = createSeenTexts(most);
  const rows = createSightings();
  const keys = createSightings();

  return {
    begin: ({ earlier }) => rowsSeen.begin(eventOf(earlier)),
    add: rowsSeen.add,
    end(row, orderKey) {
      if (rowsSeen.end()) rows.add(row);
      if (orderKey === undefined) return;
      keysSeen.begin(eventOf(row.earlier));
      keysSeen.add(orderKey);
      if (keysSeen.end()) keys.add(row);
    },
    found() {
      const { count: twice } = rows;
      const { count: shared } = keys;
      return [
        ...(twice === 0
          ? []
          : [
              {
                kind: "duplicate_rows" as const,
                count: twice,
                first: rows.first,
                message: `${rowsAre(twice, "is the same as an earlier one", "are the same as earlier ones")}${bound(rowsSeen.isFull)}, and sent all the same: remove what is not meant twice`,
              },
            ]),
        ...(shared === 0
          ? []
          : [
              {
                kind: "duplicate_keys" as const,
                count: shared,
                first: keys.first,
                message: `${rowsAre(shared, "has", "have")} the order_by key of an earlier one${bound(keysSeen.isFull)}: such rows are sent one after another, in file order`,
              },
            ]),
      ];
    },
  };

  function bound(isFull: boolean): string {
    return isFull ? ` (of the first ${grouped(most)} that differ)` : "";
  }
}

/** Of a results file, a row has a line for each of its events. */
function eventOf(earlier: Row["earlier"]): number {
  return earlier?.event ?? 0;
}

function rowsAre(count: number, one: string, several: string): string {
  return count === 1 ? `1 row ${one}` : `${grouped(count)} rows ${several}`;
}
