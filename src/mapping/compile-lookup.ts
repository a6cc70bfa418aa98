import { quote } from "../model/row.ts";
import { createFinder } from "./columns.ts";
import { joinedKey } from "./compile-source.ts";
import { blocksOfSpec, type LookupSpec, type MappingSpec } from "./schema.ts";

interface ReadTable {
  readonly kind: "table";
  readonly columns: readonly string[];
  /** The cells of all rows, one after another, and the line of each row: an array for each would double it. */
  readonly cells: readonly string[];
  readonly lines: readonly number[];
}

export type LookupTable = ReadTable | { readonly kind: "unusable"; readonly message: string };

export type LookupTables = ReadonlyMap<string, LookupTable>;

/** Where a text is looked up: a `map` or the file of a `lookup`. */
export interface ValueTable<Value> {
  find(text: string): Value | undefined;
  readonly notFound: string;
}

/** Reports what is wrong, with the path to its key; what was compiled is then not used. */
type Report = (at: readonly PropertyKey[], message: string) => void;

/**
 * Looks up by columns of a table. Space around keys does not matter. If the key is a list of columns, what
 * is looked up is a `joinedKey`.
 */
function compileLookup(spec: LookupSpec, tables: LookupTables, report: Report): ValueTable<string> {
  const table = tables.get(spec.file) ?? { kind: "unusable", message: "was not read" };
  const isList = typeof spec.key !== "string";
  const keys = [spec.key].flat();
  const notFound = `is not in ${isList ? "columns" : "column"} ${keys.map(quote).join(", ")} of ${spec.file}`;
  if (table.kind === "unusable") {
    report(["file"], table.message);
    return { find: () => undefined, notFound };
  }
  const find = createFinder(spec.file, table.columns);
  const columnOf = (name: string, ...path: readonly PropertyKey[]) => {
    const found = find(name);
    if (found.kind === "found") return found.index;
    report(path, found.message);
    return -1;
  };
  const columns = keys.map((name, at) => columnOf(name, "key", ...(isList ? [at] : [])));
  const value = columnOf(spec.value, "value");
  if ([...columns, value].includes(-1)) return { find: () => undefined, notFound };
  const { firstRows, again } = indexOf(table, columns, isList);
  const becomes = (row: number) => table.cells[row * table.columns.length + value] ?? "";
  for (const row of again) {
    const key = keyOfRow(table, row, columns);
    const before = firstRows.get(isList ? joinedKey(key) : key.join()) ?? row;
    const [one, other] = [becomes(before), becomes(row)];
    if (one === other) continue;
    const where = `lines ${table.lines[before]} and ${table.lines[row]}`;
    report(
      ["key"],
      `${spec.file} has ${key.map(quote).join(", ")} twice (${where}), with ${quote(one)} and ${quote(other)}: remove one`,
    );
    break;
  }
  return {
    find(text) {
      const row = firstRows.get(text.trim());
      return row === undefined ? undefined : becomes(row);
    },
    notFound,
  };
}

/** Where the rows of a table are by their keys; `again` are those whose key an earlier one has. */
type Index = { readonly firstRows: ReadonlyMap<string, number>; readonly again: readonly number[] };

/** Many members may look up by the same columns. */
const indexes = new WeakMap<ReadTable, Map<string, Index>>();

function indexOf(table: ReadTable, columns: readonly number[], isList: boolean): Index {
  const known = indexes.get(table) ?? new Map<string, Index>();
  indexes.set(table, known);
  const name = `${isList} ${columns}`;
  const found = known.get(name);
  if (found !== undefined) return found;
  const firstRows = new Map<string, number>();
  const again: number[] = [];
  for (let row = 0; row < table.lines.length; row++) {
    const key = keyOfRow(table, row, columns);
    const text = isList ? joinedKey(key) : key.join();
    if (text === "") continue;
    if (firstRows.has(text)) again.push(row);
    else firstRows.set(text, row);
  }
  const index = { firstRows, again };
  known.set(name, index);
  return index;
}

function keyOfRow(table: ReadTable, row: number, columns: readonly number[]): string[] {
  return columns.map((at) => (table.cells[row * table.columns.length + at] ?? "").trim());
}

export function compileLookups(mapping: MappingSpec, tables: LookupTables, report: Report) {
  const lookups = new Map<LookupSpec, ValueTable<string>>();
  for (const { spec, path } of lookupsIn(mapping)) {
    const reportPart: Report = (at, message) => report([...path, ...at], message);
    lookups.set(spec, compileLookup(spec, tables, reportPart));
  }
  return lookups;
}

/** The lookup files of a mapping, as it names them, each once. */
export function lookupFiles(mapping: MappingSpec): string[] {
  return [...new Set(lookupsIn(mapping).map(({ spec }) => spec.file))];
}

function lookupsIn(mapping: MappingSpec) {
  return blocksOfSpec(mapping).flatMap((block) =>
    Object.entries(block.members).flatMap(([name, member]) => {
      if (typeof member === "string" || member.lookup === undefined) return [];
      return [{ spec: member.lookup, path: [...block.path, "members", name, "lookup"] }];
    }),
  );
}
