import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TextHash } from "../../src/lint/duplicates.ts";

const hash = new TextHash();

function hashOf(texts: readonly string[]): string {
  hash.begin(0);
  for (const text of texts) hash.add(text);
  hash.end();
  return `${hash.high} ${hash.low}`;
}

describe("the hash of texts", () => {
  it("is the same for the same lists only", () => {
    const anyText = fc.constantFrom("", "a", "b", "ab", "\u0000");
    const anyList = fc.array(anyText, { maxLength: 3 });
    fc.assert(
      fc.property(anyList, anyList, (one, other) => {
        const isSame = JSON.stringify(one) === JSON.stringify(other);
        expect(hashOf(one) === hashOf(other)).toBe(isSame);
      }),
    );
  });

  it("tells a hundred thousand numbers apart", () => {
    const hashes = Array.from({ length: 100_000 }, (_, at) => hashOf([String(at * 20)]));
    expect(new Set(hashes).size).toBe(100_000);
  });
});
