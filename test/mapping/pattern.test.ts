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

/** Whether a part of a pattern can match no text at all. */
const canBeNothing = (atom: string) =>
  new RegExp(`^(?:${atom.replaceAll("\\b", "")})$`, "u").test("");

/** Names that stand twice, in the same pattern, are none. */
const isPattern = (source: string) => {
  try {
    new RegExp(source, "u");
    return true;
  } catch {
    return false;
  }
};

/**
 * Patterns that mean the same to JavaScript and RE2, over few letters, so that they match now and then.
 *
 * @param repeatsNothing whether what can match no text may be repeated
 */
const anyPattern = (repeatsNothing: boolean) => {
  const mayRepeat = (atom: string) => isPattern(atom) && (repeatsNothing || !canBeNothing(atom));
  const { whole } = fc.letrec<{ whole: string; part: string; atom: string }>((tie) => ({
    whole: fc
      .array(fc.array(tie("part"), { maxLength: 4 }), { minLength: 1, maxLength: 3 })
      .map((ways) => ways.map((parts) => parts.join("")).join("|")),
    part: fc.oneof(
      tie("atom"),
      fc
        .tuple(
          tie("atom").filter(mayRepeat),
          fc.constantFrom("*", "+", "?", "{2}", "{1,}", "{0,2}"),
          fc.boolean(),
        )
        .map(([atom, quantifier, isLazy]) => atom + quantifier + (isLazy ? "?" : "")),
      fc.constantFrom("^", "$", "\\b", "\\B"),
    ),
    atom: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constantFrom("a", "b", "é", "😀", ".", "\\d", "\\w", "\\W", "\\s", "\\S", "\\.", "[ab]"),
      fc.constantFrom("[^a]", "[a-c\\d]", "[\\]é]", "\\p{L}", "\\x61", "\\u0062", "\\u{1F600}"),
      fc.constantFrom(
        "[\\s1]",
        "[^\\sa]",
        "[(.]",
        "[^]",
        "\\cJ",
        "\\P{Lu}",
        "\\0",
        "\\/",
        "[(?=a)]",
      ),
      tie("whole").map((inner) => `(${inner})`),
      tie("whole").map((inner) => `(?:${inner})`),
      tie("whole").map((inner) => `(?<name>${inner})`),
    ),
  }));
  return whole.filter(isPattern);
};

const anyText = fc.string({
  unit: fc.constantFrom(..."aab1. é😀\n\u00a0-"),
  maxLength: 12,
});

/** JavaScript finds a place between the halves of an emoji, and would put something there. */
const breaksEmoji = (source: string, text: string) => source.includes("\\B") && text.includes("😀");

test("a pattern matches what it matches in JavaScript", () => {
  fc.assert(
    fc.property(anyPattern(true), fc.array(anyText, { maxLength: 5 }), (source, texts) => {
      const pattern = patternOf(source);
      for (const text of texts) {
        if (breaksEmoji(source, text)) continue;
        expect([source, text, pattern.test(text)]).toEqual([
          ...[source, text, new RegExp(source, "u").test(text)],
        ]);
      }
    }),
    { numRuns: 500 },
  );
});

// What matches no text JavaScript repeats not even once, which here makes no difference to whether
// the whole matches, but can make one to how far.
test("a pattern replaces what it replaces in JavaScript", () => {
  fc.assert(
    fc.property(anyPattern(false), fc.array(anyText, { maxLength: 5 }), (source, texts) => {
      // An expression that also matches nothing tells how many groups it has.
      const groups = (new RegExp(`${source}|`, "u").exec("")?.length ?? 1) - 1;
      // JavaScript empties the groups within a repetition each time, and RE2 does not.
      const known = /\)[*+{]/.test(source) ? 0 : Math.min(groups, 4);
      const references = Array.from({ length: known }, (_, at) => `$${at + 1}`);
      const replacement = `<${[...references, "$&$$", "$"].join("|")}>`;
      // Repetitions of repetitions can be too large.
      fc.pre(compileReplace(source, "").kind === "replace");
      const replace = replacing(source, replacement);
      for (const text of texts) {
        if (breaksEmoji(source, text)) continue;
        expect([source, text, replace(text)]).toEqual([
          ...[source, text, text.replaceAll(new RegExp(source, "gu"), replacement)],
        ]);
      }
    }),
    { numRuns: 500 },
  );
});

test.each([
  ["[0-9]+", "$$$&", "5 and 7", "$5 and $7"],
  ["(a)|(b)", "[$1$2]", "ab", "[a][b]"],
  ["(a)(b)?", "$10", "ab a", "a0 a0"],
])("%s, replaced by %s, makes of %s %s", (source, replacement, text, replaced) => {
  expect(replacing(source, replacement)(text)).toBe(replaced);
});

test.each([
  ["(a)(?<x>b)", "$3", "has $3, and the pattern has 2 groups in parentheses: write $1"],
  ["(a)", "$<y>", "has $<y>, and the pattern has 1 group in parentheses: write $1"],
  ["a", "$0.50", "has $0, and the pattern has 0 groups in parentheses: write $1"],
  ["a", "$`", "has $`, and the pattern has 0 groups in parentheses: write $1"],
])("%s has no group for %s", (source, replacement, message) => {
  const compiled = compileReplace(source, replacement);
  expect(compiled).toMatchObject({ kind: "problem", at: "with" });
  expect(compiled).toHaveProperty("message", expect.stringContaining(message));
});

test("a replacement, which looks again after each match, takes smaller patterns", () => {
  const source = "(?:ab?){200}c";
  expect(compilePattern(source).kind).toBe("pattern");
  expect(compileReplace(source, "")).toEqual({ kind: "problem", at: "pattern", message: tooLarge });
});

test("a text is tried up to 4,000 characters, and left beyond", () => {
  const [longest, longer] = ["a".repeat(4000), "a".repeat(4001)];
  expect([patternOf("b$").test(longest), patternOf("b$").test(longer)]).toEqual([false, undefined]);
  const replace = replacing("a", "b");
  expect([replace(longest), replace(longer)]).toEqual(["b".repeat(4000), undefined]);
});

test.each([
  "^(a+)+$",
  "^(a|a)*$",
  "^(a|aa)+$",
  "^(.*)*x$",
  "a*a*a*a*a*a*b",
  "(?:a?){40}a{40}$",
  "a(.*b)?$",
])("no pattern hangs: %s", (source) => {
  expect(patternOf(source).test(`${"a".repeat(3999)}!`)).toBe(false);
  expect(replacing(source, "x")(`${"a".repeat(3999)}!`)).toMatch(/!$/);
});

const tooLarge = "is too large: repeat fewer times (1,000 at most), and nest fewer groups";

const notOfRe2 =
  "is no regular expression of RE2, which has no look-around and no back-references: ";

test.each([
  ["(", `${notOfRe2}missing closing ): \`(\``],
  ["a(?=b)", `${notOfRe2}invalid or unsupported Perl syntax: \`(?=\``],
  ["(?<!a)b", `${notOfRe2}invalid named capture: \`(?<!a)b\``],
  ["(a)\\1", `${notOfRe2}invalid escape sequence: \`\\1\``],
  ["(?<x>a)\\\\\\k<x>", `${notOfRe2}back-reference: \`\\k\``],
  ["(?:a{60}){60}", tooLarge],
  ["(?:abc?){900}", tooLarge],
  ["a".repeat(2001), "is longer than 2000 characters: shorten it"],
  ["a{1,99999999999}", tooLarge],
])("refused: %s", (source, message) => {
  expect(compilePattern(source)).toEqual({ kind: "problem", message });
});

test("what only RE2 has is taken, such as a flag", () => {
  expect(patternOf("(?i)^\\\\k[a\\s]").test("\\K\u202f")).toBe(true);
});
