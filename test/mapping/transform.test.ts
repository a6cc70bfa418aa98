import fc from "fast-check";
import { expect, test } from "vitest";
import { compileTransform } from "../../src/mapping/transform.ts";

const anyText = fc.string({ unit: "grapheme", maxLength: 12 });

test("the items of a split, put together, are the text; and each counts from either end", () => {
  fc.assert(
    fc.property(fc.array(anyText, { minLength: 1, maxLength: 5 }), (texts) => {
      const items = texts.map((text) => text.replaceAll(";", "").trim());
      const text = items.join(" ; ");
      const itemOf = (item: number) => compileTransform({ split: { by: ";", item } })?.(text);
      items.forEach((one, at) => {
        expect(itemOf(at + 1)).toBe(one);
        expect(itemOf(at - items.length)).toBe(one);
      });
      expect([itemOf(items.length + 1), itemOf(-items.length - 1)]).toEqual(["", ""]);
    }),
  );
});

test("a padded text ends with the text, is as long as it says, and stays so", () => {
  fc.assert(
    fc.property(
      anyText.filter((text) => text.trim() !== ""),
      fc.integer({ min: 1, max: 20 }),
      anyText.filter((text) => text !== "" && text.trim() === text),
      (text, length, filling) => {
        const pad = compileTransform({ pad_start: { length, with: filling } });
        const padded = pad?.(text) ?? "";
        const cell = text.trim();
        const missing = Math.max(0, length - [...cell].length);
        expect(padded.endsWith(cell)).toBe(true);
        expect([...padded]).toHaveLength(missing + [...cell].length);
        expect(filling.repeat(20).startsWith(padded.slice(0, padded.length - cell.length))).toBe(
          true,
        );
        expect(pad?.(padded)).toBe(padded.trim());
      },
    ),
  );
});
