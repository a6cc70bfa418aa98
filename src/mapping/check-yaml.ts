import { type Document, isAlias, isMap, isNode, isScalar, isSeq, type Scalar } from "yaml";
import { quote } from "../model/row.ts";
import { isExactNumber } from "./numbers.ts";

/** Keys and list indexes that lead to a place in a YAML file. */
export type YamlPath = readonly PropertyKey[];

/** A key as text, the way the file has it. */
export function keyText(key: unknown): string {
  if (!isScalar(key)) return String(key);
  return typeof key.value === "string" ? key.value : (key.source ?? String(key.value ?? ""));
}

/** Whether a problem is with a key itself, or with what stands after it. */
export type YamlPart = "key" | "value";

/**
 * Offset of what is at a path, or of the nearest around it that is there: of a value that is no more
 * than a word its own, of others that of their key.
 */
export function offsetOf(
  root: unknown,
  path: YamlPath,
  part: YamlPart = "value",
): number | undefined {
  let node: unknown = root;
  let offset = startOf(root);
  for (const [at, step] of path.entries()) {
    if (isMap(node)) {
      // Of a key that stands twice, the last counts.
      const pair = node.items.findLast(({ key }) => keyText(key) === step);
      if (pair === undefined) break;
      node = pair.value;
      const isMeant = part === "value" && at === path.length - 1 && isWord(node);
      offset = startOf(isMeant ? node : pair.key) ?? offset;
    } else if (isSeq(node) && typeof step === "number") {
      node = node.items[step];
      offset = startOf(node) ?? offset;
    } else break;
  }
  return offset;
}

function isWord(node: unknown): boolean {
  return isScalar(node) && node.source !== undefined && node.source !== "";
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

interface OddNode {
  readonly offset: number | undefined;
  readonly path: YamlPath;
  readonly message: string;
}

/**
 * Finds what YAML allows and a mapping has no use for: names that are lists, mappings or aliases, and tags
 * that make something else of a value. To look at anything else of such a file may take endless time: a
 * name in a name in a name becomes text that is several times as long with each.
 */
export function findOddNodes(root: unknown): OddNode[] {
  const found: OddNode[] = [];
  const walk = (node: unknown, path: YamlPath): void => {
    if (!isNode(node)) return;
    const tag = isAlias(node) ? undefined : node.tag;
    if (tag !== undefined && !knownTags.has(tag)) {
      const shown = tag.startsWith(standard) ? `!!${tag.slice(standard.length)}` : tag;
      const message = `has the tag ${quote(shown)}, which says nothing here: remove it`;
      found.push({ offset: startOf(node), path, message });
    }
    if (isSeq(node)) node.items.forEach((item, at) => void walk(item, [...path, at]));
    if (!isMap(node)) return;
    for (const { key, value } of node.items) {
      if (key === null || isScalar(key)) {
        walk(key, path);
        walk(value, [...path, String((key as { value?: unknown } | null)?.value ?? "")]);
      } else {
        const what = isAlias(key) ? `an alias (*${key.source})` : "a list or a mapping";
        const message = `has ${what} where a name has to stand: write the name itself`;
        found.push({ offset: startOf(key), path, message });
      }
    }
  };
  walk(root, []);
  return found;
}

const standard = "tag:yaml.org,2002:";
const knownTags = new Set([
  "!",
  ...["str", "int", "float", "bool", "null", "map", "seq"].map((name) => standard + name),
]);

export interface NodeFinding {
  /** An alias that leads nowhere leaves nothing to look at further. */
  readonly kind: "alias" | "key" | "number";
  readonly offset: number | undefined;
  readonly path: YamlPath;
  readonly message: string;
}

/**
 * Finds what a YAML file says and JavaScript would lose in silence: a key that stands twice, a
 * number that would not be the one written, an alias of nothing or of what it stands in.
 */
export function checkNodes(document: Document): NodeFinding[] {
  const findings: NodeFinding[] = [];
  const find = (kind: NodeFinding["kind"], node: unknown, path: YamlPath, message: string) => {
    findings.push({ kind, offset: startOf(node), path, message });
  };

  const anchors = new Map<string, unknown>();
  const walk = (node: unknown, path: YamlPath, around: readonly unknown[]): void => {
    if (isNode(node) && !isAlias(node) && node.anchor !== undefined) anchors.set(node.anchor, node);
    if (isMap(node)) {
      const seen = new Set<string>();
      for (const { key, value } of node.items) {
        const name = keyText(key);
        const inside = [...path, name];
        if (seen.has(name)) find("key", key, inside, "stands here twice: remove one");
        if (name === "__proto__") find("key", key, inside, "cannot be a name: use another");
        seen.add(name);
        if (isScalar(key) && key.anchor !== undefined) anchors.set(key.anchor, key);
        walk(value, inside, [...around, node]);
      }
    } else if (isSeq(node)) {
      node.items.forEach((item, index) => {
        walk(item, [...path, index], [...around, node]);
      });
    } else if (isAlias(node)) {
      const name = node.source;
      const meant = anchors.get(name);
      if (meant === undefined) find("alias", node, path, `*${name} has no &${name} before it`);
      else if (around.includes(meant)) find("alias", node, path, `*${name} stands in itself`);
    } else if (isScalar(node) && typeof node.value === "number") {
      const key = path.at(-1);
      const fix = fixOf(node, key === "min" || key === "max");
      // Of a length that is none, the schema has better to say.
      const isLength = key === "min_length" || key === "max_length";
      if (fix !== undefined && !(isLength && Math.abs(node.value) > Number.MAX_SAFE_INTEGER))
        find("number", node, path, fix);
    }
  };
  walk(document.contents, [], []);
  return findings;
}

/** The fix for a number that JavaScript takes for another; undefined where it is fine. */
function fixOf({ value, source }: Scalar, isBound: boolean): string | undefined {
  if (source === undefined || !Number.isFinite(value) || source === String(value)) return undefined;
  const isPlain = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i.test(source);
  if (isPlain && isExactNumber(source)) return undefined;
  if (isBound) return `${source} is compared as ${value}: write ${value}, or another number`;
  const otherwise = isPlain ? "" : `, or ${value} for that number`;
  return `${source} would be sent as ${value}: write ${quote(source)} for the text${otherwise}`;
}
