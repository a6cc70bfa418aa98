import { createRequire } from "node:module";
import type { RE2JS } from "re2js";
import { grouped } from "../model/quantities.ts";
import { Misfit } from "./coerce.ts";

/**
 * The patterns of a mapping: regular expressions as RE2 has them, which take linear time. JavaScript's own
 * matcher tries one way after another: `(a+)+$` and thirty letters take hours.
 */

const maxCellCharacters = 4000;
const maxPatternCharacters = 2000;
/** RE2's instructions. Each costs time for every character of every cell. */
const maxSize = 2000;
/** After each match, a replacement can look at the whole rest of the cell again. */
const maxSizeOfReplace = 250;

type PatternProblem = { readonly kind: "problem"; readonly message: string };

export type CompiledPattern =
  | {
      readonly kind: "pattern";
      /** Whether the pattern matches a part of the text; undefined if the text is too long for patterns. */
      test(text: string): boolean | undefined;
    }
  | PatternProblem;

export type CompiledReplace =
  | {
      readonly kind: "replace";
      /** The text with another in place of every match; undefined if it is too long for patterns. */
      replace(text: string): string | undefined;
    }
  | (PatternProblem & { readonly at: "pattern" | "with" });

export const tooLong = new Misfit(
  "too_long_for_pattern",
  `has more than ${grouped(maxCellCharacters)} characters, the most that a pattern is tried on: shorten it, or map it without the pattern`,
);

export function compilePattern(pattern: string): CompiledPattern {
  const compiled = compile(pattern, maxSize);
  if (compiled.kind === "problem") return compiled;
  const { expression } = compiled;
  return {
    kind: "pattern",
    test: (text) => (text.length > maxCellCharacters ? undefined : expression.test(text)),
  };
}

/** A function that replaces all matches. @param replacement with `$$`, `$&` and `$1`, as in JavaScript */
export function compileReplace(pattern: string, replacement: string): CompiledReplace {
  const compiled = compile(pattern, maxSizeOfReplace);
  if (compiled.kind === "problem") return { ...compiled, at: "pattern" };
  const { expression } = compiled;
  const groups = expression.groupCount();
  for (const [written, digit] of replacement.matchAll(/\$(?:[$&]|(\d)|<[^>]*>|[`'])/g)) {
    const isKnown = /[$&]$/.test(written) || (Number(digit) >= 1 && Number(digit) <= groups);
    if (isKnown) continue;
    const have = groups === 1 ? "1 group" : `${groups} groups`;
    const message = `has ${written}, and the pattern has ${have} in parentheses: write $1 for the first, or $${written} for the text itself`;
    return { kind: "problem", at: "with", message };
  }
  return {
    kind: "replace",
    replace: (text) =>
      text.length > maxCellCharacters
        ? undefined
        : expression.matcher(text).replaceAll(replacement),
  };
}

function compile(
  pattern: string,
  maxSize: number,
): { kind: "expression"; expression: RE2JS } | PatternProblem {
  const problem = (message: string): PatternProblem => ({ kind: "problem", message });
  if (pattern.length > maxPatternCharacters) {
    return problem(`is longer than ${maxPatternCharacters} characters: shorten it`);
  }
  // Loaded for the first pattern only: most mappings have none.
  const { RE2JS: Expression } = createRequire(import.meta.url)("re2js") as typeof import("re2js");
  try {
    // RE2JS would take it for the letter.
    if (/^(?:[^\\]|\\[^k])*\\k/s.test(pattern)) throw new Error("back-reference: `\\k`");
    const translated = Expression.translateRegExp(pattern);
    const expression = Expression.compile(withAllSpace(translated));
    return expression.programSize() > maxSize
      ? problem(patternTooLarge)
      : { kind: "expression", expression };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return problem(
      /repeat count|too large|nest/.test(why)
        ? patternTooLarge
        : `is no regular expression of RE2, which has no look-around and no back-references: ${why.replace("error parsing regexp: ", "")}`,
    );
  }
}

const patternTooLarge = "is too large: repeat fewer times (1,000 at most), and nest fewer groups";

/** RE2's `\s` is white space of ASCII, and numbers and names in files have non-breaking spaces too. */
function withAllSpace(pattern: string): string {
  return pattern.replaceAll(/\\.|\[(?:\\.|[^\\\]])*\]/gsu, (token) => {
    if (token === "\\s") return `[${space}]`;
    if (token === "\\S") return `[^${space}]`;
    return token.startsWith("[")
      ? token.replaceAll(/\\./gsu, (one) => (one === "\\s" ? space : one))
      : token;
  });
}

const space = "\\s\\v\\p{Z}\\x{feff}";
