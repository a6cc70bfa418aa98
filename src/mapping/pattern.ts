import { createRequire } from "node:module";
import type { RE2JS } from "re2js";

/**
 * The patterns of a mapping: JavaScript's regular expressions (with the flag `u`), matched by RE2 in
 * linear time. JavaScript's own matcher tries one way after another: `(a+)+$` and thirty letters take
 * hours.
 */

const maxCellCharacters = 4000;
const maxPatternCharacters = 2000;
/** RE2's instructions. Each costs time for every character of every cell. */
const maxSize = 2000;
/** After each match, a replacement can look at the whole rest of the cell again. */
const maxSizeOfReplace = 250;

type Problem = { readonly kind: "problem"; readonly message: string };

export type CompiledPattern =
  | {
      readonly kind: "pattern";
      /** Whether it matches a part of the text; undefined if the text is too long for patterns. */
      test(text: string): boolean | undefined;
    }
  | Problem;

export type CompiledReplace =
  | {
      readonly kind: "replace";
      /** The text with another in place of every match; undefined if it is too long for patterns. */
      replace(text: string): string | undefined;
    }
  | (Problem & { readonly at: "pattern" | "with" });

/** The problem of a text that is too long for patterns. */
export const tooLong = {
  code: "too_long_for_pattern",
  message: `has more than ${maxCellCharacters.toLocaleString("en")} characters, the most that a pattern is tried on: shorten it, or map it without the pattern`,
} as const;

export function compilePattern(pattern: string): CompiledPattern {
  const compiled = compile(pattern, maxSize);
  if (compiled.kind === "problem") return compiled;
  const { expression } = compiled;
  return {
    kind: "pattern",
    test: (text) => (text.length > maxCellCharacters ? undefined : expression.test(text)),
  };
}

/** Compiles a regular expression and its replacement to a function that replaces all matches. */
export function compileReplace(pattern: string, replacement: string): CompiledReplace {
  const compiled = compile(pattern, maxSizeOfReplace);
  if (compiled.kind === "problem") return { ...compiled, at: "pattern" };
  const { expression } = compiled;
  const parsed = parseReplacement(replacement, expression, repeatedGroups(pattern));
  if (parsed.kind === "problem") return { ...parsed, at: "with" };
  return {
    kind: "replace",
    replace(text) {
      if (text.length > maxCellCharacters) return undefined;
      const matcher = expression.matcher(text);
      let replaced = "";
      let rest = 0;
      while (matcher.find()) {
        replaced += text.slice(rest, matcher.start());
        for (const piece of parsed.pieces) {
          replaced += typeof piece === "string" ? piece : (matcher.group(piece) ?? "");
        }
        rest = matcher.end();
      }
      return replaced + text.slice(rest);
    },
  };
}

function compile(
  pattern: string,
  maxSize: number,
): { kind: "expression"; expression: RE2JS } | Problem {
  const problem = (message: string): Problem => ({ kind: "problem", message });
  if (pattern.length > maxPatternCharacters) {
    return problem(`is longer than ${maxPatternCharacters} characters: shorten it`);
  }
  try {
    new RegExp(pattern, "u");
  } catch (error) {
    const [, why = ""] = /^.*\/u?: (.*)$/s.exec(String(error)) ?? [];
    return problem(`is no regular expression: ${why || "it cannot be read"}`);
  }
  const unsupported = whyUnsupported(pattern);
  if (unsupported !== undefined) return problem(unsupported);
  // Loaded for the first pattern only: most mappings have none.
  const { RE2JS: Expression } = createRequire(import.meta.url)("re2js") as typeof import("re2js");
  try {
    const expression = Expression.compile(inRe2(pattern));
    return expression.programSize() > maxSize
      ? problem(tooLarge)
      : { kind: "expression", expression };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return problem(
      /repeat count|too large|nest/.test(why)
        ? tooLarge
        : `has a part that is not known here: ${why.replace("error parsing regexp: ", "")}`,
    );
  }
}

const tooLarge = "is too large: repeat fewer times (1,000 at most), and nest fewer groups";

/** What has a meaning of its own: escapes, classes, beginnings of groups, quantifiers, the dot. */
const escaped =
  "\\\\(?:u\\{[^}]*\\}|u[Dd][89ABab]..\\\\u[Dd][C-Fc-f]..|u....|[pP]\\{[^}]*\\}|c.|x..|.)";
const tokens = new RegExp(
  `${escaped}|\\[(?:\\\\.|[^\\\\\\]])*\\]|\\((?:\\?(?:<?[=!]|[^<]))?|\\)|\\{\\d+(?:,\\d*)?\\}|\\.`,
  "gsu",
);
const tokensOfClass = new RegExp(`${escaped}|\\[`, "gsu");

/** What JavaScript reads and linear time does not allow. */
function whyUnsupported(pattern: string): string | undefined {
  for (const [token] of pattern.matchAll(tokens)) {
    if (/^\\[1-9k]/.test(token)) {
      return "refers back to a group, which can take endless time: write it without";
    }
    if (/^\(\?<?[=!]/.test(token)) {
      return "looks ahead or back, which can take endless time: write it without";
    }
    if (/^\(\?[^:<]/.test(token)) {
      return `has a group ${token} that is not known here: write (?: or (`;
    }
  }
  return undefined;
}

/**
 * The groups within a repetition. JavaScript empties them before each time, and RE2 does not: of
 * `(?:(a)|b)+`, the first group is empty for `ab`, or it is `a`.
 */
function repeatedGroups(pattern: string): ReadonlySet<number> {
  const repeated = new Set<number>();
  const open: { readonly own: number; readonly inside: number[] }[] = [];
  let count = 0;
  for (const { 0: token, index } of pattern.matchAll(tokens)) {
    if (token.startsWith("(")) open.push({ own: token === "(" ? ++count : 0, inside: [] });
    if (token !== ")") continue;
    const { own = 0, inside = [] } = open.pop() ?? {};
    open.at(-1)?.inside.push(...(own === 0 ? inside : [own, ...inside]));
    if (/[*+{]/.test(pattern.charAt(index + 1))) for (const group of inside) repeated.add(group);
  }
  return repeated;
}

/** JavaScript's white space, which is more than RE2's, and all other characters. */
const space =
  "\\x09-\\x0d\\x20\\xa0\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}";
const noSpace =
  "\\x00-\\x08\\x0e-\\x1f\\x21-\\x9f\\xa1-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}";
const any = "\\x00-\\x{10ffff}";

/** Writes a pattern of JavaScript as RE2 reads it: the same signs mean other characters in places. */
function inRe2(pattern: string): string {
  return pattern.replaceAll(tokens, (token) => {
    if (token.startsWith("[")) {
      const [, not = "", characters = ""] = /^\[(\^?)(.*)\]$/su.exec(token) ?? [];
      if (characters === "") return not === "" ? `[^${any}]` : `[${any}]`;
      const inside = characters.replaceAll(tokensOfClass, (one) =>
        one === "[" ? "\\[" : one === "\\b" ? "\\x08" : escapeInRe2(one),
      );
      return `[${not}${inside}]`;
    }
    if (/^\\s$/i.test(token)) return `[${escapeInRe2(token)}]`;
    if (token.startsWith("\\")) return escapeInRe2(token);
    if (token === ".") return "[^\\n\\r\\x{2028}\\x{2029}]";
    // RE2 takes a number with zeros in front for text.
    return token.startsWith("{") ? token.replaceAll(/(?<!\d)0+(?=\d)/g, "") : token;
  });
}

function escapeInRe2(sign: string): string {
  switch (sign.charAt(1)) {
    case "s":
      return space;
    case "S":
      return noSpace;
    case "0":
      return codeOf(0);
    case "c":
      return codeOf(sign.charCodeAt(2) % 32);
    case "u": {
      // Two escapes can make one character.
      const units = sign.slice(2).split("\\u");
      const codes = units.map((unit) => Number.parseInt(unit.replace("{", ""), 16));
      return codeOf(codes.length > 1 ? String.fromCharCode(...codes).codePointAt(0) : codes[0]);
    }
    case "p":
    case "P":
      return sign.replace(/\{(?:Script|sc|General_Category|gc)=/, "{");
    default:
      return sign;
  }
}

function codeOf(code = 0): string {
  return `\\x{${code.toString(16)}}`;
}

/** The replacement of a match: texts and group numbers; 0 is the whole match. */
type Replacement =
  | { readonly kind: "replacement"; readonly pieces: readonly (string | number)[] }
  | Problem;

/** `$$`, `$&` and `$1` to `$9`, as in JavaScript. Any other dollar is a dollar, but for one of a named group. */
const reference = /\$(?:\$|&|(\d)|<[^>]*>)/g;

/** Parses the `with` of a `replace`. */
function parseReplacement(
  text: string,
  expression: RE2JS,
  repeated: ReadonlySet<number>,
): Replacement {
  const count = expression.groupCount();
  const pieces: (string | number)[] = [];
  let end = 0;
  for (const found of text.matchAll(reference)) {
    const [written, digit] = found;
    pieces.push(text.slice(end, found.index));
    end = found.index + written.length;
    if (written === "$$") pieces.push("$");
    else if (written === "$&") pieces.push(0);
    else if (Number(digit) >= 1 && Number(digit) <= count) pieces.push(Number(digit));
    else return unknown(written, count);
  }
  pieces.push(text.slice(end));
  if (pieces.some((piece) => typeof piece === "number" && repeated.has(piece))) {
    const message =
      "refers to a group within a repetition, which is another one each time: repeat without a group around it";
    return { kind: "problem", message };
  }
  return { kind: "replacement", pieces: pieces.filter((piece) => piece !== "") };
}

function unknown(reference: string, count: number): Problem {
  const known = Array.from({ length: Math.min(count, 9) }, (_, at) => `$${at + 1}`);
  const those =
    known.length === 0
      ? "the pattern has no groups; put what is meant in parentheses there"
      : `the pattern has ${known.join(", ")}`;
  return {
    kind: "problem",
    message: `has ${reference}, and ${those}, or write $${reference} for the text itself`,
  };
}
