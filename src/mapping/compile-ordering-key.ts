import type { RowProblem } from "../model/row.ts";
import { type Columns, isBlank, type Report, within } from "./columns.ts";
import { compileCell } from "./compile-cell.ts";
import type { KeyPartSpec } from "./schema.ts";

/** One cell of a key; undefined if a problem was added to the list. */
export type ReadKeyPart = (cells: readonly string[], problems: RowProblem[]) => string | undefined;

/** The cells that an ordering key is made of, in its order. */
export function compileOrderingKey(
  specs: readonly KeyPartSpec[],
  columns: Columns,
  report: Report,
): ReadKeyPart[] {
  return specs.map((spec, index) => {
    const cell =
      typeof spec === "string"
        ? compileCell({ column: spec }, columns, (_, message) => report([index], message))
        : compileCell(spec, columns, within(report, index));
    return (cells, problems) => {
      const text = cell.read(cells);
      if (text === undefined) problems.push(cell.tooLong(cells));
      return text;
    };
  });
}

/** The key of a row; undefined if all of it is blank, or if a problem was added to the list. */
export function readOrderingKey(
  parts: readonly ReadKeyPart[],
  cells: readonly string[],
  problems: RowProblem[],
): string | undefined {
  const texts: string[] = [];
  for (const read of parts) {
    const text = read(cells, problems);
    if (text === undefined) return undefined;
    texts.push(text);
  }
  return orderingKeyOf(texts);
}

/** The key that texts make: one is the key itself. Undefined if all are blank. */
export function orderingKeyOf(texts: readonly string[]): string | undefined {
  if (texts.every(isBlank)) return undefined;
  return texts.length === 1 ? texts[0] : JSON.stringify(texts);
}

/** Gives the cells of a row of which nothing but its key is known: the others are blank. */
export function cellsOfKeyIn(
  columns: readonly string[],
  keyColumns: readonly string[],
  { find }: Columns,
): (key: string) => readonly string[] {
  const indexes = keyColumns.map((name) => {
    const found = find(name);
    return found.kind === "found" ? found.index : -1;
  });
  return (key) => {
    const texts: string[] = indexes.length === 1 ? [key] : JSON.parse(key);
    const cells = columns.map(() => "");
    for (const [at, index] of indexes.entries()) cells[index] = texts[at] ?? "";
    return cells;
  };
}
