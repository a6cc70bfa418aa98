import { type Instruction, type Place, parsePattern } from "./parse-pattern.ts";

export type CompiledPattern =
  | {
      readonly kind: "pattern";
      test(text: string): boolean;
      /** The text with another in place of every match; nothing where that takes too many steps. */
      replace(text: string, replacement: string): string | undefined;
    }
  | { readonly kind: "problem"; readonly message: string };

interface Match {
  readonly start: number;
  readonly end: number;
  /** Steps taken beyond its end, to see whether it goes on: the next match takes them again. */
  readonly stepsBeyond: number;
}

/**
 * For every match of `a(.*b)?` the whole rest of a text without a b is looked at, and again for the next
 * one. Texts of some hundred characters never come near this, and of longer ones each may be looked at
 * some ten times.
 */
const mostStepsBeyond = 2_000_000;
const mostStepsBeyondPerCharacter = 50;

/**
 * Compiles a regular expression to a matcher that goes over a text once and tries all ways at the same
 * time (Thompson, 1968), so that no pattern of a mapping and no cell can make it hang. JavaScript's own
 * tries one way after another, which `(a+)+$` and thirty letters turn into hours.
 */
export function compilePattern(pattern: string): CompiledPattern {
  const parsed = parsePattern(pattern);
  if (parsed.kind === "problem") return parsed;
  const find = createFinder(parsed.program);
  return {
    kind: "pattern",
    test: (text) => find(text, 0, true) !== undefined,
    replace(text, replacement) {
      let replaced = "";
      let rest = 0;
      let stepsLeft = mostStepsBeyond + mostStepsBeyondPerCharacter * text.length;
      for (let from = 0; from <= text.length; ) {
        const match = find(text, from, false);
        if (match === undefined) break;
        stepsLeft -= match.stepsBeyond;
        if (stepsLeft < 0) return undefined;
        replaced += text.slice(rest, match.start) + replacement;
        rest = match.end;
        from = match.end > match.start ? match.end : match.end + widthAt(text, match.end);
      }
      return replaced + text.slice(rest);
    },
  };
}

/** Ways that are being tried, better ones first: how far each is in the program, and its beginning. */
interface Ways {
  readonly steps: Int32Array;
  readonly starts: Int32Array;
  count: number;
}

/** Finds the first match, and of those that begin there the one that JavaScript would. */
function createFinder(
  program: readonly Instruction[],
): (text: string, from: number, anyMatch: boolean) => Match | undefined {
  const size = program.length;
  const createWays = (): Ways => ({
    steps: new Int32Array(size),
    starts: new Int32Array(size),
    count: 0,
  });
  const seenAt = new Float64Array(size);
  let now = createWays();
  let later = createWays();

  /** Adds all that can be reached without a character, unless a better way has reached it. */
  const follow = (ways: Ways, text: string, step: number, start: number, at: number): void => {
    if (seenAt[step] === at) return;
    seenAt[step] = at;
    const instruction = program[step] as Instruction;
    switch (instruction.kind) {
      case "jump":
        follow(ways, text, instruction.to, start, at);
        return;
      case "either":
        follow(ways, text, instruction.first, start, at);
        follow(ways, text, instruction.second, start, at);
        return;
      case "place":
        if (isPlace(instruction.place, text, at)) follow(ways, text, step + 1, start, at);
        return;
      case "character":
      case "found":
        ways.steps[ways.count] = step;
        ways.starts[ways.count] = start;
        ways.count++;
        return;
      default:
        instruction satisfies never;
    }
  };

  return (text, from, anyMatch) => {
    seenAt.fill(-1);
    now.count = 0;
    let found: Pick<Match, "start" | "end"> | undefined;
    let stepsBeyond = 0;
    for (let at = from; ; ) {
      if (found === undefined) follow(now, text, 0, at, at);
      if (now.count === 0 && found !== undefined) return { ...found, stepsBeyond };
      const code = text.codePointAt(at);
      const after = at + (code !== undefined && code > 0xffff ? 2 : 1);
      later.count = 0;
      for (let index = 0; index < now.count; index++) {
        const step = now.steps[index] as number;
        const start = now.starts[index] as number;
        const instruction = program[step] as Instruction;
        if (instruction.kind === "found") {
          found = { start, end: at };
          // All that follow are worse ways than this one.
          break;
        }
        if (code === undefined || instruction.kind !== "character") continue;
        if (instruction.takes(code)) follow(later, text, step + 1, start, after);
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

function isPlace(place: Place, text: string, at: number): boolean {
  switch (place) {
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
