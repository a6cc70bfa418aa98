import type { Finding } from "../model/finding.ts";
import { grouped } from "../model/quantities.ts";
import type { Row } from "../model/row.ts";
import { createTextSet } from "../model/text-set.ts";
import { createOccurrences, type Occurrences } from "./occurrences.ts";

/** Finds rows that occur twice, and ordering keys that several rows share. */
export interface Duplicates {
  begin(row: Row): void;
  /** Adds the next cell of the row. @returns all its code units, combined with OR */
  add(cell: string): number;
  /** Ends a row that is sent, and compares it with those before. */
  end(row: Row, orderingKey: string | undefined): void;
  found(): readonly Finding[];
}

/** The hashes of a million rows take 8 MB at most, and those of a million keys as much. */
const defaultMaxRemembered = 1_000_000;

/** @param maxRemembered how many different rows, and how many different keys, are remembered */
export function createDuplicates(maxRemembered = defaultMaxRemembered): Duplicates {
  const rowsSeen = createTextSet(maxRemembered);
  const keysSeen = createTextSet(maxRemembered);
  const rows = createOccurrences();
  const keys = createOccurrences();
  const rowsNotRemembered = createOccurrences();
  const keysNotRemembered = createOccurrences();

  return {
    begin: ({ earlier }) => rowsSeen.begin(eventNumber(earlier)),
    add: rowsSeen.add,
    end(row, orderingKey) {
      const rowsWereFull = rowsSeen.isFull;
      if (rowsSeen.end()) rows.add(row);
      else if (rowsWereFull) rowsNotRemembered.add(row);
      if (orderingKey === undefined) return;
      const keysWereFull = keysSeen.isFull;
      keysSeen.begin(eventNumber(row.earlier));
      keysSeen.add(orderingKey);
      if (keysSeen.end()) keys.add(row);
      else if (keysWereFull) keysNotRemembered.add(row);
    },
    found() {
      const { count: twice } = rows;
      const { count: shared } = keys;
      return [
        ...asFinding(
          "duplicate_rows",
          rows,
          `${rowsAre(twice, "is the same as an earlier one and is", "are the same as earlier ones and are")} sent anyway: remove duplicates that are not intended`,
        ),
        ...asFinding(
          "duplicate_keys",
          keys,
          `${rowsAre(shared, "has", "have")} the ordering key of an earlier one: such rows are sent one after another, in file order`,
        ),
        ...asFinding("duplicates_not_searched", firstOnly(rowsNotRemembered), limitMessage()),
      ];
    },
  };

  /** Equal rows have equal keys, so rows reach the limit before keys do. */
  function limitMessage(): string {
    const { count } = rowsNotRemembered;
    const differing = `the first ${grouped(maxRemembered)} different rows`;
    const ofKeys = keysNotRemembered.count === 0 ? "" : ", and keys of ordering_key likewise";
    return `duplicates were found only among ${differing}: ${rowsAre(count, "after them was", "after them were")} compared only with these${ofKeys}`;
  }
}

/** Every row after the limit is one of these, so the first is enough. */
function firstOnly({ count, first }: Occurrences): Pick<Finding, "count" | "first"> {
  return { count, first: first.slice(0, 1) };
}

/** In a results file a row has a line for each of its events, which are no duplicates. */
function eventNumber(earlier: Row["earlier"]): number {
  return earlier?.event ?? 0;
}

function asFinding(
  kind: Finding["kind"],
  { count, first }: Pick<Finding, "count" | "first">,
  message: string,
): readonly Finding[] {
  return count === 0 ? [] : [{ kind, count, first, message }];
}

function rowsAre(count: number, one: string, several: string): string {
  return count === 1 ? `1 row ${one}` : `${grouped(count)} rows ${several}`;
}
