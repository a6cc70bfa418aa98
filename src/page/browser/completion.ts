import type { Completion, CompletionSource } from "@codemirror/autocomplete";
import { flow } from "../edit-yaml.ts";
import { isObject } from "../mapping-table.ts";

/** Completes the keys and words of a schema, columns, and members, wherever they are typed. */
export function completeMapping(
  schema: unknown,
  columns: readonly string[],
  memberNames: readonly string[],
): CompletionSource {
  const found = new Map<string, Completion>();
  const add = (label: string, completion: Omit<Completion, "label">) =>
    found.set(label, { label, ...completion });
  const addPart = (part: unknown): void => {
    if (Array.isArray(part)) part.forEach(addPart);
    if (!isObject(part)) return;
    for (const word of [part.enum ?? []].flat()) add(String(word), { type: "enum" });
    for (const [key, value] of Object.entries(Object(part.properties))) {
      const info = String(Object(value).description ?? "");
      add(key, { type: "property", apply: `${key}: `, info });
    }
    Object.values(part).forEach(addPart);
  };
  addPart(schema);
  for (const name of memberNames) add(name, { type: "variable", apply: `${flow(name)}: ` });
  for (const column of columns) add(column, { type: "class", apply: flow(column) });
  const options = [...found.values()];
  return (context) => {
    const typed = context.matchBefore(/[^\s{}[\],:"'#]*$/);
    if (typed === null || (typed.text === "" && !context.explicit)) return null;
    return { from: typed.from, options, validFor: /^[^{}[\],:"'#]*$/ };
  };
}
