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
  const [before, now] = [countNames(columns), countNames(found)];
  const missing = without(columns, now);
  const added = without(found, before);
  if (missing.length === 0 && added.length === 0) {
    const twice = columns.find((name) => (before.get(name) ?? 0) > 1);
    if (twice === undefined) {
      const places = new Map(found.map((name, at) => [name, at]));
      return { kind: "reordered", places: columns.map((name) => places.get(name) ?? -1) };
    }
    const why = `its columns come in another order, and as ${quote(twice)} is there twice, they cannot be told apart by name`;
    return { kind: "different", differences: [why] };
  }

  const differences: string[] = [];
  const isRepeated = (name: string) => before.has(name) && now.has(name);
  for (const name of new Set([...missing, ...added].filter(isRepeated))) {
    differences.push(
      `it has ${quote(name)} ${times(now, name)} where ${first} has it ${times(before, name)}`,
    );
  }
  const gone = missing.filter((name) => !isRepeated(name));
  const fresh = added.filter((name) => !isRepeated(name));
  if (gone.length > 0) differences.push(`it has no ${listed(gone)}`);
  if (fresh.length > 0) differences.push(`it has ${listed(fresh)}, which ${first} lacks`);
  return { kind: "different", differences };
}

/** How often each name is there. */
function countNames(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** The names that others lack, or have less often. */
function without(names: readonly string[], others: ReadonlyMap<string, number>): string[] {
  const left = new Map(others);
  return names.filter((name) => {
    const count = left.get(name) ?? 0;
    if (count > 0) left.set(name, count - 1);
    return count === 0;
  });
}

/** `twice` */
function times(counts: ReadonlyMap<string, number>, name: string): string {
  const count = counts.get(name) ?? 0;
  return ["never", "once", "twice"][count] ?? `${count} times`;
}

const maxListed = 8;

function listed(names: readonly string[]): string {
  const more = names.length - maxListed;
  const shown = names.slice(0, maxListed).map(quote).join(", ");
  return more > 0 ? `${shown} and ${more} more` : shown;
}
