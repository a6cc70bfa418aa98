import type { RowProblem } from "../model/row.ts";
import { type Columns, isBlank, type Report, within } from "./columns.ts";
import { type CompiledTemplate, compileTemplate } from "./compile-template.ts";
import { tooLong } from "./pattern.ts";
import { compileTransform, type Transform } from "./transform.ts";
import type { TransformSpec } from "./value-schema.ts";

/** Reads the text of a column or a template, and describes problems with it. */
export interface CellReader {
  /** After the transforms; undefined if it is too long for a pattern of them. */
  read(cells: readonly string[]): string | undefined;
  /** The cell that clears the member: all that are read are blank or such; undefined if none is. */
  clearing(
    cells: readonly string[],
  ): { readonly column: string; readonly value: string } | undefined;
  /** The problem of a cell that is too long for a pattern. */
  tooLong(cells: readonly string[]): RowProblem;
  /** A problem of this cell, with its column and value as the input has them. */
  problem(cells: readonly string[], code: RowProblem["code"], message: string): RowProblem;
}

interface CellSpec {
  readonly column?: string | undefined;
  readonly columns?: readonly string[] | undefined;
  readonly template?: string | undefined;
  readonly transform?: TransformSpec | undefined;
  readonly lookup?: { readonly key: string | readonly string[] } | undefined;
}

export function compileCell(spec: CellSpec, columns: Columns, report: Report): CellReader {
  const transform = compileTransform(spec.transform, columns.trace);
  if (spec.template !== undefined) {
    const template = compileTemplate(spec.template, columns, within(report, "template"));
    const clearing = clearedBy(
      template.columns.map(({ name }) => name),
      columns,
    );
    return { ...templateReader(template, spec.template, columns, transform), clearing };
  }
  const clearing = clearedBy(spec.columns ?? [spec.column ?? ""], columns);
  const readerOf = (name: string, ...path: readonly PropertyKey[]): ReadCell => {
    const found = columns.find(name);
    if (found.kind === "found") return columns.cell(found.index);
    report(path, found.message);
    return () => "";
  };
  if (spec.columns !== undefined) {
    const readers = spec.columns.map((name, at) => readerOf(name, "columns", at));
    const read = typeof (spec.lookup?.key ?? "") === "string" ? firstOf : allOf;
    return { ...read(spec.columns, readers, transform), clearing };
  }
  const name = spec.column ?? "";
  return { ...reader(readerOf(name, "column"), () => name, transform), clearing };
}

/** Without it, where nothing clears. */
type TextReader = Omit<CellReader, "clearing">;

function clearedBy(
  names: readonly string[],
  { find, isClear, unlessNull }: Columns,
): CellReader["clearing"] {
  if (isClear === undefined) return () => undefined;
  const indexes = names.map((name) => {
    const found = find(name);
    return found.kind === "found" ? found.index : -1;
  });
  return (cells) => {
    const at = indexes.findIndex((index) => isClear(cells[index] ?? ""));
    if (at < 0 || !indexes.every((index) => isBlank(unlessNull(cells[index] ?? "")))) {
      return undefined;
    }
    return { column: names[at] ?? "", value: cells[indexes[at] ?? -1] ?? "" };
  };
}

type ReadCell = (cells: readonly string[]) => string;

function templateReader(
  template: CompiledTemplate,
  text: string,
  { trace }: Columns,
  transform: Transform | undefined,
): TextReader {
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

/** The cells of several columns together, for a lookup. The transforms apply to each cell. */
function allOf(
  names: readonly string[],
  readers: readonly ReadCell[],
  transform: Transform | undefined,
): TextReader {
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
  readers: readonly ReadCell[],
  transform: Transform | undefined,
): TextReader {
  const firstAt = (cells: readonly string[]) => readers.findIndex((read) => !isBlank(read(cells)));
  return reader(
    (cells) => readers[firstAt(cells)]?.(cells) ?? "",
    (cells) => names[firstAt(cells)] ?? names.join(", "),
    transform,
  );
}

function reader(
  raw: (cells: readonly string[]) => string,
  columnOf: (cells: readonly string[]) => string,
  transform: Transform | undefined,
): TextReader {
  const problem: CellReader["problem"] = (cells, code, message) => {
    const value = raw(cells);
    return { code, column: columnOf(cells), message, ...(isBlank(value) ? {} : { value }) };
  };
  return {
    read: transform === undefined ? raw : (cells) => transform(raw(cells)),
    tooLong: (cells) => problem(cells, tooLong.code, tooLong.message),
    problem,
  };
}
