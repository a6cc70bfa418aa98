import fc from "fast-check";
import { expect, test } from "vitest";
import { grouped } from "../../src/model/quantities.ts";

test("numbers are grouped as they are in English", () => {
  const anyNumber = fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.nat(2000), fc.double());
  fc.assert(
    fc.property(anyNumber, (number) => {
      // Added to 0, as nobody counts -0.
      expect(grouped(number + 0)).toBe((number + 0).toLocaleString("en-US"));
    }),
  );
});
