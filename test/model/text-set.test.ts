import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createTextSet, type TextSet } from "../../src/model/text-set.ts";

function wasThere(seen: TextSet, texts: readonly string[]): boolean {
  seen.begin(0);
  for (const text of texts) seen.add(text);
  return seen.end();
}

describe("a set of texts", () => {
  it("has the lists that were added", () => {
    const anyLists = fc.array(
      fc.array(fc.constantFrom("", "a", "b", "ab", "\u0000"), { maxLength: 3 }),
      {
        maxLength: 30,
      },
    );
    fc.assert(
      fc.property(anyLists, (lists) => {
        const seen = createTextSet(1000);
        const known = new Set<string>();
        for (const list of lists) {
          const key = JSON.stringify(list);
          expect(wasThere(seen, list)).toBe(known.has(key));
          known.add(key);
        }
      }),
    );
  });

  it("tells a hundred thousand numbers apart, and has each of them", () => {
    const seen = createTextSet(200_000);
    const count = (from: number) =>
      Array.from({ length: 50_000 }, (_, at) => String(from + at)).filter((text) =>
        wasThere(seen, [text]),
      ).length;
    expect([count(0), count(1_000_000), count(0), count(1_000_000)]).toEqual([
      0, 0, 50_000, 50_000,
    ]);
  });
});
