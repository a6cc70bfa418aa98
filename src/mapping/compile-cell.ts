import type { RowProblem } from "../domain/row.ts";
import type { ColumnLookup } from "./columns.ts";
import type { TransformName } from "./schema.ts";
import { compileTemplate } from "./template.ts";
import { compileTransform } from "./transform.ts";

/** The text that a column or a template gives, and how to speak of it. */
export interface CellReader {
  readonly kind: "reader";
  /** After the transforms; blank where there is nothing. */
  read(cells: readonly string[]): string;
  /** A problem with this cell, with the column and the value as they stand in the input. */
  problem(cells: readonly string[], code: RowProblem["code"], message: string): RowProblem;
}

export type CompiledCell =
  | CellReader
  | { readonly kind: "problem"; readonly at: "column" | "template"; readonly message: string };

interface CellSpec {
  readonly column?: string | undefined;
  readonly template?: string | undefined;
  readonly transform?: TransformName | readonly TransformName[] | undefined;
}

export function compileCell(spec: CellSpec, column: (name: string) => ColumnLookup): CompiledCell {
  const transform = compileTransform(spec.transform);
  if (spec.template !== undefined) {
    const template = compileTemplate(spec.template, column);
    if (template.kind === "problem") {
      return { kind: "problem", at: "template", message: template.message };
    }
    return reader((cells) => template.fill(cells), template.columns.join(", "), transform);
  }
  const name = spec.column ?? "";
  const found = column(name);
  if (found.kind === "problem") return { kind: "problem", at: "column", message: found.message };
  const { index } = found;
  return reader((cells) => cells[index] ?? "", name, transform);
}

function reader(
  raw: (cells: readonly string[]) => string,
  column: string,
  transform: (text: string) => string,
): CellReader {
  return {
    kind: "reader",
    read: (cells) => transform(raw(cells)),
    problem(cells, code, message) {
      const value = raw(cells);
      return { code, column, message, ...(isBlank(value) ? {} : { value }) };
    },
  };
}

/** Nothing but white space. */
export function isBlank(text: string): boolean {
  return text === "" || text.trim() === "";
}
