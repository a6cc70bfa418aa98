import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { expect, test } from "vitest";
import { splitList } from "../../src/mapping/compile-conversion.ts";
import { memberOf } from "./given-mapping.ts";

const tidy = (items: readonly string[]) =>
  items.map((item) => item.trim()).filter((item) => item !== "");

test.each([
  ['"VIP","Newsletter, weekly"', ["VIP", "Newsletter, weekly"]],
  ['VIP, "a ""b"" c" ,d', ["VIP", 'a "b" c', "d"]],
  ['"a",', ["a"]],
  ['24" monitor, 6" rule', ['24" monitor', '6" rule']],
  ['"open, b', ['"open', "b"]],
  ['"a" b, c', ['"a" b', "c"]],
  ["a,b", ["a", "b"]],
])("the items of %s", (cell, items) => {
  expect(memberOf('{ column: A, type: list, separator: "," }', cell)).toEqual(items);
});

const separators = fc.constantFrom(",", ";", "|", ":::", " ", "\t");

test("what csv-parse reads as one record has the same items here", () => {
  const text = fc.array(fc.constantFrom("a", "b", " ", '"', '"', ",", ","), { maxLength: 14 });
  let compared = 0;
  fc.assert(
    fc.property(text, separators, (signs, separator) => {
      const cell = signs.map((sign) => (sign === "," ? separator : sign)).join("");
      // csv-parse lets a second item in quotes follow an empty one without a separator.
      if (/""\s+"/.test(cell)) return;
      let records: string[][];
      try {
        records = parse(cell, { delimiter: separator, trim: true });
      } catch {
        return;
      }
      compared++;
      expect(tidy(splitList(cell, separator))).toEqual(tidy(records[0] ?? []));
    }),
    { numRuns: 3000 },
  );
  expect(compared).toBeGreaterThan(500);
});

test("any texts, quoted and joined, are the items again", () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1 }), separators, (texts, separator) => {
      const cell = texts.map((text) => `"${text.replaceAll('"', '""')}"`).join(separator);
      expect(splitList(cell, separator)).toEqual(texts);
    }),
  );
});
