import type { RowProblem } from "../model/row.ts";
import { type Columns, isBlank } from "./columns.ts";
import { type CompiledTemplate, compileTemplate } from "./compile-template.ts";
import { tooLong } from "./pattern.ts";
import { compileTransform, type Transform } from "./transform.ts";
import type { TransformSpec } from "./value-schema.ts";

/** Reads the text of a column or a template, and describes problems with it. */
export interface CellReader {
  readonly kind: "reader";
  /** After the transforms; undefined if it is too long for a pattern of them. */
  read(cells: readonly string[]): string | undefined;
  /** The problem of a cell that is too long for a pattern. */
  tooLong(cells: readonly string[]): RowProblem;
  /** A problem of this cell, with its column and value as the input has them. */
  problem(cells: readonly string[], code: RowProblem["code"], message: string): RowProblem;
}

/** Something that cannot be compiled, with the path to its key. */
export interface PartProblem {
  readonly at: readonly (string | number)[];
  readonly message: string;
}

export type CompiledCell =
  | CellReader
  | { readonly kind: "problems"; readonly problems: readonly PartProblem[] };

interface CellSpec {
  readonly column?: string | undefined;
  readonly columns?: readonly string[] | undefined;
  readonly template?: string | undefined;
  readonly transform?: TransformSpec | undefined;
  readonly lookup?: { readonly key: string | readonly string[] } | undefined;
}

export function compileCell(spec: CellSpec, columns: Columns): CompiledCell {
  const transform = compileTransform(spec.transform, columns.trace);
  if (spec.template !== undefined) {
    const template = compileTemplate(spec.template, columns);
    if (template.kind === "problems") {
      return problems(template.messages.map((message) => ({ at: ["template"], message })));
    }
    return templateReader(template, spec.template, columns, transform);
  }
  if (spec.columns !== undefined) {
    return typeof (spec.lookup?.key ?? "") === "string"
      ? firstOf(spec.columns, columns, transform)
      : allOf(spec.columns, columns, transform);
  }
  const name = spec.column ?? "";
  const found = columns.find(name);
  if (found.kind === "problem") return problems([{ at: ["column"], message: found.message }]);
  return reader(columns.cell(found.index), () => name, transform);
}

function templateReader(
  template: Extract<CompiledTemplate, { kind: "compiled" }>,
  text: string,
  { trace }: Columns,
  transform: Transform | undefined,
): CellReader {
  const { fill, columns } = template;
  const quiet = reader(fill, () => columns.map(({ name }) => name).join(", "), transform);
  if (trace === undefined) return quiet;
  return {
    ...quiet,
    read(cells) {
      const filled = fill(cells, trace);
      trace.step({ by: "template", of: text, gives: filled });
      return transform === undefined ? filled : transform(filled);
    },
  };
}

type ReadCell = (cells: readonly string[]) => string;

/** The readers of several columns, or what is wrong with their names. */
function readersOf(
  names: readonly string[],
  columns: Columns,
): { readonly readers: readonly ReadCell[]; readonly missing: readonly PartProblem[] } {
  const found = names.map((name) => columns.find(name));
  return {
    readers: found.flatMap((one) => (one.kind === "found" ? [columns.cell(one.index)] : [])),
    missing: found.flatMap((one, at) =>
      one.kind === "problem" ? [{ at: ["columns", at], message: one.message }] : [],
    ),
  };
}

/** The cells of several columns together, for a lookup. The transforms apply to each cell. */
function allOf(
  names: readonly string[],
  columns: Columns,
  transform: Transform | undefined,
): CompiledCell {
  const { readers, missing } = readersOf(names, columns);
  if (missing.length > 0) return problems(missing);
  const shown = reader(
    (cells) => {
      const texts = readers.map((read) => read(cells));
      return texts.every(isBlank) ? "" : texts.join(", ");
    },
    () => names.join(", "),
    undefined,
  );
  return {
    ...shown,
    read(cells) {
      const texts: string[] = [];
      for (const read of readers) {
        const cell = read(cells);
        const text = transform === undefined ? cell : transform(cell);
        if (text === undefined) return undefined;
        texts.push(text);
      }
      return joinedKey(texts);
    },
  };
}

/** The cells of a key of several columns as one text; blank if all of them are. */
export function joinedKey(cells: readonly string[]): string {
  const texts = cells.map((cell) => cell.trim());
  return texts.every((text) => text === "") ? "" : JSON.stringify(texts);
}

/** The first of several columns that is not blank. */
function firstOf(
  names: readonly string[],
  columns: Columns,
  transform: Transform | undefined,
): CompiledCell {
  const { readers, missing } = readersOf(names, columns);
  if (missing.length > 0) return problems(missing);
  const firstAt = (cells: readonly string[]) => readers.findIndex((read) => !isBlank(read(cells)));
  return reader(
    (cells) => {
      for (const read of readers) {
        const text = read(cells);
        if (!isBlank(text)) return text;
      }
      return "";
    },
    (cells) => names[firstAt(cells)] ?? names.join(", "),
    transform,
  );
}

function problems(found: readonly PartProblem[]): CompiledCell {
  return { kind: "problems", problems: found };
}

function reader(
  raw: (cells: readonly string[]) => string,
  columnOf: (cells: readonly string[]) => string,
  transform: Transform | undefined,
): CellReader {
  const problem: CellReader["problem"] = (cells, code, message) => {
    const value = raw(cells);
    return { code, column: columnOf(cells), message, ...(isBlank(value) ? {} : { value }) };
  };
  return {
    kind: "reader",
    read: transform === undefined ? raw : (cells) => transform(raw(cells)),
    tooLong: (cells) => problem(cells, tooLong.code, tooLong.message),
    problem,
  };
}
