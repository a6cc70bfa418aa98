import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ErrorBound, isMoreThan, parseMaxErrors } from "../../src/model/max-errors.ts";

describe("how much may go wrong", () => {
  test.each<[string, ErrorBound]>([
    ["0", { kind: "count", most: 0 }],
    [" 100 ", { kind: "count", most: 100 }],
    ["5%", { kind: "share", most: 0.05 }],
    ["0%", { kind: "count", most: 0 }],
    ["0.1%", { kind: "share", most: 0.001 }],
    ["100%", { kind: "share", most: 1 }],
  ])("is %j", (text, limit) => {
    expect(parseMaxErrors(text)).toEqual(limit);
  });

  test.each(["", "-1", "1.5", "101%", "5 %", "%", "1e3", "many", "99999999999999999999"])(
    "is not %j",
    (text) => {
      expect(parseMaxErrors(text)).toBeUndefined();
    },
  );

  test("may be reached and not passed, also where a share has no exact number", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1000 }),
        fc.integer({ min: 1, max: 1000 }),
        (tenths, n) => {
          const limit = parseMaxErrors(`${tenths / 10}%`) as ErrorBound;
          // In whole numbers, which are exact.
          for (const errors of [Math.floor((tenths * n) / 1000), Math.ceil((tenths * n) / 1000)]) {
            expect(isMoreThan(limit, errors, n)).toBe(errors * 1000 > tenths * n);
          }
        },
      ),
    );
    expect(isMoreThan({ kind: "count", most: 2 }, 2, 2)).toBe(false);
    expect(isMoreThan({ kind: "count", most: 2 }, 3, 1000)).toBe(true);
    expect(isMoreThan({ kind: "share", most: 0 }, 0, 0)).toBe(false);
  });
});
