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
          table.entry(a, b).set(words);
          map.set(name(a, b), words);
        }
        expect(table.size).toBe(map.size);
        for (const [key, words] of map) {
          const [a = 0, b = 0] = key.split(" ").map(Number);
          expect([...(table.get(a, b) ?? [])]).toEqual(words);
          expect(table.exchange(a, b, words[0] ?? 0, false)).toBe(words[0]);
        }
        const other = table.get(otherHigh, otherLow);
        expect(other && [...other]).toEqual(map.get(name(otherHigh, otherLow)));
      }),
      { numRuns: 30 },
    );
  });

  test("takes at most half more than its entries, from a quarter of a million on", () => {
    const table = createHashTable(4);
    const keyOf = (number: number) => Math.floor(((number * 0.618_033_988_749) % 1) * max);
    let worst = 0;
    for (let number = 1; number <= 600_000; number++) {
      table.entry(keyOf(number), number)[0] = number;
      if (number >= 250_000 && number % 1000 === 0) {
        worst = Math.max(worst, table.bytes / table.size);
      }
    }
    expect(table.size).toBe(600_000);
    expect(table.get(keyOf(77_777), 77_777)?.[0]).toBe(77_777);
    expect(worst).toBeLessThanOrEqual(36);
  });

  test("gives up on a key that thousands of crafted ones crowd", () => {
    const table = createHashTable(1);
    const crafted = (number: number) => table.exchange(7, 256 * number, 1, true);
    for (let number = 1; number <= 3000; number++) crafted(number);
    expect(crafted(1)).toBe(1);
    expect(crafted(3000)).toBeUndefined();
    expect(table.size).toBeGreaterThan(900);
    expect(table.size).toBeLessThan(1100);
  });

  test("adds no key that may not be added, and finds those that are there", () => {
    const table = createHashTable(1);
    table.entry(7, 8)[0] = 9;
    expect(table.exchange(7, 9, 1, false)).toBeUndefined();
    expect([table.size, table.exchange(7, 8, 1, false)]).toEqual([1, 9]);
  });
});
