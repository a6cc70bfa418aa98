import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { isPair, isScalar, parseDocument, visit } from "yaml";
import { flow } from "../edit-yaml.ts";
import { isObject } from "../mapping-table.ts";

/** What could be written at a place: keys, words and columns, as the schema of mappings has them. */
export function completeMapping(
  root: unknown,
  columns: readonly string[],
  memberNames: readonly string[],
) {
  return ({ state, pos, explicit }: CompletionContext): CompletionResult | null => {
    const { path, isKey, from } = placeAt(state.sliceDoc(0, pos));
    if (from === pos && !explicit) return null;
    const schemas = schemasAt(root, path);
    const options = isKey
      ? keysOf(schemas, path.at(-1) === "members" ? memberNames : [])
      : valuesOf(schemas, columns);
    return { from, options, validFor: /^[^{}[\],:]*$/ };
  };
}

/** The words that a schema allows at a place, such as types. */
export function wordsAt(root: unknown, path: readonly string[]): string[] {
  return wordsOf(schemasAt(root, path));
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

function wordsOf(schemas: readonly Schema[]): string[] {
  const words = schemas.flatMap(({ enum: words, type, const: only }) => {
    if (Array.isArray(words)) return words.map(String);
    return only !== undefined ? [String(only)] : type === "boolean" ? ["true", "false"] : [];
  });
  return [...new Set(words)];
}

function keysOf(schemas: readonly Schema[], names: readonly string[]): Completion[] {
  const keys = schemas.flatMap(({ properties }) => Object.entries(Object(properties)));
  const members = names.map((label) => ({ label, type: "variable", apply: `${flow(label)}: ` }));
  const completions = [...new Map(keys)].map(([label, schema]): Completion => {
    const info = String(Object(schema).description ?? "");
    return { label, type: "property", apply: `${label}: `, info };
  });
  return [...completions, ...members];
}

function valuesOf(schemas: readonly Schema[], columns: readonly string[]): Completion[] {
  const isColumn = ({ description }: Schema) => /^(?:a|the) column$/.test(String(description));
  const ofColumns = schemas.some(isColumn) ? columns : [];
  return [
    ...wordsOf(schemas).map((label) => ({ label, type: "enum" })),
    ...ofColumns.map((label) => ({ label, type: "class", apply: flow(label) })),
  ];
}

/** Where the end of a text is, as the parser sees a word there; and whether that would be a key, and not a value. */
function placeAt(text: string) {
  const mark = "\ue000";
  let place = { path: [] as string[], isKey: true, from: text.length };
  visit(parseDocument(text + mark, { schema: "failsafe", logLevel: "silent" }), {
    Scalar(role, { value, range }, around) {
      if (range == null || !String(value).endsWith(mark)) return undefined;
      const keys = around.flatMap((one) => (isPair(one) && isScalar(one.key) ? one.key : []));
      if (role === "key") keys.pop();
      const end = keys.at(-1)?.range?.[1] ?? 0;
      // What has a line of its own below its key may become a key.
      const isKey = role === "key" || end === 0 || text.slice(end, range[0]).includes("\n");
      place = { path: keys.map((key) => String(key.value)), isKey, from: range[0] };
      return visit.BREAK;
    },
  });
  return place;
}
