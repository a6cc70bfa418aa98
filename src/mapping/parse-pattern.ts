/** One instruction of the program that match-pattern.ts runs. */
export type Instruction =
  | { readonly kind: "character"; takes(codePoint: number): boolean }
  /** Continues at both; the first has priority. */
  | { readonly kind: "split"; readonly first: number; readonly second: number }
  | { readonly kind: "jump"; readonly to: number }
  | { readonly kind: "assertion"; readonly assertion: Assertion }
  /** Saves where a group begins or ends. */
  | { readonly kind: "save"; readonly slot: number }
  /** Clears groups: each repetition begins with empty ones. */
  | { readonly kind: "clear"; readonly groups: readonly number[] }
  | { readonly kind: "match" };

/** Start and end of the text, and word boundaries. */
export type Assertion = "^" | "$" | "\\b" | "\\B";

/** The groups of a pattern, counted from 1 by their opening parentheses. */
export interface PatternGroups {
  readonly count: number;
  readonly names: ReadonlyMap<string, number>;
}

export type PatternProgram =
  | {
      readonly kind: "program";
      readonly program: readonly Instruction[];
      readonly groups: PatternGroups;
    }
  | { readonly kind: "problem"; readonly message: string };

/** A mapping's pattern needs a few dozen. Each costs time for every character of every cell. */
const maxInstructions = 2000;
const maxCharacters = 2000;
const maxGroupDepth = 100;

type Node =
  | { readonly kind: "character"; takes(codePoint: number): boolean }
  | { readonly kind: "assertion"; readonly assertion: Assertion }
  | { readonly kind: "sequence"; readonly nodes: readonly Node[] }
  | { readonly kind: "alternation"; readonly nodes: readonly Node[] }
  | {
      readonly kind: "repeat";
      readonly node: Node;
      readonly min: number;
      readonly max: number;
      readonly isLazy: boolean;
    }
  | { readonly kind: "group"; readonly group: number; readonly node: Node };

class UnsupportedPattern extends Error {}

/**
 * Compiles a JavaScript regular expression (with the flag `u`) to a program. Look-around and
 * back-references are refused: they cannot run in linear time.
 *
 * @param captured the groups whose begin and end are saved: group 1 has slots 2 and 3
 */
export function parsePattern(pattern: string, captured?: ReadonlySet<number>): PatternProgram {
  if (pattern.length > maxCharacters) {
    return { kind: "problem", message: `is longer than ${maxCharacters} characters: shorten it` };
  }
  try {
    new RegExp(pattern, "u");
  } catch (error) {
    const [, why = ""] = /^.*\/u?: (.*)$/s.exec(String(error)) ?? [];
    return { kind: "problem", message: `is no regular expression: ${why || "it cannot be read"}` };
  }
  try {
    const program: Instruction[] = [];
    const { node, groups } = parse(pattern, captured);
    write(node, program);
    program.push({ kind: "match" });
    return { kind: "program", program, groups };
  } catch (error) {
    if (error instanceof UnsupportedPattern) return { kind: "problem", message: error.message };
    throw error;
  }
}

/** Parses a pattern that JavaScript accepts. */
function parse(
  pattern: string,
  captured: ReadonlySet<number> = new Set(),
): { readonly node: Node; readonly groups: PatternGroups } {
  let at = 0;
  let depth = 0;
  let count = 0;
  const names = new Map<string, number>();
  const ahead = (text: string) => pattern.startsWith(text, at);

  const alternation = (): Node => {
    const nodes = [sequence()];
    while (ahead("|")) {
      at++;
      nodes.push(sequence());
    }
    return nodes.length === 1 && nodes[0] !== undefined ? nodes[0] : { kind: "alternation", nodes };
  };
  const sequence = (): Node => {
    const nodes: Node[] = [];
    while (at < pattern.length && !ahead("|") && !ahead(")")) nodes.push(repeated(atom()));
    return { kind: "sequence", nodes };
  };
  const repeated = (node: Node): Node => {
    const quantifier = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})/y;
    quantifier.lastIndex = at;
    const [all, sign, from, comma, to] = quantifier.exec(pattern) ?? [];
    if (all === undefined) return node;
    at += all.length;
    const isLazy = ahead("?");
    if (isLazy) at++;
    const min = sign === undefined ? Number(from) : sign === "+" ? 1 : 0;
    const bounded = comma === undefined ? min : to ? Number(to) : Number.POSITIVE_INFINITY;
    const max = sign === undefined ? bounded : sign === "?" ? 1 : Number.POSITIVE_INFINITY;
    return { kind: "repeat", node, min, max, isLazy };
  };
  const atom = (): Node => {
    const start = at;
    if (ahead("(")) return group();
    if (ahead("^") || ahead("$"))
      return { kind: "assertion", assertion: pattern.charAt(at++) as Assertion };
    if (ahead("\\b") || ahead("\\B")) {
      at += 2;
      return { kind: "assertion", assertion: pattern.slice(start, at) as Assertion };
    }
    if (ahead("[")) {
      while (!ahead("]")) at += ahead("\\") ? 2 : 1;
      at++;
    } else if (ahead("\\")) {
      if (/^\\[1-9k]/.test(pattern.slice(at, at + 2))) {
        throw new UnsupportedPattern(
          "refers back to a group, which can take endless time: write it without",
        );
      }
      const [escaped = ""] =
        /^\\(?:u\{[^}]*\}|u[Dd][89ABab]..\\u[Dd][C-Fc-f]..|u....|x..|c.|[pP]\{[^}]*\}|.)/su.exec(
          pattern.slice(at),
        ) ?? [];
      at += escaped.length;
    } else {
      at += (pattern.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
    }
    return { kind: "character", takes: characterTest(pattern.slice(start, at)) };
  };
  const group = (): Node => {
    const [opening = "("] = /^\((?:\?(?:[:=!]|<[=!]|<[^>]*>|[^)]))?/u.exec(pattern.slice(at)) ?? [];
    if (/[=!]$/.test(opening)) {
      throw new UnsupportedPattern(
        "looks ahead or back, which can take endless time: write it without",
      );
    }
    if (opening.length > 1 && !/^\(\?(?::|<)/.test(opening)) {
      throw new UnsupportedPattern(`has a group ${opening} that is not known here: write (?: or (`);
    }
    at += opening.length;
    const [, name] = /^\(\?<(.*)>$/u.exec(opening) ?? [];
    const own = opening === "(" || name !== undefined ? ++count : 0;
    if (name !== undefined && names.has(name)) {
      throw new UnsupportedPattern(`has two groups called ${name}: give each a name of its own`);
    }
    if (name !== undefined) names.set(name, own);
    if (++depth > maxGroupDepth) {
      throw new UnsupportedPattern(`has groups ${maxGroupDepth} deep: write it with fewer`);
    }
    const inside = alternation();
    depth--;
    at++;
    return captured.has(own) ? { kind: "group", group: own, node: inside } : inside;
  };
  const node = alternation();
  return { node, groups: { count, names } };
}

const asciiCharacters = 128;

/** Tests a character against a class, an escape or a letter, by asking JavaScript. */
function characterTest(source: string): (codePoint: number) => boolean {
  const single = new RegExp(`^${source}$`, "u");
  const ascii = Uint8Array.from({ length: asciiCharacters }, (_, code) =>
    single.test(String.fromCharCode(code)) ? 1 : 0,
  );
  return (code) =>
    code < asciiCharacters ? ascii[code] === 1 : single.test(String.fromCodePoint(code));
}

function write(node: Node, program: Instruction[]): void {
  if (program.length > maxInstructions) {
    throw new UnsupportedPattern("is too large: repeat fewer times, or write several conditions");
  }
  switch (node.kind) {
    case "character":
    case "assertion":
      program.push(node);
      return;
    case "sequence":
      for (const inner of node.nodes) write(inner, program);
      return;
    case "alternation": {
      const ends: number[] = [];
      node.nodes.forEach((inner, index) => {
        const isLast = index === node.nodes.length - 1;
        const branch = program.length;
        if (!isLast) program.push({ kind: "match" });
        write(inner, program);
        if (isLast) return;
        ends.push(program.length);
        program.push({ kind: "match" });
        program[branch] = { kind: "split", first: branch + 1, second: program.length };
      });
      for (const end of ends) program[end] = { kind: "jump", to: program.length };
      return;
    }
    case "repeat":
      writeRepeat(node, program);
      return;
    case "group":
      program.push({ kind: "save", slot: 2 * node.group });
      write(node.node, program);
      program.push({ kind: "save", slot: 2 * node.group + 1 });
      return;
    default:
      node satisfies never;
  }
}

function writeRepeat(
  { node, min, max, isLazy }: Extract<Node, { kind: "repeat" }>,
  program: Instruction[],
): void {
  const groups = groupsIn(node);
  const writeOnce = () => {
    if (groups.length > 0) program.push({ kind: "clear", groups });
    write(node, program);
  };
  const choose = (at: number, inside: number, after: number) => {
    const [first, second] = isLazy ? [after, inside] : [inside, after];
    program[at] = { kind: "split", first, second };
  };
  for (let times = 0; times < min; times++) {
    const before = program.length;
    writeOnce();
    if (program.length === before) break; // an empty pattern, however often
  }
  if (max === Number.POSITIVE_INFINITY) {
    const start = program.length;
    program.push({ kind: "match" });
    writeOnce();
    program.push({ kind: "jump", to: start });
    choose(start, start + 1, program.length);
    return;
  }
  const choices: number[] = [];
  for (let times = min; times < max; times++) {
    choices.push(program.length);
    program.push({ kind: "match" });
    writeOnce();
  }
  for (const at of choices) choose(at, at + 1, program.length);
}

/** The captured groups in a part of a pattern. */
function groupsIn(node: Node): readonly number[] {
  switch (node.kind) {
    case "character":
    case "assertion":
      return [];
    case "sequence":
    case "alternation":
      return node.nodes.flatMap(groupsIn);
    case "repeat":
      return groupsIn(node.node);
    case "group":
      return [node.group, ...groupsIn(node.node)];
    default:
      return node satisfies never;
  }
}
