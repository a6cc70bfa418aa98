import { type Document, isAlias, isMap, isNode, isScalar, isSeq, type Scalar } from "yaml";
import { quote } from "../model/row.ts";
import { isExactNumber } from "./exact-number.ts";
import { keyText, startOf, type YamlPath } from "./yaml-path.ts";

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
      const mend = mendOf(node, key === "min" || key === "max");
      // Of a length that is none, the schema has better to say.
      const isLength = key === "min_length" || key === "max_length";
      if (mend !== undefined && !(isLength && Math.abs(node.value) > Number.MAX_SAFE_INTEGER))
        find("number", node, path, mend);
    }
  };
  walk(document.contents, [], []);
  return findings;
}

/** What to write instead of a number that JavaScript takes for another; nothing where it is fine. */
function mendOf({ value, source }: Scalar, isBound: boolean): string | undefined {
  if (source === undefined || !Number.isFinite(value) || source === String(value)) return undefined;
  const isPlain = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i.test(source);
  if (isPlain && isExactNumber(source)) return undefined;
  if (isBound) return `${source} is compared as ${value}: write ${value}, or another number`;
  const otherwise = isPlain ? "" : `, or ${value} for that number`;
  return `${source} would be sent as ${value}: write ${quote(source)} for the text${otherwise}`;
}
