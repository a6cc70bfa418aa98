import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type Scalar,
  type YAMLError,
} from "yaml";
import { excerptOf, type FileProblem } from "./file-problem.ts";
import { quote } from "./row.ts";
import { suggest } from "./suggest.ts";

/** Keys and list indexes that lead to a place in a YAML file. */
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

/** What differs between the kinds of YAML file. */
export interface YamlFileKind {
  /** What such a file holds one of, for messages: `mapping`. */
  readonly noun: string;
  /** What to do with long lists of values. */
  readonly longListFix: string;
  /** A file with secrets is never quoted in a message. */
  readonly hasSecrets: boolean;
  /**
   * Sees the nodes before they become values. It can restore text that YAML took for a number, and
   * report what only the source text shows.
   */
  prepare(root: unknown): readonly YamlFinding[];
}

/** Aliases of aliases can expand to more than any memory holds. */
const maxAliasExpansion = 100;
/** Every entry is checked and compiled, which takes several times its own time and memory. */
const maxEntries = 50_000;
/** For each alias, the library scans all nodes before it. */
const maxAliases = 1000;

export function readYaml(text: string, kind: YamlFileKind): YamlResult {
  const lineCounter = new LineCounter();
  // With uniqueKeys the library compares each key with all others; examine uses a set.
  const document = parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys: false });
  const root: unknown = document.contents;
  const problemAt = (offset: number | undefined, path: YamlPath, message: string): FileProblem => {
    const shownPath = path.map(String).join(".");
    if (offset === undefined) return { path: shownPath, message };
    const { line, col: column } = lineCounter.linePos(offset);
    const problem = { line, column, path: shownPath, message };
    if (kind.hasSecrets) return problem;
    const lineStart = lineCounter.lineStarts[line - 1] ?? 0;
    return { ...problem, excerpt: excerptOf(text, line, lineStart, offset) };
  };
  const problemOfNode = ({ node, path, message }: NodeFinding) =>
    problemAt(startOf(node), path, message);
  const problemOf: YamlDocument["problemOf"] = ({ path, message, part }) =>
    problemAt(offsetOf(root, path, part), path, message);

  if (document.errors.length > 0) {
    const problems = distinctErrors(document.errors).map((error) =>
      problemAt(error.pos[0], [], `not valid YAML: ${describeSyntaxError(error, kind)}`),
    );
    return { kind: "invalid", problems };
  }
  const structure = examine(root, kind);
  const { unsupported, wrongAliases, wrongKeys } = structure;
  if (unsupported.length > 0) return { kind: "invalid", problems: unsupported.map(problemOfNode) };
  const excess = describeExcess(structure, kind);
  if (excess !== undefined) {
    return { kind: "invalid", problems: [problemOf({ path: [], message: excess })] };
  }
  const prepared = kind.prepare(root).map(problemOf);
  const problems = [...[...wrongAliases, ...wrongKeys].map(problemOfNode), ...prepared];
  if (wrongAliases.length > 0) return { kind: "invalid", problems };
  try {
    const content: unknown = document.toJS({ maxAliasCount: maxAliasExpansion });
    return { kind: "read", document: { content, problems, problemOf } };
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    const message = "its aliases (*name) stand for too much: write out what is meant";
    return { kind: "invalid", problems: [...problems, problemOf({ path: [], message })] };
  }
}

/** Says that nothing knows a key, and which known one may be meant. */
export function describeUnknownKey(key: string, known: readonly string[]): string {
  const meant = suggest(key, known);
  return meant === undefined ? "unknown key; remove it" : `unknown key; did you mean ${meant}?`;
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

/** A key as the file has it. */
export function keyText(key: unknown): string {
  if (!isScalar(key)) return String(key);
  return typeof key.value === "string" ? key.value : (key.source ?? String(key.value ?? ""));
}

/**
 * The offset of a path, or of the nearest place around it that exists. Points at the key; at the value
 * if that is a scalar and the key itself is fine.
 */
function offsetOf(root: unknown, path: YamlPath, part: "key" | undefined): number | undefined {
  let node: unknown = root;
  let offset = startOf(root);
  for (const [at, step] of path.entries()) {
    if (isMap(node)) {
      const pair = node.items.findLast(({ key }) => keyText(key) === step);
      if (pair === undefined) break;
      node = pair.value;
      const pointsAtValue = part !== "key" && at === path.length - 1 && isFilledScalar(node);
      offset = startOf(pointsAtValue ? node : pair.key) ?? offset;
    } else if (isSeq(node) && typeof step === "number") {
      node = node.items[step];
      offset = startOf(node) ?? offset;
    } else break;
  }
  return offset;
}

function isFilledScalar(node: unknown): boolean {
  return isScalar(node) && node.source !== undefined && node.source !== "";
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

interface NodeFinding {
  readonly node: unknown;
  readonly path: YamlPath;
  readonly message: string;
}

const standardTag = "tag:yaml.org,2002:";
const supportedTags = new Set([
  "!",
  ...["str", "int", "float", "bool", "null", "map", "seq"].map((name) => standardTag + name),
]);

interface Structure {
  /** Keys that are no names, and tags that make something else of a value: the file is not looked at further. */
  readonly unsupported: NodeFinding[];
  /** Without its aliases a file has no content. */
  readonly wrongAliases: NodeFinding[];
  /** Names that stand twice, of which JavaScript drops one silently. */
  readonly wrongKeys: NodeFinding[];
  entries: number;
  aliases: number;
}

/** Finds in one walk what the library lets pass. It does not look into keys: these may double with each level. */
function examine(root: unknown, { hasSecrets }: YamlFileKind): Structure {
  const found: Structure = {
    ...{ unsupported: [], wrongAliases: [], wrongKeys: [] },
    ...{ entries: 0, aliases: 0 },
  };
  const anchors = new Map<string, unknown>();
  const note = (node: unknown, path: YamlPath) => {
    if (!isNode(node) || isAlias(node)) return;
    if (node.anchor !== undefined) anchors.set(node.anchor, node);
    const { tag } = node;
    if (tag === undefined || supportedTags.has(tag)) return;
    const shown = tag.startsWith(standardTag) ? `!!${tag.slice(standardTag.length)}` : tag;
    const named = hasSecrets ? "a tag (!)" : `the tag ${quote(shown)}`;
    const message = `has ${named}, which says nothing here: remove it`;
    found.unsupported.push({ node, path, message });
  };
  const walk = (node: unknown, path: YamlPath, around: readonly unknown[]): void => {
    found.entries++;
    note(node, path);
    if (isSeq(node)) {
      for (const [at, item] of node.items.entries()) walk(item, [...path, at], [...around, node]);
    } else if (isMap(node)) {
      const seen = new Set<string>();
      for (const { key, value } of node.items) {
        if (key !== null && !isScalar(key)) {
          const alias = isAlias(key)
            ? `an alias (*${hasSecrets ? "name" : key.source})`
            : undefined;
          const message = `has ${alias ?? "a list or a mapping"} where a name has to stand: write the name itself`;
          found.unsupported.push({ node: key, path, message });
          continue;
        }
        const name = keyText(key);
        const inside = [...path, name];
        const report = (message: string) =>
          found.wrongKeys.push({ node: key, path: inside, message });
        if (seen.has(name)) report("stands here twice: remove one");
        if (name === "__proto__") report("cannot be a name: use another");
        seen.add(name);
        note(key, path);
        walk(value, inside, [...around, node]);
      }
    } else if (isAlias(node)) {
      found.aliases++;
      const name = hasSecrets ? "name" : node.source;
      const meant = anchors.get(node.source);
      const report = (message: string) => found.wrongAliases.push({ node, path, message });
      if (meant === undefined) report(`*${name} has no &${name} before it`);
      else if (around.includes(meant)) report(`*${name} stands in itself`);
    }
  };
  walk(root, [], []);
  return found;
}

function describeExcess(
  { entries, aliases }: Structure,
  { longListFix }: YamlFileKind,
): string | undefined {
  if (entries > maxEntries) {
    return `holds ${entries} keys and items, more than ${maxEntries}: ${longListFix}`;
  }
  return aliases > maxAliases
    ? `holds ${aliases} aliases (*name), more than ${maxAliases}: write out what is meant`
    : undefined;
}

/** What is nested too deeply is an error at every level: only the first is shown. */
function distinctErrors(errors: readonly YAMLError[]): readonly YAMLError[] {
  const tooDeep = errors.find(({ code }) => code === "RESOURCE_EXHAUSTION");
  return tooDeep === undefined ? errors : [tooDeep];
}

/** The library's messages of these never quote the file. */
const codesWithoutText = ["MISSING_CHAR", "BAD_INDENT", "BLOCK_AS_IMPLICIT_KEY"];

function describeSyntaxError({ code, message }: YAMLError, kind: YamlFileKind): string {
  if (code === "TAB_AS_INDENT") return "indented with a tab; use spaces";
  if (code === "MULTIPLE_DOCS") {
    return `a second document begins here (---); write one ${kind.noun} a file`;
  }
  if (code === "RESOURCE_EXHAUSTION") {
    return `nested too deeply; a ${kind.noun} needs a few levels`;
  }
  if (message.startsWith("Missing closing")) return "a quote is opened above and never closed";
  if (message.startsWith("Nested mappings")) return "a second colon; put the value in quotes";
  return kind.hasSecrets && !codesWithoutText.includes(code) ? "it cannot be read here" : message;
}
