import { quote } from "../model/row.ts";
import { createFinder } from "./columns.ts";
import { joinedKey, type PartProblem } from "./compile-cell.ts";
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

export type CompiledLookup =
  | {
      readonly kind: "lookup";
      find(text: string): string | undefined;
      /** The message for a cell that is not in the table. */
      readonly notFound: string;
    }
  | { readonly kind: "problems"; readonly problems: readonly PartProblem[] };

/**
 * Indexes columns of a table. Space around keys does not matter. If the key is a list of columns, what
 * is looked up is a `joinedKey`.
 */
export function compileLookup(spec: LookupSpec, tables: LookupTables): CompiledLookup {
  const table = tables.get(spec.file) ?? { kind: "unusable", message: "was not read" };
  if (table.kind === "unusable") return problem("file", table.message);
  const find = createFinder(spec.file, table.columns);
  const isList = typeof spec.key !== "string";
  const keys = [spec.key].flat();
  const places = keys.map((name) => find(name));
  const value = find(spec.value);
  const missing = places.flatMap((place, at) =>
    place.kind === "problem"
      ? [{ at: ["lookup", "key", ...(isList ? [at] : [])], message: place.message }]
      : [],
  );
  if (value.kind === "problem" || missing.length > 0) {
    const ofValue =
      value.kind === "problem" ? [{ at: ["lookup", "value"], message: value.message }] : [];
    return { kind: "problems", problems: [...missing, ...ofValue] };
  }
  const indexes = places.flatMap((place) => (place.kind === "found" ? [place.index] : []));
  const values = new Map<string, string>();
  const lines = new Map<string, number>();
  for (const { line, cells } of table.rows) {
    const ofKey = indexes.map((index) => (cells[index] ?? "").trim());
    const text = isList ? joinedKey(ofKey) : (ofKey[0] ?? "");
    const becomes = cells[value.index] ?? "";
    if (text === "") continue;
    const known = values.get(text);
    if (known !== undefined && known !== becomes) {
      const where = `lines ${lines.get(text)} and ${line}`;
      return problem(
        "key",
        `${spec.file} has ${ofKey.map(quote).join(", ")} twice (${where}), with ${quote(known)} and ${quote(becomes)}: remove one`,
      );
    }
    values.set(text, becomes);
    if (known === undefined) lines.set(text, line);
  }
  return {
    kind: "lookup",
    find: (text) => values.get(text.trim()),
    notFound: `is not in ${isList ? "columns" : "column"} ${keys.map(quote).join(", ")} of ${spec.file}`,
  };
}

function problem(key: keyof LookupSpec, message: string): CompiledLookup {
  return { kind: "problems", problems: [{ at: ["lookup", key], message }] };
}

/** The lookup files of a mapping, as it names them, each once. */
export function lookupFiles(mapping: MappingSpec): string[] {
  const members = blocksOfSpec(mapping).flatMap(({ spec }) => Object.values(spec.members));
  const files = members.flatMap((member) =>
    typeof member === "object" && member.lookup !== undefined ? [member.lookup.file] : [],
  );
  return [...new Set(files)];
}
