/** One step of a program that finds a pattern in a text, see match-pattern.ts. */
export type Instruction =
  | { readonly kind: "character"; takes(codePoint: number): boolean }
  /** Goes on at both, rather at the first. */
  | { readonly kind: "either"; readonly first: number; readonly second: number }
  | { readonly kind: "jump"; readonly to: number }
  | { readonly kind: "place"; readonly place: Place }
  /** Notes where a group begins or ends. */
  | { readonly kind: "mark"; readonly mark: number }
  /** Groups that are repeated are empty at the beginning of each time. */
  | { readonly kind: "forget"; readonly groups: readonly number[] }
  | { readonly kind: "found" };

/** Beginning and end of the text, and whether a word begins or ends here. */
export type Place = "^" | "$" | "\\b" | "\\B";

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

/** A pattern of a mapping needs a few dozen; each costs time with every character of every cell. */
const maxInstructions = 2000;
const maxCharacters = 2000;
const maxGroupDepth = 100;

type Node =
  | { readonly kind: "character"; takes(codePoint: number): boolean }
  | { readonly kind: "place"; readonly place: Place }
  | { readonly kind: "sequence"; readonly nodes: readonly Node[] }
  | { readonly kind: "either"; readonly nodes: readonly Node[] }
  | {
      readonly kind: "repeat";
      readonly node: Node;
      readonly min: number;
      readonly max: number;
      readonly isLazy: boolean;
    }
  | { readonly kind: "group"; readonly group: number; readonly node: Node };

class Unusable extends Error {}

/**
 * Makes a program of a regular expression (JavaScript's, as with the flag `u`). What a program cannot
 * do in a time that grows with the text alone is refused: look-around and back-references.
 *
 * @param noted groups of which beginning and end are asked for: the marks of group 1 are 2 and 3
 */
export function parsePattern(pattern: string, noted?: ReadonlySet<number>): PatternProgram {
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
    const { node, groups } = parse(pattern, noted);
    write(node, program);
    program.push({ kind: "found" });
    return { kind: "program", program, groups };
  } catch (error) {
    if (error instanceof Unusable) return { kind: "problem", message: error.message };
    throw error;
  }
}

/** Reads a pattern that JavaScript has found to be well-formed. */
function parse(
  pattern: string,
  noted: ReadonlySet<number> = new Set(),
): { readonly node: Node; readonly groups: PatternGroups } {
  let at = 0;
  let depth = 0;
  let count = 0;
  const names = new Map<string, number>();
  const ahead = (text: string) => pattern.startsWith(text, at);

  const either = (): Node => {
    const nodes = [sequence()];
    while (ahead("|")) {
      at++;
      nodes.push(sequence());
    }
    return nodes.length === 1 && nodes[0] !== undefined ? nodes[0] : { kind: "either", nodes };
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
    if (ahead("^") || ahead("$")) return { kind: "place", place: pattern.charAt(at++) as Place };
    if (ahead("\\b") || ahead("\\B")) {
      at += 2;
      return { kind: "place", place: pattern.slice(start, at) as Place };
    }
    if (ahead("[")) {
      while (!ahead("]")) at += ahead("\\") ? 2 : 1;
      at++;
    } else if (ahead("\\")) {
      if (/^\\[1-9k]/.test(pattern.slice(at, at + 2))) {
        throw new Unusable("refers back to a group, which can take endless time: write it without");
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
      throw new Unusable("looks ahead or back, which can take endless time: write it without");
    }
    if (opening.length > 1 && !/^\(\?(?::|<)/.test(opening)) {
      throw new Unusable(`has a group ${opening} that is not known here: write (?: or (`);
    }
    at += opening.length;
    const [, name] = /^\(\?<(.*)>$/u.exec(opening) ?? [];
    const own = opening === "(" || name !== undefined ? ++count : 0;
    if (name !== undefined && names.has(name)) {
      throw new Unusable(`has two groups called ${name}: give each a name of its own`);
    }
    if (name !== undefined) names.set(name, own);
    if (++depth > maxGroupDepth) {
      throw new Unusable(`has groups ${maxGroupDepth} deep: write it with fewer`);
    }
    const inside = either();
    depth--;
    at++;
    return noted.has(own) ? { kind: "group", group: own, node: inside } : inside;
  };
  const node = either();
  return { node, groups: { count, names } };
}

const asciiCharacters = 128;

/** Whether a character is one that a class, an escape or a letter stands for: JavaScript knows. */
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
    throw new Unusable("is too large: repeat fewer times, or write several conditions");
  }
  switch (node.kind) {
    case "character":
    case "place":
      program.push(node);
      return;
    case "sequence":
      for (const inner of node.nodes) write(inner, program);
      return;
    case "either": {
      const ends: number[] = [];
      node.nodes.forEach((inner, index) => {
        const isLast = index === node.nodes.length - 1;
        const branch = program.length;
        if (!isLast) program.push({ kind: "found" });
        write(inner, program);
        if (isLast) return;
        ends.push(program.length);
        program.push({ kind: "found" });
        program[branch] = { kind: "either", first: branch + 1, second: program.length };
      });
      for (const end of ends) program[end] = { kind: "jump", to: program.length };
      return;
    }
    case "repeat":
      writeRepeat(node, program);
      return;
    case "group":
      program.push({ kind: "mark", mark: 2 * node.group });
      write(node.node, program);
      program.push({ kind: "mark", mark: 2 * node.group + 1 });
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
    if (groups.length > 0) program.push({ kind: "forget", groups });
    write(node, program);
  };
  const choose = (at: number, inside: number, after: number) => {
    const [first, second] = isLazy ? [after, inside] : [inside, after];
    program[at] = { kind: "either", first, second };
  };
  for (let times = 0; times < min; times++) {
    const before = program.length;
    writeOnce();
    if (program.length === before) break; // nothing, however often
  }
  if (max === Number.POSITIVE_INFINITY) {
    const start = program.length;
    program.push({ kind: "found" });
    writeOnce();
    program.push({ kind: "jump", to: start });
    choose(start, start + 1, program.length);
    return;
  }
  const choices: number[] = [];
  for (let times = min; times < max; times++) {
    choices.push(program.length);
    program.push({ kind: "found" });
    writeOnce();
  }
  for (const at of choices) choose(at, at + 1, program.length);
}

/** The groups in a part of a pattern that are asked for. */
function groupsIn(node: Node): readonly number[] {
  switch (node.kind) {
    case "character":
    case "place":
      return [];
    case "sequence":
    case "either":
      return node.nodes.flatMap(groupsIn);
    case "repeat":
      return groupsIn(node.node);
    case "group":
      return [node.group, ...groupsIn(node.node)];
    default:
      return node satisfies never;
  }
}
