import fc from "fast-check";
import { expect, test } from "vitest";
import { createBlockedKeys, keyDigest } from "../../src/model/blocked-keys.ts";

test("the keys that are held back are those that were given, each with the first row for which it was", () => {
  const key = fc.oneof(fc.string(), fc.nat(40).map(String));
  // As far as a person may have written the number of a row.
  const rows = fc.oneof(
    fc.nat(50),
    fc.maxSafeNat().map((row) => row % 10 ** 15),
  );
  fc.assert(
    fc.property(
      fc.array(fc.tuple(key, rows, fc.boolean()), { maxLength: 200 }),
      fc.array(key),
      (given, other) => {
        const keys = createBlockedKeys();
        const expected = new Map<string, number>();
        for (const [name, row, isDigest] of given) {
          expect(keys.rowOf(name)).toBe(expected.get(name));
          if (isDigest) keys.blockDigest(keyDigest(name), row);
          else keys.block(name, row);
          if (!expected.has(name)) expected.set(name, row);
        }
        for (const name of [...expected.keys(), ...other]) {
          expect(keys.rowOf(name)).toBe(expected.get(name));
        }
      },
    ),
  );
});
