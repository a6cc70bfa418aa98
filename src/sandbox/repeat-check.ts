import { createHash } from "node:crypto";

/**
 * Creates a function that says whether the same request was sent before: the same body to the same place. It remembers
 * at least the last `generationSize` different bodies and at most twice as many, so the memory of a
 * sandbox does not grow.
 */
export function createRepeatCheck(generationSize = 500_000): (to: string, body: Buffer) => boolean {
  let young = new Set<number>();
  let old = new Set<number>();

  return (to, body) => {
    const key = digest48(to, body);
    if (young.has(key) || old.has(key)) return true;
    young.add(key);
    if (young.size === generationSize) {
      old = young;
      young = new Set();
    }
    return false;
  };
}

// 48 bits fit in a number, and make a false repeat among a million bodies unlikely.
function digest48(to: string, body: Buffer): number {
  return createHash("sha1").update(to).update(body).digest().readUIntBE(0, 6);
}
