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
import { severalEventsFile, singleEventFile } from "./schema.ts";
import { meaningOfSchema } from "./schema-parts.ts";

/** A place of a mapping file that names columns of the input. */
export interface NamedColumns {
  readonly path: YamlPath;
  readonly as: "column" | "member" | "template" | "event";
  readonly text: string;
}

/** Reads the YAML of a mapping file. Text stays text where the schema asks for it. */
export function readMappingYaml(text: string): {
  readonly yaml: YamlResult;
  readonly named: readonly NamedColumns[];
} {
  const named: NamedColumns[] = [];
  const yaml = readYaml(text, {
    longListFix: "put long lists of values into a CSV file, and look them up there (lookup)",
    hasSecrets: false,
    prepare(root) {
      const hasEvents = isMap(root) && root.items.some(({ key }) => keyText(key) === "events");
      keepAsWritten(root, hasEvents ? severalEventsFile : singleEventFile, [], (one) => {
        named.push(one);
      });
      return findChangedNumbers(root);
    },
  });
  return { yaml, named };
}

/**
 * YAML makes a number of an unquoted `0123` and a boolean of `true`. Names of columns and cells are
 * text, and so is the `null` of `empty: null`: wherever the schema says so, this restores what the
 * file says.
 */
function keepAsWritten(
  node: unknown,
  schema: z.core.$ZodType,
  path: YamlPath,
  onColumns: (named: NamedColumns) => void,
): void {
  const go = (inner: unknown, of: z.core.$ZodType, ...step: YamlPath) =>
    keepAsWritten(inner, of, [...path, ...step], onColumns);
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "optional":
      go(node, def.innerType);
      return;
    case "union":
      for (const option of def.options) go(node, option);
      return;
    case "array":
      if (isSeq(node)) for (const [at, item] of node.items.entries()) go(item, def.element, at);
      return;
    case "record":
      if (!isMap(node)) return;
      for (const { key, value } of node.items) {
        restoreText(key);
        go(value, def.valueType, keyText(key));
      }
      return;
    case "object":
      if (!isMap(node)) return;
      for (const { key, value } of node.items) {
        const name = keyText(key);
        const inner = Object.hasOwn(def.shape, name) ? def.shape[name] : undefined;
        if (inner !== undefined) go(value, inner, name);
      }
      return;
    default: {
      const meaning = meaningOfSchema(schema);
      if (meaning === undefined || !isScalar(node)) return;
      // YAML reads `empty: ~` and `empty:` as `empty: null`.
      if (def.type === "enum" && node.value === null) node.value = "null";
      else if (meaning.isNullText || node.value !== null || node.source === "") restoreText(node);
      const { names: as } = meaning;
      const text = node.value;
      if (as !== undefined && typeof text === "string" && text !== "")
        onColumns({ path, as, text });
    }
  }
}

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
