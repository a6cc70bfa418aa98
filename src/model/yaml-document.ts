import {
  CST,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Pair,
  parseDocument,
  type Scalar,
  type YAMLError,
  type YAMLMap,
} from "yaml";
import { excerptOf, type FileProblem } from "./file-problem.ts";

export type YamlPath = readonly PropertyKey[];

/** Something wrong at a place: with the key itself, or with the value after it. */
export interface YamlFinding {
  readonly path: YamlPath;
  readonly message: string;
  readonly part?: "key" | undefined;
}

/** A YAML (or JSON, which is YAML too) file, with the means to name places in it. */
export interface YamlDocument {
  /** Plain objects, lists and values. If a key is there twice, the last one counts. */
  readonly content: unknown;
  /** Problems that leave the content worth checking. */
  readonly problems: readonly FileProblem[];
  problemOf(finding: YamlFinding): FileProblem;
}

export type YamlResult =
  | { readonly kind: "read"; readonly document: YamlDocument }
  | { readonly kind: "invalid"; readonly problems: readonly FileProblem[] };

export interface YamlFileKind {
  /** What to do with long lists of values. */
  readonly longListFix: string;
  /** A file with secrets is never quoted in a message. */
  readonly hasSecrets: boolean;
  /** Whether each value is the text that the file has. */
  readonly isText?: boolean;
  /**
   * Sees the nodes before they become values. It can restore text that YAML took for a number, and
   * report what only the source text shows.
   */
  prepare?(root: unknown): readonly YamlFinding[];
}

/** Every entry is checked and compiled, which takes several times its own time and memory. */
const maxEntries = 50_000;
const maxYamlDepth = 100;
const maxSyntaxErrors = 100;

export function readYaml(text: string, kind: YamlFileKind): YamlResult {
  const lineCounter = new LineCounter();
  const problemAt = (offset: number | undefined, path: YamlPath, message: string): FileProblem => {
    const shownPath = path.map(String).join(".");
    if (offset === undefined) return { path: shownPath, message };
    const { line, col: column } = lineCounter.linePos(offset);
    const problem = { line, column, path: shownPath, message };
    if (kind.hasSecrets) return problem;
    const lineStart = lineCounter.lineStarts[line - 1] ?? 0;
    return { ...problem, excerpt: excerptOf(text, line, lineStart, offset) };
  };
  const excess = findExcess(text);
  if (excess !== undefined) {
    const starts = text.slice(0, excess.offset).matchAll(/^/gm);
    for (const { index } of starts) lineCounter.addNewLine(index);
    const message = excess.isDeep
      ? `not valid YAML: ${nestedTooDeeply}`
      : `holds more than ${maxEntries} keys and items: ${kind.longListFix}`;
    return { kind: "invalid", problems: [problemAt(excess.offset, [], message)] };
  }
  // With uniqueKeys the library compares each key with all others; examine uses a set.
  const document = parseDocument(text, {
    lineCounter,
    schema: kind.isText === true ? "failsafe" : "core",
    prettyErrors: false,
    uniqueKeys: false,
  });
  const root: unknown = document.contents;
  const problemOf: YamlDocument["problemOf"] = ({ path, message, part }) =>
    problemAt(offsetOfPath(root, path, part), path, message);

  if (document.errors.length > 0) {
    const problems = document.errors
      .slice(0, maxSyntaxErrors)
      .map((error) =>
        problemAt(
          error.pos[0],
          [],
          `not valid YAML: ${describeSyntaxError(error, kind.hasSecrets)}`,
        ),
      );
    return { kind: "invalid", problems };
  }
  const { unsupported, wrongKeys } = examine(root);
  const at = (found: readonly NodeFinding[]) =>
    found.map(({ node, path, message }) => problemAt(startOf(node), path, message));
  if (unsupported.length > 0) return { kind: "invalid", problems: at(unsupported) };
  const problems = [...at(wrongKeys), ...(kind.prepare?.(root).map(problemOf) ?? [])];
  return { kind: "read", document: { content: document.toJS(), problems, problemOf } };
}

/** Whether a value is an object, as YAML makes it of keys and values. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Visits every scalar that is a value; keys are none. */
export function visitScalars(
  node: unknown,
  visit: (scalar: Scalar, path: YamlPath) => void,
  path: YamlPath = [],
): void {
  if (isScalar(node)) visit(node, path);
  else if (isSeq(node)) {
    for (const [at, item] of node.items.entries()) visitScalars(item, visit, [...path, at]);
  } else if (isMap(node)) {
    for (const { key, value } of node.items) visitScalars(value, visit, [...path, keyText(key)]);
  }
}

/** Makes a scalar the text that the file has: a file called 007 is not file 7. */
export function restoreText(node: unknown): void {
  if (isScalar(node) && typeof node.value !== "string" && node.source !== undefined) {
    node.value = node.source;
  }
}

export function keyText(key: unknown): string {
  if (!isScalar(key)) return String(key);
  return typeof key.value === "string" ? key.value : (key.source ?? String(key.value ?? ""));
}

const nestedTooDeeply = "nested too deeply; a few levels are enough";

/**
 * Finds what no person writes before the text is parsed, which takes a thousand times its memory: more keys and
 * values than a file may have, brackets in brackets, and many dashes in a line.
 */
function findExcess(text: string): { isDeep: boolean; offset: number } | undefined {
  let [offset, values, depth, inLine] = [0, 0, 0, 0];
  let isScalarText = false;
  for (const lexeme of new Lexer().lex(text)) {
    const type: CST.TokenType | null = isScalarText ? null : CST.tokenType(lexeme);
    isScalarText = type === "scalar";
    const isOpened = type === "flow-seq-start" || type === "flow-map-start";
    if (isOpened || isScalarText || valueTypes.has(type)) values++;
    if (isOpened) depth++;
    else if (type === "flow-seq-end" || type === "flow-map-end") depth--;
    else if (type === "seq-item-ind" || type === "explicit-key-ind") inLine++;
    else if (type === "newline") inLine = 0;
    if (depth > maxYamlDepth || inLine > maxYamlDepth) return { isDeep: true, offset };
    // An entry is a key and a value.
    if (values > 2 * maxEntries) return { isDeep: false, offset: 0 };
    // The others are marks, which are not in the text.
    if (!isMark.has(lexeme)) offset += lexeme.length;
  }
  return undefined;
}

/** Tokens of values, beside collections and bare words. */
const valueTypes: ReadonlySet<CST.TokenType | null> = new Set([
  ...(["alias", "anchor", "tag", "single-quoted-scalar", "double-quoted-scalar"] as const),
]);
const isMark: ReadonlySet<string> = new Set([CST.DOCUMENT, CST.FLOW_END, CST.SCALAR]);

/**
 * The offset of a path, or of the nearest place around it that exists. Points at the key; at the value
 * if that is a scalar and the key itself is fine.
 */
function offsetOfPath(root: unknown, path: YamlPath, part: "key" | undefined): number | undefined {
  let node: unknown = root;
  let offset = startOf(root);
  for (const [at, step] of path.entries()) {
    if (isMap(node)) {
      const pair = pairsOfMap(node).get(step);
      if (pair === undefined) break;
      node = pair.value;
      const isFilled = isScalar(node) && (node.source ?? "") !== "";
      const pointsAtValue = part !== "key" && at === path.length - 1 && isFilled;
      offset = startOf(pointsAtValue ? node : pair.key) ?? offset;
    } else if (isSeq(node) && typeof step === "number") {
      node = node.items[step];
      offset = startOf(node) ?? offset;
    } else break;
  }
  return offset;
}

/** Thousands of unknown keys are looked up in the same map. */
const pairsByKey = new WeakMap<YAMLMap, ReadonlyMap<PropertyKey, Pair>>();

/** If a key is there twice, the last one counts. */
function pairsOfMap(map: YAMLMap): ReadonlyMap<PropertyKey, Pair> {
  const pairs = pairsByKey.get(map) ?? new Map(map.items.map((pair) => [keyText(pair.key), pair]));
  pairsByKey.set(map, pairs);
  return pairs;
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

type NodeFinding = YamlFinding & { readonly node: unknown };

/** Finds in one walk what the library lets pass. It does not look into keys: these may double with each level. */
function examine(root: unknown) {
  /** What makes something else of a name or a value than the file says: it is not looked at further. */
  const unsupported: NodeFinding[] = [];
  /** Names that stand twice, of which JavaScript drops one silently. */
  const wrongKeys: NodeFinding[] = [];
  const lookAt = (node: unknown, path: YamlPath) => {
    const tag = isNode(node) && !isAlias(node) ? node.tag : undefined;
    if (tag === undefined && !isAlias(node)) return;
    const what = tag === undefined ? "is an alias (*)" : "has a tag (!)";
    const message = `${what}, which is not read: write out what is meant`;
    unsupported.push({ node, path, message });
  };
  const walk = (node: unknown, path: YamlPath): void => {
    lookAt(node, path);
    if (isSeq(node)) {
      for (const [at, item] of node.items.entries()) walk(item, [...path, at]);
    }
    if (!isMap(node)) return;
    const seen = new Set<string>();
    for (const { key, value } of node.items) {
      if (key !== null && !isScalar(key)) {
        unsupported.push({ node: key, path, message: "lacks a name here: write one" });
        continue;
      }
      const name = keyText(key);
      const inside = [...path, name];
      const twice = seen.has(name) ? "is here twice: remove one" : undefined;
      const message = name === "__proto__" ? "cannot be a name: use another" : twice;
      if (message !== undefined) wrongKeys.push({ node: key, path: inside, message });
      seen.add(name);
      lookAt(key, path);
      walk(value, inside);
    }
  };
  walk(root, []);
  return { unsupported, wrongKeys };
}

function describeSyntaxError({ code, message }: YAMLError, hasSecrets: boolean): string {
  if (code === "TAB_AS_INDENT") return "indented with a tab; use spaces";
  if (code === "MULTIPLE_DOCS") return "a second document begins here (---); write one a file";
  if (code === "RESOURCE_EXHAUSTION") return nestedTooDeeply;
  if (message.startsWith("Missing closing")) return "a quote is opened above and never closed";
  if (message.startsWith("Nested mappings")) return "a second colon; put the value in quotes";
  // The library may quote the file.
  return hasSecrets ? "it cannot be read here" : message;
}
