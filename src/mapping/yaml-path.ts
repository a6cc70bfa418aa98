import { isMap, isNode, isScalar, isSeq } from "yaml";

/** Keys and list indexes that lead to a place in a YAML file. */
export type YamlPath = readonly PropertyKey[];

/** A key as text, the way the file has it. */
export function keyText(key: unknown): string {
  if (!isScalar(key)) return String(key);
  return typeof key.value === "string" ? key.value : (key.source ?? String(key.value ?? ""));
}

/** Offset of the node at a path, or of the nearest one around it that is there. */
export function offsetOf(root: unknown, path: YamlPath): number | undefined {
  let node: unknown = root;
  let offset = startOf(root);
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => keyText(key) === step);
      if (pair === undefined) break;
      offset = startOf(pair.key) ?? offset;
      node = pair.value;
    } else if (isSeq(node) && typeof step === "number") {
      node = node.items[step];
      offset = startOf(node) ?? offset;
    } else break;
  }
  return offset;
}

export function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
