import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { flow } from "../edit-yaml.ts";
import { isObject } from "../mapping-table.ts";

/** What could be written at a place: keys, words and columns, as the schema of mappings has them. */
export function completeMapping(
  root: unknown,
  columns: readonly string[],
  memberNames: readonly string[],
) {
  return (context: CompletionContext): CompletionResult | null => {
    const { state, pos } = context;
    const { path, isKey, word } = placeAt(state.sliceDoc(0, pos));
    if (word === "" && !context.explicit) return null;
    const schemas = schemasAt(root, path);
    const options = isKey
      ? keysOf(schemas, path.at(-1) === "members" ? memberNames : [])
      : valuesOf(schemas, columns);
    return { from: pos - word.length, options, validFor: /^[^{}[\],:]*$/ };
  };
}

/** The words that a schema allows at a place, such as types. */
export function wordsAt(root: unknown, path: readonly string[]): string[] {
  return schemasAt(root, path).flatMap(({ enum: words = [] }) =>
    Array.isArray(words) ? words.map(String) : [],
  );
}

type Schema = Readonly<Record<string, unknown>>;

/** The schemas of a place. What a list holds is at the place of the list. */
function schemasAt(root: unknown, path: readonly string[]): Schema[] {
  const expand = (schema: unknown): Schema[] => {
    if (!isObject(schema)) return [];
    const { $ref, anyOf, oneOf, allOf, items } = schema;
    if (typeof $ref === "string") {
      const { definitions } = root as { definitions: Schema };
      return expand(definitions[$ref.replace("#/definitions/", "")]);
    }
    const parts = [anyOf, oneOf, allOf, items].flatMap((list) => list ?? []);
    return [schema, ...parts.flatMap(expand)];
  };
  return path.reduce<Schema[]>(
    (found, key) =>
      found.flatMap(({ properties, additionalProperties }) => {
        const own = isObject(properties) && Object.hasOwn(properties, key);
        return expand(own ? properties[key] : additionalProperties);
      }),
    expand(root),
  );
}

function keysOf(schemas: readonly Schema[], names: readonly string[]): Completion[] {
  const keys = new Map<string, Completion>();
  for (const { properties } of schemas) {
    for (const [label, schema] of Object.entries(isObject(properties) ? properties : {})) {
      const info = isObject(schema) ? String(schema.description ?? "") : "";
      if (!keys.has(label)) keys.set(label, { label, type: "property", apply: `${label}: `, info });
    }
  }
  const members = names.map((label) => ({ label, type: "variable", apply: `${flow(label)}: ` }));
  return [...keys.values(), ...members];
}

function valuesOf(schemas: readonly Schema[], columns: readonly string[]): Completion[] {
  const words = schemas.flatMap(({ enum: words, type, const: only }) => {
    if (Array.isArray(words)) return words.map(String);
    return only !== undefined ? [String(only)] : type === "boolean" ? ["true", "false"] : [];
  });
  const isColumn = schemas.some(({ description }) =>
    /^(?:a|the) column$/.test(String(description)),
  );
  const ofColumns = isColumn ? columns : [];
  return [
    ...[...new Set(words)].map((label) => ({ label, type: "enum" })),
    ...ofColumns.map((label) => ({ label, type: "class", apply: flow(label) })),
  ];
}

interface PlaceInText {
  readonly path: readonly string[];
  /** Whether a key would stand there, and not a value. */
  readonly isKey: boolean;
  /** What is written of it. */
  readonly word: string;
}

/** Where the end of a text is: by the indentation of its lines, and by the brackets in the last one. */
function placeAt(text: string): PlaceInText {
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  const [indent = ""] = /^[ -]*/.exec(last) ?? [];
  const above: string[] = [];
  let depth = indent.length;
  for (const line of lines.toReversed()) {
    const [, before = "", key] =
      /^((?: |- )*)("[^"]*"|'[^']*'|[^\s#][^:]*):(?:\s|$)/.exec(line) ?? [];
    if (key === undefined || before.length >= depth) continue;
    above.unshift(key.replaceAll(/^["']|["']$/g, ""));
    depth = before.length;
  }
  const stack: { readonly isList: boolean; readonly path: readonly string[] }[] = [];
  let path: readonly string[] = above;
  let key: string | undefined;
  let word = "";
  for (const [token] of last
    .slice(indent.length)
    .matchAll(/"[^"]*"?|'[^']*'?|[{}[\],]|:(?=\s|$)|[^{}[\],:"']+|./g)) {
    if (token === "{" || token === "[") {
      const inside = key === undefined ? path : [...path, key];
      stack.push({ isList: token === "[", path });
      path = inside;
      key = undefined;
    } else if (token === "}" || token === "]") {
      path = stack.pop()?.path ?? path;
    } else if (token === ":") key = word.trim().replaceAll(/^["']|["']$/g, "");
    else if (token === ",") key = undefined;
    word = /^[{}[\],:]$/.test(token) ? "" : word + token;
  }
  const written = word.trimStart();
  if (key !== undefined) return { path: [...path, key], isKey: false, word: written };
  return { path, isKey: stack.at(-1)?.isList !== true, word: written };
}
