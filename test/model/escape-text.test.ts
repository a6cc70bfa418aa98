import fc from "fast-check";
import { expect, test } from "vitest";
import { oneLine } from "../../src/model/escape-text.ts";

const unprintable = /[\p{Cc}\p{Zl}\p{Zp}]/u;

test("what a terminal does not show as it is, is escaped", () => {
  expect(oneLine("a\nb\tc\u001b[2J\u009b\u2028\u202e é 😀 \\n")).toBe(
    "a\\nb\\tc\\u001b[2J\\u009b\\u2028\\u202e é 😀 \\n",
  );
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(oneLine(text)).not.toMatch(unprintable);
      if (!unprintable.test(text) && !/[\u061c\u200e-\u202e\u2066-\u2069]/.test(text)) {
        expect(oneLine(text)).toBe(text);
      }
    }),
  );
});
