import fc from "fast-check";
import { expect, test } from "vitest";
import { compilePattern, compileReplace } from "../../src/mapping/pattern.ts";

function patternOf(source: string) {
  const compiled = compilePattern(source);
  if (compiled.kind === "problem") throw new Error(compiled.message);
  return compiled;
}

function replacing(source: string, replacement: string) {
  const compiled = compileReplace(source, replacement);
  if (compiled.kind === "problem") throw new Error(compiled.message);
  return compiled.replace;
}

/** Patterns that mean the same to JavaScript and RE2, over few letters, so that they match now and then. */
const anyAtom = fc.constantFrom(
  ...["a", "b", "é", "😀", ".", "\\d", "\\w", "\\s", "\\S", "\\.", "[ab]", "[^a]", "[\\]é]"],
  ...["[a-c\\d]", "\\p{L}", "\\x61", "[\\s1]", "[^\\sa]", "[(.]", "\\/", "^", "$", "\\b"],
);
const anyPart = fc.oneof(
  anyAtom,
  fc
    .tuple(
      anyAtom.filter((atom) => !/^(\^|\$|\\b)$/.test(atom)),
      fc.constantFrom("*", "+", "?", "{2}", "{0,2}", "+?"),
    )
    .map(([atom, quantifier]) => atom + quantifier),
);
const anyWay = fc.array(anyPart, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(""));
const anyText = fc.string({ unit: fc.constantFrom(..."aab1. é😀\n\u00a0-"), maxLength: 12 });

test("a pattern matches and replaces what it does in JavaScript", () => {
  fc.assert(
    fc.property(anyWay, anyWay, fc.array(anyText, { maxLength: 5 }), (one, other, texts) => {
      const source = `(${one})|(?:${other})`;
      const pattern = patternOf(source);
      const replace = replacing(source, "<$1|$&$$>");
      for (const text of texts) {
        const known = new RegExp(source, "gu");
        expect([source, text, replace(text)]).toEqual([
          ...[source, text, text.replaceAll(known, "<$1|$&$$>")],
        ]);
        expect([source, text, pattern.test(text)]).toEqual([
          ...[source, text, new RegExp(source, "u").test(text)],
        ]);
      }
    }),
    { numRuns: 300 },
  );
});

test("of a $ and two digits the first is a group, which may have matched nothing", () => {
  expect(replacing("(a)(b)?", "$10$2")("ab a")).toBe("a0b a0");
});

test.each([
  ["(a)(?<x>b)", "$3", "has $3, and the pattern has 2 groups in parentheses: write $1"],
  ["(a)", "$<y>", "has $<y>, and the pattern has 1 group in parentheses: write $1"],
  ["a", "$0.50", "has $0, and the pattern has 0 groups in parentheses: write $1"],
  ["a", "$`", "has $`, and the pattern has 0 groups in parentheses: write $1"],
])("%s has no group for %s", (source, replacement, message) => {
  expect(compileReplace(source, replacement)).toMatchObject({
    ...{ kind: "problem", at: "with", message: expect.stringContaining(message) },
  });
});

const tooLarge = "is too large: repeat fewer times (1,000 at most), and nest fewer groups";

test("a replacement, which looks again after each match, takes smaller patterns", () => {
  const source = "(?:ab?){200}c";
  expect(compilePattern(source).kind).toBe("pattern");
  expect(compileReplace(source, "")).toEqual({ kind: "problem", at: "pattern", message: tooLarge });
});

test("a text is tried up to 4,000 characters, in linear time, and left beyond", () => {
  const [longest, longer] = ["a".repeat(4000), "a".repeat(4001)];
  for (const source of ["b$", "^(a|aa)+!$", "a*a*a*a*a*a*b", "a(.*b)?!$"]) {
    const tried = [patternOf(source).test(longest), patternOf(source).test(longer)];
    expect(tried).toEqual([false, undefined]);
  }
  const replace = replacing("a", "b");
  expect([replace(longest), replace(longer)]).toEqual(["b".repeat(4000), undefined]);
});

const notOfRe2 =
  "is no regular expression of RE2, which has no look-around and no back-references: ";

test.each([
  ["(", `${notOfRe2}missing closing ): \`(\``],
  ["a(?=b)", `${notOfRe2}invalid or unsupported Perl syntax: \`(?=\``],
  ["(a)\\1", `${notOfRe2}invalid escape sequence: \`\\1\``],
  ["(?<x>a)\\\\\\k<x>", `${notOfRe2}back-reference: \`\\k\``],
  ["(?:abc?){900}", tooLarge],
  ["a".repeat(2001), "is longer than 2000 characters: shorten it"],
  ["a{1,99999999999}", tooLarge],
])("refused: %s", (source, message) => {
  expect(compilePattern(source)).toEqual({ kind: "problem", message });
});

test("what only RE2 has is taken, such as a flag", () => {
  expect(patternOf("(?i)^\\\\k[a\\s]").test("\\K\u202f")).toBe(true);
});
