import { isMap, isScalar, isSeq, type Scalar } from "yaml";
import type { z } from "zod";
import { quote } from "../model/row.ts";
import {
  keyText,
  readYaml,
  restoreText,
  visitScalars,
  type YamlFinding,
  type YamlPath,
  type YamlResult,
} from "../model/yaml-document.ts";
import { isExactNumber } from "./numbers.ts";
import { mappingFile } from "./schema.ts";
import { isAsWritten, isNullWritten } from "./schema-parts.ts";

/** Reads the YAML of a mapping file. Text stays text where the schema asks for it. */
export function readMappingYaml(text: string): YamlResult {
  return readYaml(text, {
    longListFix: "put long lists of values into a CSV file, and look them up there (lookup)",
    hasSecrets: false,
    prepare(root) {
      keepAsWritten(root, mappingFile);
      return findChangedNumbers(root);
    },
  });
}

/**
 * YAML makes a number of an unquoted `0123` and a boolean of `true`. Names of columns and cells are
 * text, and so is the `null` of `empty: null`: wherever the schema says so, this restores what the
 * file says.
 */
function keepAsWritten(node: unknown, schema: z.core.$ZodType): void {
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
        restoreText(key);
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
      // YAML reads `empty: ~` and `empty:` as `empty: null`.
      if (def.type === "enum" && isScalar(node) && node.value === null) node.value = "null";
      else if (isNullWritten(schema) || !isNullWord(node)) restoreText(node);
  }
}

/** Whether it is a word for null. A blank value is not: it has its own message. */
function isNullWord(node: unknown): boolean {
  return isScalar(node) && node.value === null && node.source !== "";
}

/** Finds numbers that JavaScript would silently change. */
function findChangedNumbers(root: unknown): YamlFinding[] {
  const findings: YamlFinding[] = [];
  visitScalars(root, (scalar, path) => {
    const message = describeChange(scalar, path);
    if (message !== undefined) findings.push({ path, message });
  });
  return findings;
}

function describeChange({ value, source }: Scalar, path: YamlPath): string | undefined {
  if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
  if (source === undefined || source === String(value)) return undefined;
  const isPlain = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i.test(source);
  if (isPlain && isExactNumber(source)) return undefined;
  if (["min", "max", "above", "below", "scale"].includes(String(path.at(-1)))) {
    return `${source} is taken for ${value}: write ${value}, or another number`;
  }
  const otherwise = isPlain ? "" : `, or ${value} for that number`;
  return `${source} would be sent as ${value}: write ${quote(source)} for the text${otherwise}`;
}
