import { createHashTable } from "./hash-table.ts";
import { createTextHash, type TextHash } from "./text-hash.ts";

/** A set of lists of texts, each kept as a hash of 64 bits. */
export interface TextSet extends Pick<TextHash, "begin" | "add"> {
  /** Ends the list. @returns whether the same one was there before */
  end(): boolean;
}

/** @param maxSize how many lists are kept; then no more are added, and those that are there are still found */
export function createTextSet(maxSize: number): TextSet {
  const table = createHashTable(0);
  const hash = createTextHash();

  return {
    begin: hash.begin,
    add: hash.add,
    end() {
      hash.end();
      const { high, low } = hash;
      if (table.size >= maxSize) return table.has(high, low);
      return !table.add(high, low);
    },
  };
}
