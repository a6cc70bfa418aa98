import { quote } from "../model/row.ts";
import { createFinder, type Report } from "./columns.ts";
import { joinedKey } from "./compile-cell.ts";
import { blocksOfSpec, type LookupSpec, type MappingSpec } from "./schema.ts";

/** A file that a mapping looks values up in. */
export type LookupTable =
  | {
      readonly kind: "table";
      readonly columns: readonly string[];
      readonly rows: readonly { readonly line: number; readonly cells: readonly string[] }[];
    }
  | { readonly kind: "unusable"; readonly message: string };

/** The tables by their names in the mapping. */
export type LookupTables = ReadonlyMap<string, LookupTable>;

/** Where a text is looked up: a `map` or the file of a `lookup`. */
export interface Table<Value> {
  find(text: string): Value | undefined;
  /** The message for a text that is not there. */
  readonly notFound: string;
}

/**
 * Indexes columns of a table. Space around keys does not matter. If the key is a list of columns, what
 * is looked up is a `joinedKey`.
 */
export function compileLookup(
  spec: LookupSpec,
  tables: LookupTables,
  report: Report,
): Table<string> {
  const table = tables.get(spec.file) ?? { kind: "unusable", message: "was not read" };
  const isList = typeof spec.key !== "string";
  const keys = [spec.key].flat();
  const notFound = `is not in ${isList ? "columns" : "column"} ${keys.map(quote).join(", ")} of ${spec.file}`;
  if (table.kind === "unusable") {
    report(["file"], table.message);
    return { find: () => undefined, notFound };
  }
  const find = createFinder(spec.file, table.columns);
  const indexOf = (name: string, ...path: readonly PropertyKey[]) => {
    const found = find(name);
    if (found.kind === "found") return found.index;
    report(path, found.message);
    return -1;
  };
  const indexes = keys.map((name, at) => indexOf(name, "key", ...(isList ? [at] : [])));
  const value = indexOf(spec.value, "value");
  if ([...indexes, value].includes(-1)) return { find: () => undefined, notFound };
  const values = new Map<string, string>();
  const lines = new Map<string, number>();
  for (const { line, cells } of table.rows) {
    const ofKey = indexes.map((index) => (cells[index] ?? "").trim());
    const text = isList ? joinedKey(ofKey) : (ofKey[0] ?? "");
    const becomes = cells[value] ?? "";
    if (text === "") continue;
    const known = values.get(text);
    if (known !== undefined && known !== becomes) {
      const where = `lines ${lines.get(text)} and ${line}`;
      report(
        ["key"],
        `${spec.file} has ${ofKey.map(quote).join(", ")} twice (${where}), with ${quote(known)} and ${quote(becomes)}: remove one`,
      );
      break;
    }
    values.set(text, becomes);
    if (known === undefined) lines.set(text, line);
  }
  return { find: (text) => values.get(text.trim()), notFound };
}

/** The lookup files of a mapping, as it names them, each once. */
export function lookupFiles(mapping: MappingSpec): string[] {
  const members = blocksOfSpec(mapping).flatMap((block) => Object.values(block.members));
  const files = members.flatMap((member) =>
    typeof member === "object" && member.lookup !== undefined ? [member.lookup.file] : [],
  );
  return [...new Set(files)];
}
