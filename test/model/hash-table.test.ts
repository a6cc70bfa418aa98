import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createHashTable } from "../../src/model/hash-table.ts";

const max = 2 ** 32 - 1;
const word = fc.integer({ min: 0, max });

describe("a hash table", () => {
  test("keeps what a map keeps, however keys crowd", () => {
    // All of one part, and at its beginning or its end.
    const near = fc.integer({ min: 0, max: 200 });
    const high = fc.oneof(
      word,
      fc.constantFrom(0, max),
      near.map((by) => max - by),
    );
    const low = fc.oneof(word, fc.constantFrom(0, 1, 256, max));
    const steps = fc.array(fc.tuple(high, low, word, word), { maxLength: 400, size: "max" });
    fc.assert(
      fc.property(steps, high, low, (given, otherHigh, otherLow) => {
        const table = createHashTable(2);
        const map = new Map<string, number[]>();
        // Zeros are kept as the key (0, 1).
        const name = (a: number, b: number) => `${a} ${a === 0 && b === 0 ? 1 : b}`;
        for (const [a, b, ...words] of given) {
          table.entry({ high: a, low: b }).set(words);
          map.set(name(a, b), words);
        }
        expect(table.size).toBe(map.size);
        for (const [key, words] of map) {
          const [a = 0, b = 0] = key.split(" ").map(Number);
          expect([...(table.get({ high: a, low: b }) ?? [])]).toEqual(words);
          expect(table.exchange({ high: a, low: b }, 7)).toBe(words[0]);
        }
        const before = map.has(name(otherHigh, otherLow)) ? 7 : undefined;
        const other = { high: otherHigh, low: otherLow };
        expect(table.get(other)?.[0]).toBe(before);
        expect(table.exchange(other, 1)).toBe(before ?? 0);
      }),
      { numRuns: 30 },
    );
  });

  test("takes at most half more than its entries, from a quarter of a million on", () => {
    const table = createHashTable(4);
    const keyOf = (number: number) => ({
      high: Math.floor(((number * 0.618_033_988_749) % 1) * max),
      low: number,
    });
    let worst = 0;
    for (let number = 1; number <= 600_000; number++) {
      table.entry(keyOf(number))[0] = number;
      if (number >= 250_000 && number % 1000 === 0) {
        worst = Math.max(worst, table.bytes / table.size);
      }
    }
    expect(table.size).toBe(600_000);
    expect(table.get(keyOf(77_777))?.[0]).toBe(77_777);
    expect(worst).toBeLessThanOrEqual(36);
  });
});
