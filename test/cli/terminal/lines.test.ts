import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rateText, wrapWords } from "../../../src/cli/terminal/lines.ts";

describe("a line is broken between words", () => {
  it.each<[string, number | undefined, string[]]>([
    ["where there is no terminal it stays", undefined, ["where there is no terminal it stays"]],
    ["it fits to the last", 19, ["it fits to the last"]],
    ["it does not fit in that", 20, ["it does not fit in", "  that"]],
    ["    what was set in stays there", 20, ["    what was set in", "      stays there"]],
    [
      "see https://example.com/a/long/path ok",
      20,
      ["see", "https://example.com/a/long/path", "  ok"],
    ],
    ["nothing fits so few columns", 12, ["nothing fits so few columns"]],
    ["in rows 9 (line 10), 17 (line 18), …", 24, ["in rows 9 (line 10), 17", "  (line 18), …"]],
    ["in rows 9 (line 10), 17, …", 24, ["in rows 9 (line 10),", "  17, …"]],
    ["", 20, [""]],
    [
      "resume it with npx eventload resume 'a  b c' --config 'd e' --quiet",
      20,
      ["resume it with", "npx eventload resume 'a  b c' --config 'd e'", "  --quiet"],
    ],
    [
      'fix it, then run: npx eventload retry "a  b\\c d.csv" --quiet',
      20,
      ["fix it, then run:", '  npx eventload retry "a  b\\c d.csv"'.trimStart(), "  --quiet"],
    ],
    ["others can write it: chmod go-w 'a b'", 20, ["others can write it:", "  chmod go-w 'a b'"]],
  ])("%s", (line, columns, lines) => {
    expect(wrapWords(line, columns)).toEqual(lines);
  });

  it("loses no word, and is too wide only for the sake of one", () => {
    const word = fc.string({ minLength: 1 }).filter((text) => /^[^\s']+$/u.test(text));
    fc.assert(
      fc.property(fc.array(word), fc.integer({ min: 16, max: 60 }), (words, columns) => {
        const lines = wrapWords(words.join(" "), columns);
        expect(lines.flatMap((line) => line.trim().split(" ")).join(" ")).toBe(
          words.join(" ").trim(),
        );
        for (const line of lines) {
          if (line.length > columns) expect(line.trim()).not.toContain(" ");
        }
      }),
    );
  });
});

it("a rate is in minutes or hours where there is none in seconds", () => {
  const rates = [0, 1, 0.5, 90 / 60, 1500, 100 / 3600, 0.6 / 3600];
  expect(rates.map((rate) => rateText(rate, "row"))).toEqual([
    ...["0 rows/s", "1 row/s", "0.5 rows/s", "1.5 rows/s", "1,500 rows/s"],
    ...["1.7 rows/m", "0.6 rows/h"],
  ]);
});
