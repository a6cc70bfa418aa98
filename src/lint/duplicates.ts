import type { Finding } from "../model/finding.ts";
import { createHashTable } from "../model/hash-table.ts";
import { grouped } from "../model/quantities.ts";
import type { Row } from "../model/row.ts";
import { createTextHash } from "../model/text-hash.ts";
import { counted, Tally } from "./lint.ts";

/** Finds rows that occur twice, and the few ordering keys that other rows share where nearly none do. */
export interface Duplicates {
  begin(row: Row): void;
  /** Adds the next cell of the row. @returns all its code units, combined with OR */
  add(cell: string): number;
  /** Ends a row that is sent, and compares it with those before. */
  end(row: Row, orderingKey: string | undefined): void;
  found(): readonly Finding[];
}

const defaultMaxRemembered = 1_000_000;
/** More memory than the usual growth, 24 MB for a million, and half the time. */
const doubling = 1;

/** Where more rows share a key, as in a list of changes, that is what the key is for. */
const maxSharedShare = 0.05;

/**
 * Where rows have ordering keys, each is compared with the last one of its key: what comes back after
 * something else is a change, and no duplicate.
 *
 * @param maxRemembered how many different rows, or different keys, are remembered
 */
export function createDuplicates(maxRemembered = defaultMaxRemembered): Duplicates {
  const rowHash = createTextHash();
  const keyHash = createTextHash();
  /** The rows without a key, and the keys with half of the hash of their last row. */
  const seen = createHashTable(1, doubling);
  const rows = new Tally();
  const keys = new Tally();
  const notRemembered = new Tally();
  let keyed = 0;

  return {
    begin: ({ earlier }) => rowHash.begin(eventNumber(earlier)),
    add: rowHash.add,
    end(row, orderingKey) {
      rowHash.end();
      const mark = rowHash.low || 1;
      if (orderingKey !== undefined) {
        keyHash.begin(eventNumber(row.earlier) + ofKey);
        keyHash.add(orderingKey);
        keyHash.end();
      }
      const { high, low } = orderingKey === undefined ? rowHash : keyHash;
      const markBefore = seen.exchange(high, low, mark, seen.size < maxRemembered);
      if (markBefore === undefined) notRemembered.add(row);
      // An equal row has an equal key, which says nothing more.
      if (markBefore === mark) rows.add(row);
      else if (orderingKey !== undefined) {
        keyed++;
        if (markBefore !== undefined && markBefore !== 0) keys.add(row);
      }
    },
    found() {
      const differing = `the first ${grouped(maxRemembered)} different ${keyed > 0 ? "ordering keys" : "rows"}`;
      const findings: readonly Finding[] = [
        {
          kind: "duplicate_rows",
          count: rows.count,
          first: rows.first,
          message: `${counted(rows, "row", "is the same as an earlier one and is", "are the same as earlier ones and are")} sent anyway: remove duplicates that are not intended`,
        },
        {
          kind: "duplicate_keys",
          count: keys.count > keyed * maxSharedShare ? 0 : keys.count,
          first: keys.first,
          message: `${counted(keys, "row", "has", "have")} the ordering key of an earlier one, and nearly all others have one of their own: if a key is to be there once, remove the others; they are sent one after another, in file order`,
        },
        {
          kind: "duplicates_not_searched",
          count: notRemembered.count,
          // Every row after the limit is one of these, so the first is enough.
          first: notRemembered.first.slice(0, 1),
          message: `duplicates were found only among ${differing}: ${counted(notRemembered, "row", "after them was", "after them were")} compared only with these`,
        },
      ];
      return findings.filter(({ count }) => count > 0);
    },
  };
}

/** No event has this number, so that a key is no row. */
const ofKey = 0x1000_0000;

/** In a results file a row has a line for each of its events, which are no duplicates. */
function eventNumber(earlier: Row["earlier"]): number {
  return earlier?.event ?? 0;
}
