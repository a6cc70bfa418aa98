import { quote } from "../domain/row.ts";
import { howNamesDiffer } from "./how-names-differ.ts";
import { suggest } from "./suggest.ts";

export type ColumnLookup =
  | { readonly kind: "found"; readonly index: number }
  | { readonly kind: "problem"; readonly message: string };

/** Finds columns by name. A name that the input does not have, or has twice, is a problem. */
export function createColumns(names: readonly string[]): (name: string) => ColumnLookup {
  const places = new Map<string, number[]>();
  names.forEach((name, index) => {
    const known = places.get(name);
    if (known === undefined) places.set(name, [index]);
    else known.push(index);
  });
  return (name) => {
    const [first, second] = places.get(name) ?? [];
    if (first !== undefined && second === undefined) return { kind: "found", index: first };
    if (first !== undefined && second !== undefined) {
      return {
        kind: "problem",
        message: `the input has two columns ${quote(name)} (${first + 1} and ${second + 1}): rename one`,
      };
    }
    const meant = suggest(name, names);
    const hint =
      meant === undefined
        ? `it has ${names.slice(0, 12).map(quote).join(", ")}${names.length > 12 ? ", …" : ""}`
        : `did you mean ${quote(meant)}?${difference(name, meant)}`;
    return { kind: "problem", message: `the input has no column ${quote(name)}; ${hint}` };
  };
}

function difference(given: string, meant: string): string {
  const how = howNamesDiffer(given, meant);
  return how === undefined ? "" : ` (${how})`;
}
