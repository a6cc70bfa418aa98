import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createKeyTable, type KeyEntry } from "../../src/baseline/key-table.ts";

const most = 2 ** 48 - 1;
const bits = fc.integer({ min: 0, max: most });

describe("the table of keys", () => {
  test("keeps what a map keeps, however keys crowd", () => {
    const key = fc.oneof(
      bits,
      fc.constantFrom(0, 1, 256, 257, most, most - 1, most - 256),
      // All of one part, and at its end.
      fc.integer({ min: 0, max: 200 }).map((near) => most - 256 * near),
    );
    const entry = fc.record<KeyEntry>({
      delivered: bits,
      planned: bits,
      file: fc.integer({ min: 1, max: 255 }),
    });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(key, entry), { maxLength: 400, size: "max" }),
        bits,
        (steps, other) => {
          const table = createKeyTable();
          const map = new Map(steps);
          for (const [at, value] of steps) table.set(at, value);
          expect(table.size).toBe(map.size);
          for (const [at, value] of map) expect(table.get(at)).toEqual(value);
          expect(table.get(other)).toEqual(map.get(other));
          table.clear();
          expect([table.size, table.get(steps[0]?.[0] ?? 0)]).toEqual([0, undefined]);
        },
      ),
      { numRuns: 30 },
    );
  });

  test("takes at most 24 bytes an entry from a quarter of a million on", () => {
    const table = createKeyTable();
    const keyOf = (number: number) => Math.floor(((number * 0.618_033_988_749) % 1) * most);
    let worst = 0;
    for (let number = 1; number <= 600_000; number++) {
      table.set(keyOf(number), { delivered: number, planned: 0, file: 1 });
      if (number >= 250_000 && number % 1000 === 0) {
        worst = Math.max(worst, table.bytes / table.size);
      }
    }
    expect(table.size).toBe(600_000);
    expect(table.get(keyOf(77_777))).toEqual({ delivered: 77_777, planned: 0, file: 1 });
    expect(worst).toBeLessThanOrEqual(24);
  });
});
