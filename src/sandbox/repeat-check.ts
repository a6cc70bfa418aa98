import { createHash } from "node:crypto";
import type { ReceivedEvent } from "./check-request.ts";

/**
 * Creates a function that says whether the same event already came by the same method for the same resource. The id in
 * `Idempotency-Key` tells events apart or, where there is none, the whole body. It remembers at least the last
 * `generationSize` different events and at most twice as many, so the memory of a sandbox does not grow.
 */
export function createRepeatCheck(
  generationSize = 500_000,
): (event: Omit<ReceivedEvent, "value">) => boolean {
  let young = new Set<number>();
  let old = new Set<number>();

  return ({ method, resource, headers, text }) => {
    const key = digest48(`${method} ${resource} ${headers["idempotency-key"] ?? text}`);
    if (young.has(key) || old.has(key)) return true;
    young.add(key);
    if (young.size === generationSize) {
      old = young;
      young = new Set();
    }
    return false;
  };
}

// 48 bits fit in a number, and make a false repeat among a million events unlikely.
function digest48(text: string): number {
  return createHash("sha1").update(text).digest().readUIntBE(0, 6);
}
