/**
 * Finds and replaces the patterns of a mapping. The matcher is our own, because `re2js` (2.10) cannot keep
 * three promises:
 *
 * - A replacement takes bounded time. `re2js` has no limit of steps: `a(.*b)?` takes 6 s for a cell of 20 kB,
 *   and 2,500 times as long for 1 MB.
 * - A pattern replaces what it replaces in JavaScript, which empties groups at the start of each repetition:
 *   for `ab`, the first group of `(?:(a)|b)+` is empty, but `a` in `re2js`. `\s` and `.` match other
 *   characters there, and it does not know `\p{Script=Greek}`.
 * - A quantifier can be large while the program stays small; `re2js` refuses `a{1,1001}`.
 */

import {
  type Assertion,
  type Instruction,
  type PatternGroups,
  parsePattern,
} from "./parse-pattern.ts";

type Problem = { readonly kind: "problem"; readonly message: string };

export type CompiledPattern = { readonly kind: "pattern"; test(text: string): boolean } | Problem;

export type CompiledReplace =
  | {
      readonly kind: "replace";
      /** The text with another in place of every match; undefined if that takes too many steps. */
      replace(text: string): string | undefined;
    }
  | Problem;

interface Match {
  readonly start: number;
  readonly end: number;
  /** Begin and end of the captured groups, see `parsePattern`; undefined if a group took no part. */
  readonly captures: Captures;
  /** Steps taken beyond its end to look for a longer one. The next match takes them again. */
  readonly stepsBeyond: number;
}

/**
 * Every match of `a(.*b)?` scans the whole rest of a text without a b, and the next match scans it again.
 * Texts of some hundred characters never come near this limit; longer ones can be scanned some ten times.
 */
const maxStepsBeyond = 2_000_000;
const maxStepsBeyondPerCharacter = 50;

/**
 * Compiles a regular expression to a matcher that scans a text once and follows all alternatives at the
 * same time (Thompson, 1968), so that no pattern and no cell can make it hang. JavaScript's own matcher
 * tries one after another: `(a+)+$` and thirty letters take hours.
 */
export function compilePattern(pattern: string): CompiledPattern {
  const parsed = parsePattern(pattern);
  if (parsed.kind === "problem") return parsed;
  const find = createFinder(parsed.program);
  return { kind: "pattern", test: (text) => find(text, 0, true) !== undefined };
}

/** Compiles a regular expression and its replacement to a function that replaces all matches. */
export function compileReplace(pattern: string, replacement: string): CompiledReplace {
  const plain = parsePattern(pattern);
  const parsed = plain.kind === "problem" ? plain : parseReplacement(replacement, plain.groups);
  if (parsed.kind === "problem") return parsed;
  const captured = new Set(parsed.pieces.filter((piece) => typeof piece === "number" && piece > 0));
  const program = parsePattern(pattern, captured as ReadonlySet<number>);
  if (program.kind === "problem") return program;
  const find = createFinder(program.program);
  return {
    kind: "replace",
    replace(text) {
      let replaced = "";
      let rest = 0;
      let stepsLeft = maxStepsBeyond + maxStepsBeyondPerCharacter * text.length;
      for (let from = 0; from <= text.length; ) {
        const match = find(text, from, false);
        if (match === undefined) break;
        stepsLeft -= match.stepsBeyond;
        if (stepsLeft < 0) return undefined;
        replaced += text.slice(rest, match.start) + filled(parsed.pieces, text, match);
        rest = match.end;
        from = match.end > match.start ? match.end : match.end + widthAt(text, match.end);
      }
      return replaced + text.slice(rest);
    },
  };
}

function filled(pieces: Replacement, text: string, { start, end, captures }: Match): string {
  let put = "";
  for (const piece of pieces) {
    if (typeof piece === "string") put += piece;
    else if (piece === 0) put += text.slice(start, end);
    else put += text.slice(captures[2 * piece] ?? 0, captures[2 * piece + 1] ?? 0);
  }
  return put;
}

/** Threads share it, so it is never changed. */
type Captures = readonly (number | undefined)[];

const noCaptures: Captures = [];

function withSlot(captures: Captures, slot: number, at: number | undefined): Captures {
  const copy = captures.slice();
  copy[slot] = at;
  return copy;
}

/** The alternatives that are followed, by priority: the instruction of each, and where it began. */
interface Threads {
  readonly steps: Int32Array;
  readonly starts: Int32Array;
  readonly captures: Captures[];
  count: number;
}

/** Finds the first match; of several that begin there, the one that JavaScript finds. */
function createFinder(
  program: readonly Instruction[],
): (text: string, from: number, anyMatch: boolean) => Match | undefined {
  const size = program.length;
  const createThreads = (): Threads => ({
    steps: new Int32Array(size),
    starts: new Int32Array(size),
    captures: new Array<Captures>(size).fill(noCaptures),
    count: 0,
  });
  const seenAt = new Float64Array(size);
  let now = createThreads();
  let later = createThreads();

  /** Adds all instructions reachable without a character, unless a thread of higher priority did. */
  const follow = (
    threads: Threads,
    text: string,
    step: number,
    start: number,
    at: number,
    captures: Captures,
  ): void => {
    if (seenAt[step] === at) return;
    seenAt[step] = at;
    const instruction = program[step] as Instruction;
    switch (instruction.kind) {
      case "jump":
        follow(threads, text, instruction.to, start, at, captures);
        return;
      case "split":
        follow(threads, text, instruction.first, start, at, captures);
        follow(threads, text, instruction.second, start, at, captures);
        return;
      case "assertion":
        if (holds(instruction.assertion, text, at))
          follow(threads, text, step + 1, start, at, captures);
        return;
      case "save":
        follow(threads, text, step + 1, start, at, withSlot(captures, instruction.slot, at));
        return;
      case "clear": {
        const without = instruction.groups.reduce(
          (left, group) => withSlot(withSlot(left, 2 * group, undefined), 2 * group + 1, undefined),
          captures,
        );
        follow(threads, text, step + 1, start, at, without);
        return;
      }
      case "character":
      case "match":
        threads.steps[threads.count] = step;
        threads.starts[threads.count] = start;
        threads.captures[threads.count] = captures;
        threads.count++;
        return;
      default:
        instruction satisfies never;
    }
  };

  return (text, from, anyMatch) => {
    seenAt.fill(-1);
    now.count = 0;
    let found: Omit<Match, "stepsBeyond"> | undefined;
    let stepsBeyond = 0;
    for (let at = from; ; ) {
      if (found === undefined) follow(now, text, 0, at, at, noCaptures);
      if (now.count === 0 && found !== undefined) return { ...found, stepsBeyond };
      const code = text.codePointAt(at);
      const after = at + (code !== undefined && code > 0xffff ? 2 : 1);
      later.count = 0;
      for (let index = 0; index < now.count; index++) {
        const step = now.steps[index] as number;
        const start = now.starts[index] as number;
        const captures = now.captures[index] as Captures;
        const instruction = program[step] as Instruction;
        if (instruction.kind === "match") {
          found = { start, end: at, captures };
          // All threads after this one have lower priority.
          break;
        }
        if (code === undefined || instruction.kind !== "character") continue;
        if (instruction.takes(code)) follow(later, text, step + 1, start, after, captures);
      }
      if (found !== undefined) {
        if (code === undefined || anyMatch) return { ...found, stepsBeyond };
        stepsBeyond += now.count;
      }
      if (code === undefined) return undefined;
      [now, later] = [later, now];
      at = after;
    }
  };
}

function holds(assertion: Assertion, text: string, at: number): boolean {
  switch (assertion) {
    case "^":
      return at === 0;
    case "$":
      return at === text.length;
    case "\\b":
      return isWord(text, at - 1) !== isWord(text, at);
    case "\\B":
      return isWord(text, at - 1) === isWord(text, at);
  }
}

function isWord(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  const isDigit = code >= 48 && code <= 57;
  const isLetter = (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
  return isDigit || isLetter || code === 95;
}

function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

/** The replacement of a match: texts and group numbers; 0 is the whole match. */
export type Replacement = readonly (string | number)[];

export type ParsedReplacement =
  | { readonly kind: "replacement"; readonly pieces: Replacement }
  | { readonly kind: "problem"; readonly message: string };

/** `$$`, `$&`, `$1` to `$99` and `$<name>`, as in JavaScript. Any other dollar is a dollar. */
const reference = /\$(?:\$|&|(\d{1,2})|<([^>]*)>)/g;

/** Parses the `with` of a `replace` whose pattern has these groups. */
function parseReplacement(text: string, groups: PatternGroups): ParsedReplacement {
  const pieces: (string | number)[] = [];
  let end = 0;
  for (const found of text.matchAll(reference)) {
    const [written, digits, name] = found;
    pieces.push(text.slice(end, found.index));
    end = found.index + written.length;
    if (digits !== undefined) {
      // With fewer than 12 groups, $12 is $1 and the text 2.
      const places = [digits, digits.slice(0, 1)];
      const place = places.find((one) => Number(one) >= 1 && Number(one) <= groups.count);
      if (place === undefined) return unknown(`$${digits}`, groups);
      pieces.push(Number(place), digits.slice(place.length));
    } else if (name !== undefined) {
      const place = groups.names.get(name);
      if (place === undefined) return unknown(`$<${name}>`, groups);
      pieces.push(place);
    } else pieces.push(written === "$$" ? "$" : 0);
  }
  pieces.push(text.slice(end));
  return { kind: "replacement", pieces: pieces.filter((piece) => piece !== "") };
}

function unknown(reference: string, { count, names }: PatternGroups): ParsedReplacement {
  const named = [...names.keys()].map((name) => `$<${name}>`);
  const known = [...Array.from({ length: Math.min(count, 9) }, (_, at) => `$${at + 1}`), ...named];
  const those =
    known.length === 0
      ? "the pattern has no groups; put what is meant in parentheses there"
      : `the pattern has ${known.join(", ")}`;
  return {
    kind: "problem",
    message: `has ${reference}, and ${those}, or write $${reference} for the text itself`,
  };
}
