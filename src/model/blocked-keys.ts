import { createHashTable, type Digest, digestOf, digestOfHex, hexOf } from "./hash-table.ts";

export type BlockedKeys = ReturnType<typeof createBlockedKeys>;

/**
 * The blocked keys, each with the first row that blocks it. A digest of each key is kept, and not the key: if nearly all
 * of a file fails, this is all that grows, by about 20 bytes a key, however long the key is.
 */
export function createBlockedKeys() {
  const rows = createHashTable(2);
  const block = (digest: Digest, row: number) => {
    if (rows.get(digest) !== undefined) return;
    const words = rows.entry(digest);
    [words[0], words[1]] = [Math.floor(row / 2 ** 32), row % 2 ** 32];
  };
  return {
    block: (key: string, row: number) => block(digestOf(key), row),
    /** @param digest as `keyDigest` gives it */
    blockDigest: (digest: string, row: number) => block(digestOfHex(digest), row),
    /** Undefined if the key is not blocked. */
    rowOf(key: string): number | undefined {
      if (rows.size === 0) return undefined;
      const [above, below] = rows.get(digestOf(key)) ?? [];
      return above === undefined || below === undefined ? undefined : above * 2 ** 32 + below;
    },
  };
}

/** 16 hex digits for a key, in which it cannot be read. */
export function keyDigest(key: string): string {
  return hexOf(digestOf(key));
}
