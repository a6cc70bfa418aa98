import type { Dialect, FilesReadAs } from "../model/dialect.ts";
import { listNames } from "./list-names.ts";

/** What the ways in which several files are written have in common, and each way, if they differ. */
export function shareDialect(files: readonly FilesReadAs[]): {
  readonly dialect: Dialect;
  readonly readAs?: readonly FilesReadAs[];
} {
  const ways = new Map<string, { readonly names: string[]; readonly dialect: Dialect }>();
  for (const { name, dialect } of files) {
    const key = JSON.stringify(Object.entries(dialect).toSorted());
    const way = ways.get(key) ?? { names: [], dialect };
    way.names.push(name);
    ways.set(key, way);
  }
  const [first, ...others] = [...ways.values()];
  if (first === undefined || others.length === 0) return { dialect: first?.dialect ?? {} };
  const shared = Object.entries(first.dialect).filter(([part, value]) =>
    others.every(({ dialect }) => dialect[part as keyof Dialect] === value),
  );
  return {
    dialect: Object.fromEntries(shared),
    readAs: [first, ...others].map(({ names, dialect }) => ({ name: listNames(names), dialect })),
  };
}
