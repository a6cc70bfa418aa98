import { createHash } from "node:crypto";
import type { Resource } from "./check-head.ts";

/**
 * Gives a function that tells whether the same bytes were already sent to the same resource. It
 * remembers the last `generationSize` different bodies at least and twice as many at most, so a
 * sandbox that is left running does not grow.
 */
export function createRepeatCheck(
  generationSize = 500_000,
): (resource: Resource, body: Buffer) => boolean {
  let young = new Set<number>();
  let old = new Set<number>();

  return (resource, body) => {
    const key = digest48(resource, body);
    if (young.has(key) || old.has(key)) return true;
    young.add(key);
    if (young.size === generationSize) {
      old = young;
      young = new Set();
    }
    return false;
  };
}

// 48 bits fit in a number, and make one false repeat unlikely among the million kept.
function digest48(resource: Resource, body: Buffer): number {
  return createHash("sha1").update(resource).update(body).digest().readUIntBE(0, 6);
}
