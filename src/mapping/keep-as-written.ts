import { isMap, isScalar, isSeq } from "yaml";
import type { z } from "zod";
import { isAsWritten, isNullWritten } from "./written-text.ts";
import { keyText } from "./yaml-path.ts";

/**
 * YAML makes a number of an unquoted `0123` and a boolean of `true`. Where a mapping names columns
 * and cells, which are text, and in `empty: null`, what the file says is what is meant; this puts
 * it back, wherever the schema says so.
 */
export function keepAsWritten(node: unknown, schema: z.core.$ZodType): void {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "optional":
      keepAsWritten(node, def.innerType);
      return;
    case "union":
      for (const option of def.options) keepAsWritten(node, option);
      return;
    case "array":
      if (isSeq(node)) for (const item of node.items) keepAsWritten(item, def.element);
      return;
    case "record":
      if (!isMap(node)) return;
      for (const { key, value } of node.items) {
        text(key);
        keepAsWritten(value, def.valueType);
      }
      return;
    case "object":
      if (!isMap(node)) return;
      for (const { key, value } of node.items) {
        const name = keyText(key);
        const inner = Object.hasOwn(def.shape, name) ? def.shape[name] : undefined;
        if (inner !== undefined) keepAsWritten(value, inner);
      }
      return;
    default:
      if (!isAsWritten(schema)) return;
      // Of `empty: ~` and `empty:` YAML makes the same as of `empty: null`.
      if (def.type === "enum" && isScalar(node) && node.value === null) node.value = "null";
      else if (isNullWritten(schema) || !isNullWord(node)) text(node);
  }
}

function text(node: unknown): void {
  if (isScalar(node) && typeof node.value !== "string" && node.source !== undefined) {
    node.value = node.source;
  }
}

/** Whether it says that there is nothing, and is not just blank, which is told as such. */
function isNullWord(node: unknown): boolean {
  return isScalar(node) && node.value === null && node.source !== "";
}
