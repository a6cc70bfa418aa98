import { isMap, isNode, isScalar, isSeq } from "yaml";

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
      const pair = node.items.find(({ key }) => keyText(key) === step);
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

export function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
