import { quote } from "../domain/row.ts";

/** How the header of a file compares with that of the first file of a run. */
export type ColumnMatch =
  | { readonly kind: "same" }
  /** The same columns in another order: where in the file each of the first file's columns is. */
  | { readonly kind: "reordered"; readonly places: readonly number[] }
  /** What is different, a part of a sentence each. */
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
  if (missing.length === 0 && added.length === 0) {
    const twice = columns.find((name, at) => columns.indexOf(name) < at);
    if (twice === undefined) {
      return { kind: "reordered", places: columns.map((name) => found.indexOf(name)) };
    }
    const why = `its columns come in another order, and as ${quote(twice)} is there twice, they cannot be told apart by name`;
    return { kind: "different", differences: [why] };
  }

  const differences: string[] = [];
  const repeated = new Set(
    [...missing, ...added].filter((name) => columns.includes(name) && found.includes(name)),
  );
  for (const name of repeated) {
    differences.push(
      `it has ${quote(name)} ${times(found, name)} where ${first} has it ${times(columns, name)}`,
    );
    drop(missing, name);
    drop(added, name);
  }
  for (const name of [...missing]) {
    const alike = added.findIndex((other) => plain(other) === plain(name));
    if (alike < 0) continue;
    const [other = ""] = added.splice(alike, 1);
    missing.splice(missing.indexOf(name), 1);
    differences.push(`it has ${quote(other)} where ${first} has ${quote(name)}`);
  }
  if (missing.length > 0) differences.push(`it has no ${listed(missing)}`);
  if (added.length > 0) differences.push(`it has ${listed(added)}, which ${first} has not`);
  return { kind: "different", differences };
}

/** The names of the one list that the other has not, or not as often. */
function without(names: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return names.filter((name) => {
    const at = left.indexOf(name);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function drop(names: string[], dropped: string): void {
  for (let at = names.indexOf(dropped); at >= 0; at = names.indexOf(dropped)) names.splice(at, 1);
}

/** `twice` */
function times(names: readonly string[], name: string): string {
  const count = names.filter((other) => other === name).length;
  return ["never", "once", "twice"][count] ?? `${count} times`;
}

/** A name as most people would read it. */
function plain(name: string): string {
  return name.normalize("NFKC").trim().toLowerCase();
}

const mostListed = 8;

function listed(names: readonly string[]): string {
  const more = names.length - mostListed;
  const shown = names.slice(0, mostListed).map(quote).join(", ");
  return more > 0 ? `${shown} and ${more} more` : shown;
}
