import { createHashTable, digestOf } from "./hash-table.ts";

export type BlockedKeys = ReturnType<typeof createBlockedKeys>;

/**
 * The blocked keys, each with the first row that blocks it. A digest of each key is kept, and not the key: if nearly all
 * of a file fails, this is all that grows, by about 20 bytes a key, however long the key is.
 */
export function createBlockedKeys() {
  const rows = createHashTable(2);
  const block = (high: number, low: number, row: number) => {
    if (rows.get(high, low) !== undefined) return;
    const words = rows.entry(high, low);
    [words[0], words[1]] = [Math.floor(row / 2 ** 32), row % 2 ** 32];
  };
  return {
    block(key: string, row: number) {
      const { high, low } = digestOf(key);
      block(high, low, row);
    },
    /** @param digest as `keyDigest` gives it */
    blockDigest(digest: string, row: number) {
      block(Number.parseInt(digest.slice(0, 8), 16), Number.parseInt(digest.slice(8), 16), row);
    },
    /** Undefined if the key is not blocked. */
    rowOf(key: string): number | undefined {
      if (rows.size === 0) return undefined;
      const { high, low } = digestOf(key);
      const [above, below] = rows.get(high, low) ?? [];
      return above === undefined || below === undefined ? undefined : above * 2 ** 32 + below;
    },
  };
}

/** 16 hex digits for a key, in which it cannot be read. */
export function keyDigest(key: string): string {
  const { high, low } = digestOf(key);
  return hexOf(high) + hexOf(low);
}

function hexOf(word: number): string {
  return word.toString(16).padStart(8, "0");
}
