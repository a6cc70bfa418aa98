import type { Finding } from "../model/finding.ts";
import { grouped } from "../model/quantities.ts";
import type { Row } from "../model/row.ts";
import { createTextSet } from "../model/text-set.ts";
import { createSightings, type Sightings } from "./sightings.ts";

/** Finds rows that are there twice, and keys of `ordering_key` that several rows share. */
export interface Repeats {
  /** Begins a row; `end` compares it. */
  begin(row: Row): void;
  /** Adds the next cell of the row. @returns the bits that any code unit of the cell has */
  add(cell: string): number;
  /** Ends a row that is sent. */
  end(row: Row, orderingKey: string | undefined): void;
  found(): readonly Finding[];
}

/** How many hashes of rows, and of keys, are kept: they take 8 MB each at most. */
const defaultMost = 1_000_000;

/** @param most how many rows and how many keys are remembered */
export function createRepeats(most = defaultMost): Repeats {
  const rowsSeen = createTextSet(most);
  const keysSeen = createTextSet(most);
  const rows = createSightings();
  const keys = createSightings();
  const rowsBeyond = createSightings();
  const keysBeyond = createSightings();

  return {
    begin: ({ earlier }) => rowsSeen.begin(eventOf(earlier)),
    add: rowsSeen.add,
    end(row, orderingKey) {
      const rowsWereFull = rowsSeen.isFull;
      if (rowsSeen.end()) rows.add(row);
      else if (rowsWereFull) rowsBeyond.add(row);
      if (orderingKey === undefined) return;
      const keysWereFull = keysSeen.isFull;
      keysSeen.begin(eventOf(row.earlier));
      keysSeen.add(orderingKey);
      if (keysSeen.end()) keys.add(row);
      else if (keysWereFull) keysBeyond.add(row);
    },
    found() {
      const { count: twice } = rows;
      const { count: shared } = keys;
      return [
        ...asFinding(
          "duplicate_rows",
          rows,
          `${rowsAre(twice, "is the same as an earlier one and is", "are the same as earlier ones and are")} sent anyway: remove what is not meant twice`,
        ),
        ...asFinding(
          "duplicate_keys",
          keys,
          `${rowsAre(shared, "has", "have")} the ordering key of an earlier one: such rows are sent one after another, in file order`,
        ),
        ...asFinding("repeats_not_searched", since(rowsBeyond), remark()),
      ];
    },
  };

  /** Equal rows have equal keys, so the rows reach the limit first. */
  function remark(): string {
    const { count } = rowsBeyond;
    const differing = `the first ${grouped(most)} different rows`;
    const ofKeys = keysBeyond.count === 0 ? "" : ", and keys of ordering_key likewise";
    return `duplicates were found only among ${differing}: ${rowsAre(count, "after them was", "after them were")} compared only with these${ofKeys}`;
  }
}

/** For consecutive rows, the first is enough. */
function since({ count, first }: Sightings): Pick<Finding, "count" | "first"> {
  return { count, first: first.slice(0, 1) };
}

/** In a results file, a row has a line for each of its events. */
function eventOf(earlier: Row["earlier"]): number {
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
