import { quote } from "../model/row.ts";

/** How the header of a file compares with that of the first file of a run. */
export type ColumnMatch =
  | { readonly kind: "same" }
  /** The same columns in another order: where in the file each of the first file's columns is. */
  | { readonly kind: "reordered"; readonly places: readonly number[] }
  /** What differs, each a part of a sentence. */
  | { readonly kind: "different"; readonly differences: readonly string[] };

/**
 * Compares two headers. A mapping goes by the names of columns, so their order does not matter where
 * the names tell them apart.
 *
 * @param first what the first file is called
 */
export function matchColumns(
  columns: readonly string[],
  found: readonly string[],
  first: string,
): ColumnMatch {
  if (columns.length === found.length && columns.every((name, at) => name === found[at])) {
    return { kind: "same" };
  }
  const missing = without(columns, found);
  const added = without(found, columns);
  if (missing.length > 0 || added.length > 0) {
    return {
      kind: "different",
      differences: [
        ...(missing.length > 0 ? [`it has no ${listed(missing)}`] : []),
        ...(added.length > 0 ? [`it has ${listed(added)}, which ${first} lacks`] : []),
      ],
    };
  }
  const places = new Map(found.map((name, at) => [name, at]));
  if (places.size === columns.length) {
    return { kind: "reordered", places: columns.map((name) => places.get(name) ?? -1) };
  }
  const why =
    "its columns come in another order, and as several have the same name, they cannot be told apart";
  return { kind: "different", differences: [why] };
}

/** The names that others lack, or have less often. */
function without(names: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const name of others) left.set(name, (left.get(name) ?? 0) + 1);
  return names.filter((name) => {
    const count = left.get(name) ?? 0;
    if (count > 0) left.set(name, count - 1);
    return count === 0;
  });
}

const maxListed = 8;

function listed(names: readonly string[]): string {
  const more = names.length - maxListed;
  const shown = names.slice(0, maxListed).map(quote).join(", ");
  return more > 0 ? `${shown} and ${more} more` : shown;
}
