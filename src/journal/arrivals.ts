import { keyDigest } from "../model/blocked-keys.ts";
import { createHashTable, digestOf, digestOfHex } from "../model/hash-table.ts";
import type { ArrivedRecord } from "../model/run-record.ts";

/** What has arrived, or may have, behind the rows that a retry sends: for each of their keys a row, in 16 bytes. */
export type Arrivals = ReturnType<typeof createArrivals>;

export function createArrivals() {
  /** The last row of a key that is to be sent, and the last one noted that has arrived. */
  const keys = createHashTable(2);
  /** The last row whose cells are lost: it may be of any key. */
  let lastLost = 0;
  return {
    /** A row of the key is to be sent: what arrives behind it is to be noted. Rows come in their order. */
    sends(key: string, row: number) {
      keys.entry(digestOf(key))[0] = row;
    },
    /** A row has arrived or may have; its key is undefined if nobody knows it. @returns what is to be noted of it */
    arrives(key: string | undefined, row: number): ArrivedRecord | undefined {
      if (key === undefined) return { kind: "arrived", row };
      if (keys.size === 0) return undefined;
      const [sent = 0, arrived = 0] = keys.get(digestOf(key)) ?? [];
      // The row that was noted last may itself be sent.
      const isAhead = sent > 0 && sent >= arrived;
      return isAhead ? { kind: "arrived", key: keyDigest(key), row } : undefined;
    },
    take({ key, row }: ArrivedRecord) {
      if (key === undefined) lastLost = row;
      else keys.entry(digestOfHex(key))[1] = row;
    },
    /** A row of the key behind another that has arrived, or may have; undefined if there is none. */
    behind(row: number, key: string): number | undefined {
      const last = Math.max(lastLost, keys.get(digestOf(key))?.[1] ?? 0);
      return last > row ? last : undefined;
    },
  };
}
