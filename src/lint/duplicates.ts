import { createHashTable } from "../model/hash-table.ts";
import { grouped } from "../model/quantities.ts";
import type { Row } from "../model/row.ts";
import { CellTally, ofRows } from "./lint.ts";

const defaultMaxRemembered = 1_000_000;
/** The growth of the table: more memory than usually, 24 MB for a million, and half the time. */
const doubling = 1;

/** Where more rows share a key, as in a list of changes, that is what the key is for. */
const maxSharedShare = 0.05;

/**
 * Finds rows that occur twice, and the few ordering keys that other rows share where nearly none do.
 * Where rows have ordering keys, each is compared with the last one of its key: what comes back after
 * something else is a change, and no duplicate.
 */
export function createDuplicates(maxRemembered = defaultMaxRemembered) {
  const rowHash = new TextHash();
  const keyHash = new TextHash();
  /** The rows without a key, and the keys with half of the hash of their last row. */
  const seen = createHashTable(1, doubling);
  const rows = new CellTally();
  const keys = new CellTally();
  const notRemembered = new CellTally();
  let keyed = 0;

  return {
    begin: () => rowHash.begin(0),
    /** Adds the next cell of the row. @returns all its code units, combined with OR */
    add: (cell: string) => rowHash.add(cell),
    /** Ends a row that is sent, and compares it with those before. */
    end(row: Row, orderingKey: string | undefined) {
      rowHash.end();
      const mark = rowHash.low || 1;
      if (orderingKey !== undefined) {
        keyHash.begin(ofKey);
        keyHash.add(orderingKey);
        keyHash.end();
      }
      const digest = orderingKey === undefined ? rowHash : keyHash;
      const isFull = seen.size >= maxRemembered && seen.get(digest) === undefined;
      const markBefore = isFull ? undefined : seen.exchange(digest, mark);
      if (markBefore === undefined) notRemembered.add(row);
      // An equal row has an equal key, which says nothing more.
      if (markBefore === mark) rows.add(row);
      else if (orderingKey !== undefined) {
        keyed++;
        if (markBefore !== undefined && markBefore !== 0) keys.add(row);
      }
    },
    found: () => [
      ...ofRows("duplicate_rows", rows),
      ...(keys.count > keyed * maxSharedShare ? [] : ofRows("duplicate_keys", keys)),
      ...ofRows("duplicates_not_searched", notRemembered, {
        most: grouped(maxRemembered),
        what: keyed > 0 ? "ordering keys" : "rows",
      }),
    ],
  };
}

/** Added to a key, so that it is no row. */
const ofKey = 0x1000_0000;

/** A hash of 64 bits of a list of texts. Not for texts that somebody crafts so that their hashes are equal. */
export class TextHash {
  /** The hash of the list that ended last, in two unsigned words. */
  high = 0;
  low = 0;
  #a = 0;
  #b = 0;

  /** Begins a list; one that was begun before is dropped. @param part a number that is part of it too */
  begin(part: number): void {
    this.#a = 0xdeadbeef ^ part;
    this.#b = 0x41c6ce57;
  }

  /** @returns the bits that any of the text's units has: this is the one pass over its characters */
  add(text: string): number {
    let one = this.#a;
    let other = this.#b;
    let bits = 0;
    let at = 0;
    // Two units at a time: most of the time goes into reading them.
    for (; at + 1 < text.length; at += 2) {
      const first = text.charCodeAt(at);
      const second = text.charCodeAt(at + 1);
      bits |= first | second;
      const units = first | (second << 16);
      one = Math.imul(one ^ units, 0x9e3779b1);
      one ^= one >>> 15;
      other = Math.imul(other ^ units, 0x5f356495);
      other ^= other >>> 13;
    }
    if (at < text.length) {
      const unit = text.charCodeAt(at);
      bits |= unit;
      one = Math.imul(one ^ unit, 0x9e3779b1);
      other = Math.imul(other ^ unit, 0x5f356495);
    }
    // So that ["ab", "c"] is not ["a", "bc"].
    this.#a = Math.imul(one ^ ~text.length, 0x9e3779b1);
    this.#b = Math.imul(other ^ ~text.length, 0x5f356495);
    return bits;
  }

  end(): void {
    const [a, b] = [this.#a, this.#b];
    // The mixer of cyrb53.
    const first = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
    const second =
      Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(first ^ (first >>> 13), 0xc2b2ae35);
    this.high = second >>> 0;
    this.low = first >>> 0;
  }
}
