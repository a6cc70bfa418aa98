import { isAlias, isMap, isNode, isScalar, isSeq } from "yaml";
import { quote } from "../model/row.ts";
import { startOf, type YamlPath } from "./yaml-path.ts";

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
