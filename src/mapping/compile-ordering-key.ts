import type { RowProblem } from "../model/row.ts";
import { type Columns, isBlank } from "./columns.ts";
import { compileValue, ofTexts, type Value, type ValueContext } from "./compile-value.ts";
import type { KeyPartSpec } from "./schema.ts";

export function compileOrderingKey(specs: readonly KeyPartSpec[], context: ValueContext): Value[] {
  return specs.map((spec) =>
    compileValue(typeof spec === "string" ? { column: spec } : spec, ofTexts(context)),
  );
}

/** The key of a row; undefined if all of it is blank, or if a problem was added to the list. */
export function readOrderingKey(
  parts: readonly Value[],
  cells: readonly string[],
  problems: RowProblem[],
): string | undefined {
  const texts: string[] = [];
  for (const { read } of parts) {
    const text = read(cells, problems);
    if (text === undefined) return undefined;
    texts.push(String(text));
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
  { indexOf }: Columns,
): (key: string) => readonly string[] {
  const indexes = keyColumns.map(indexOf);
  return (key) => {
    const texts: string[] = indexes.length === 1 ? [key] : JSON.parse(key);
    const cells = columns.map(() => "");
    for (const [at, index] of indexes.entries()) cells[index] = texts[at] ?? "";
    return cells;
  };
}
